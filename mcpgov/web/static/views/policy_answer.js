// A decision as `policy explain` tells it: the verdict, the rule, every rule that was asked, how values were read.

import { h, word } from "../parts/dom.js";
import { chip, quotedWords, verdict } from "../parts/components.js";
import { foreign, shortPath, visible } from "../parts/visible.js";
import { wouldWord } from "../parts/words.js";

const ENDS = {
  allow: "The call passes.",
  log: "The call passes and is marked in the record.",
  redact: "The call passes; what the rule finds is cut out.",
  prompt: "You are asked. Without a yes in time it is denied.",
  deny: "The call never reaches the server.",
};

// `asked`: what was judged; `text`: by which text, null for the policy in force.
export function explained(found, { server, tool, client, project, text }) {
  const decisive = found.trace.find((step) => step.rule === found.rule && step.matched);
  return h(
    "section.card.explained",
    h(
      "p.explained-head",
      verdict(found.action, wouldWord(found.action)),
      " ",
      word(tool),
      " on ",
      word(server),
      client && [" from ", word(client)],
      project && [" in ", word(shortPath(project))],
      found.operation ? chip(found.operation, "quiet", visible(found.operation_why ?? "")) : null,
    ),
    h(
      "p",
      found.rule
        ? ["by rule ", word(found.rule), h("span.faint", found.line ? ` at line ${found.line}` : "")]
        : "by the default: no rule matched",
      ". ",
      ENDS[found.action] ?? "",
    ),
    found.message && h("p.faint", foreign(found.message)),
    h(
      "p.judged-by",
      text === null ? "Judged by the policy in force." : chip("not saved", "ask"),
      text === null ? null : " Judged by your text in the editor: the policy in force may decide otherwise.",
    ),
    h("h3.label", "rules, in the order they were asked"),
    h(
      "ol.trace",
      found.trace.map((step) =>
        h(
          `li.step${step === decisive ? ".decisive" : ""}`,
          h("span.step-mark", { "aria-hidden": "true" }, step === decisive ? "\u2192" : ""),
          h("span.step-rule", foreign(step.rule)),
          step === decisive ? verdict(step.action, wouldWord(step.action)) : h("span.faint", step.matched ? "matched" : "did not match"),
          h("span.step-why", quotedWords(step.why)),
        ),
      ),
    ),
    readings(found.readings ?? []),
  );
}

// What the rules were held against, where that is not just the text that was given.
function readings(found) {
  const read = found
    .map(({ value, readings }) => [value, [...new Set(readings)].filter((form) => form !== value)])
    .filter(([, others]) => others.length);
  return (
    read.length > 0 && [
      h("h3.label", "how its values were read"),
      h(
        "dl.facts.readings-list",
        read.map(([value, others]) => [
          h("dt", word(value)),
          h(
            "dd",
            h(
              "ul",
              others.map((form) => h("li", word(shortPath(form)))),
            ),
          ),
        ]),
      ),
    ]
  );
}
