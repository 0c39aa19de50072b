// A unified diff, as the service gives it: added and removed lines told by sign, colour and word.

import { h } from "./dom.js";
import { foreign } from "./visible.js";
import { plural } from "./words.js";

const MOST = 1000; // lines
const KINDS = { "+": ["diff-added", "added: "], "-": ["diff-removed", "removed: "] };

export function diffView(lines, label = "what changed") {
  const shown = lines.filter((line) => !/^(---|\+\+\+) /.test(line));
  if (!shown.length) return h("p.faint", "nothing changed");
  const rest = shown.length - MOST;
  return h(
    "div.diff",
    { role: "group", "aria-label": label, tabindex: 0 },
    shown.slice(0, MOST).map(row),
    rest > 0 && h("div.diff-line.diff-place", `and ${plural(rest, "line")} more`),
  );
}

function row(line) {
  const [kind, spoken] = KINDS[line[0]] ?? ["diff-same", ""];
  if (line[0] === "@")
    return h(
      "div.diff-line.diff-place",
      h("span.diff-sign", { "aria-hidden": "true" }, "\u22ee"),
      h("span.hidden", "further on"),
    );
  const sign = line[0] ?? " ";
  const text = line.slice(1);
  return h(
    `div.diff-line.${kind}`,
    h("span.diff-sign", { "aria-hidden": "true" }, sign),
    spoken && h("span.hidden", spoken),
    h("code", foreign(text)),
  );
}
