// The tools of one server: its classes, a line for each tool, and below a line that is open all about it.
//
// Law: drawn again, it keeps what a person has open in it: the tool, and the rule that is shown before it is written.

import { fill, h } from "../parts/dom.js";
import { icon } from "../parts/icons.js";
import { chip, verdict } from "../parts/components.js";
import { KeptParts } from "../parts/kept_parts.js";
import { foreign, visible } from "../parts/visible.js";
import { plural } from "../parts/words.js";
import { ruleWriter } from "./rule_writer.js";
import { classRow, TONES, verdictText } from "./tool_classes.js";
import { toolFacts } from "./tool_facts.js";

const MORE = 200; // tools that are shown at once; a server may have any number

const isWaiting = (tool) => tool.pin !== "accepted" && !tool.kept_out_by;

// How many of its tools want a decision.
export const waiting = (server) => server.tools.filter(isWaiting).length;

export class ServerTools {
  // `changed()`: something was written.
  constructor(name, changed) {
    this._name = name;
    this._changed = changed;
    this._open = "";
    this._most = MORE;
    this._parts = new KeptParts();
    this._classRule = ruleWriter(changed);
    this._head = h("h2");
    this._classes = h("div.classes");
    this._list = h("ul.tools");
    this.root = h(
      "section.card.tool-server",
      { "aria-label": `tools of ${visible(name)}` },
      this._head,
      h("div.classes-box", this._classes, this._classRule.root),
      this._list,
    );
  }

  // `found`: those of its tools that are looked for.
  draw(server, found) {
    this._drawn = [server, found];
    fill(this._head, this._parts.get("head", [server.tools.length, waiting(server)], () => this._title(server)));
    const classes = server.tools.map((tool) => [tool.operation, tool.possible]);
    fill(this._classes, this._parts.get("classes", classes, () => classRow(server, this._classRule)));
    // What wants a decision stands first.
    const order = [...found].sort((a, b) => isWaiting(b) - isWaiting(a));
    const rest = order.length - this._most;
    fill(
      this._list,
      order.slice(0, this._most).map((tool) => this._tool(tool)),
      rest > 0 && this._parts.get("more", rest, () => this._more(rest)),
    );
    this._parts.sweep();
  }

  _more(rest) {
    const more = () => {
      this._most += MORE;
      this.draw(...this._drawn);
    };
    return h("li.tool", h("button.tool-line", { type: "button", onclick: more }, `Show more: ${plural(rest, "tool")}`));
  }

  _title(server) {
    const changed = waiting(server);
    return [
      foreign(this._name),
      h("span.faint.count", plural(server.tools.length, "tool")),
      changed ? chip(`${changed} new or changed`, "ask") : null,
    ];
  }

  _tool(tool) {
    const name = tool.tool;
    const open = this._open === name;
    const row = this._parts.get(`row ${name}`, "", () => h("li.tool"));
    const line = this._parts.get(`line ${name}`, tool, () => this._line(tool));
    line.setAttribute("aria-expanded", String(open));
    row.classList.toggle("open", open);
    return fill(row, line, open && this._detail(tool));
  }

  _detail(tool) {
    const writer = this._parts.get(`rule ${tool.tool}`, "", () => ruleWriter(this._changed));
    const keeper = this._parts.get(`keep ${tool.tool}`, "", () => ruleWriter(this._changed));
    const said = this._parts.get(`said ${tool.tool}`, tool.digest, () => h("div"));
    const facts = this._parts.get(`facts ${tool.tool}`, tool, () =>
      toolFacts(this._name, tool, { writer, keeper, said, changed: this._changed }),
    );
    const box = this._parts.get(`detail ${tool.tool}`, "", () => h("div.tool-detail"));
    return fill(box, facts, writer.root);
  }

  _line(tool) {
    const toggle = () => {
      this._open = this._open === tool.tool ? "" : tool.tool;
      this.draw(...this._drawn);
    };
    return h(
      "button.tool-line",
      { type: "button", onclick: toggle, data: { key: `tool ${tool.tool}` } },
      icon("open"),
      h("span.tool-name", foreign(tool.tool), tool.hidden && chip("hides characters", "deny")),
      state(tool),
      chip(tool.operation, TONES[tool.operation] ?? "quiet"),
      wouldBe(tool),
    );
  }
}

function state(tool) {
  if (tool.pin === "accepted") return h("span");
  if (tool.kept_out_by) return chip("kept out", "deny");
  return chip(tool.pin === "new" ? "new" : "has changed", "ask");
}

const wouldBe = (tool) =>
  tool.possible?.length ? verdict(tool.possible[0], verdictText(tool)) : h("span.faint", "\u2013");
