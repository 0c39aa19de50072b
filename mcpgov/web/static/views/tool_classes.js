// The classes of a server's tools in one row: how many there are of each, what holds, and another verdict for all.

import { h } from "../parts/dom.js";
import { chip } from "../parts/components.js";
import { plural, wouldWord } from "../parts/words.js";

export const TONES = { read: "log", write: "redact", delete: "deny", execute: "ask", admin: "deny", unknown: "quiet" };
const ORDER = ["read", "write", "delete", "execute", "admin"];

// `writer`: shows the rule that another verdict would be.
export function classRow(server, writer) {
  const groups = ORDER.map((name) => [name, server.tools.filter((tool) => tool.operation === name)]).filter(
    ([, tools]) => tools.length,
  );
  const one = ([name, tools]) => {
    const verdicts = [...new Set(tools.map((tool) => tool.verdict ?? "\u2013"))];
    const choose = (event) => {
      if (event.target.value) writer.preview({ server: server.server, class: name, action: event.target.value });
      event.target.value = "";
    };
    const box = h(
      "select.small",
      { "aria-label": `another verdict for all tools that ${name}`, onchange: choose },
      h("option", { value: "" }, verdicts.length === 1 ? wouldWord(verdicts[0]) : "mixed"),
      h("option", { value: "allow" }, "allow them all"),
      h("option", { value: "deny" }, "deny them all"),
    );
    return h("div.class", chip(name, TONES[name]), h("span.faint", plural(tools.length, "tool")), box);
  };
  return groups.map(one);
}
