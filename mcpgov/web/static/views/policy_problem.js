// What is wrong with a policy's text, and a way to its line.

import { h } from "../parts/dom.js";
import { hintWords, notice, quotedWords } from "../parts/components.js";

// `go(line)`: shows that line of the text.
export function problemNotice(problem, go) {
  const link = problem.line
    ? h("button.link", { type: "button", onclick: () => go(problem.line) }, `line ${problem.line}`)
    : null;
  return notice(
    problem.level === "error" ? "deny" : "ask",
    [link, link ? ": " : "", quotedWords(problem.message)],
    problem.hint && h("p", hintWords(problem.hint)),
  );
}
