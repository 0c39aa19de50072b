// The classes of a server's tools in one row: how many there are of each, what holds, and another verdict for all.

import { h } from "../parts/dom.js";
import { chip } from "../parts/components.js";
import { plural, wouldWord } from "../parts/words.js";

export const TONES = { read: "log", write: "redact", delete: "deny", execute: "ask", admin: "deny", unknown: "quiet" };
const ORDER = ["read", "write", "delete", "execute", "admin", "unknown"];
export const VERDICTS = ["allow", "ask", "deny"];
const ALL = { allow: "allow them all", ask: "ask about them all", deny: "deny them all" };

// What would happen to a call, in words; the arguments may decide otherwise, and then stricter.
export function verdictText(tool) {
  if (!tool.possible?.length) return "";
  const usual = wouldWord(tool.possible[0]);
  return tool.possible.length > 1 ? `${usual}, unless arguments say otherwise` : usual;
}

// `writer`: shows the rule that another verdict would be.
export function classRow(server, writer) {
  const groups = ORDER.map((name) => [name, server.tools.filter((tool) => tool.operation === name)]).filter(
    ([, tools]) => tools.length,
  );
  const one = ([name, tools]) => {
    const told = [...new Set(tools.map(verdictText))];
    const choose = (event) => {
      if (event.target.value) writer.preview({ server: server.server, class: name, action: event.target.value });
      event.target.value = "";
    };
    const box = h(
      "select.small",
      { "aria-label": `another verdict for all tools of the class ${name}`, onchange: choose },
      h("option", { value: "" }, "Change\u2026"),
      VERDICTS.map((action) => h("option", { value: action }, ALL[action])),
    );
    return h(
      "div.class",
      chip(name, TONES[name]),
      h("span.class-state", h("span.faint", `${plural(tools.length, "tool")}: `), told.length > 1 ? "mixed" : told[0]),
      box,
    );
  };
  return groups.map(one);
}
