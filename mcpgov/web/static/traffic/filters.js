// Which calls are shown: server, tool, verdict and any text. One row of controls, used by the live list.

import { h, fill } from "../parts/dom.js";
import { visible } from "../parts/visible.js";
import { shownAction, subject } from "./call_row.js";

const VERDICTS = [
  ["", "every verdict"],
  ["everything", "also what just passes"],
  ["allow", "allowed"],
  ["deny", "denied"],
  ["prompt", "waiting"],
  ["log", "logged"],
  ["redact", "redacted"],
];

export class Filters {
  constructor(changed) {
    this._changed = changed;
    this._servers = new Set();
    this.server = this._select("server", "every server");
    this.verdict = this._select("verdict", "", VERDICTS);
    this.tool = this._input("tool", "tool");
    this.text = this._input("text", "search in everything");
    this.root = h(
      "div.filters",
      { role: "search", "aria-label": "filter the calls" },
      this.text,
      this.server,
      this.tool,
      this.verdict,
    );
  }

  get active() {
    return Boolean(this.server.value || this.verdict.value || this.tool.value || this.text.value);
  }

  clear() {
    for (const box of [this.server, this.verdict, this.tool, this.text]) box.value = "";
    this._changed();
  }

  // A server that calls is one to choose from.
  learn(calls) {
    const before = this._servers.size;
    for (const call of calls) if (call.server) this._servers.add(call.server);
    if (this._servers.size === before) return;
    const chosen = this.server.value;
    const names = [...this._servers].sort();
    fill(
      this.server,
      h("option", { value: "" }, "every server"),
      names.map((name) => h("option", { value: name }, visible(name))),
    );
    this.server.value = chosen;
  }

  matches(call) {
    if (this.server.value && call.server !== this.server.value) return false;
    if (!this._verdictFits(call)) return false;
    if (this.tool.value && !subject(call).toLowerCase().includes(this.tool.value.toLowerCase())) return false;
    return !this.text.value || textOf(call).includes(this.text.value.toLowerCase());
  }

  // Handshakes, lists and the daemon's own notes are no decisions: they are shown to who asks for them.
  _verdictFits(call) {
    const wanted = this.verdict.value;
    if (wanted === "everything") return true;
    return wanted ? shownAction(call) === wanted : call.type === "call";
  }

  _select(label, all, options = [["", all]]) {
    return h(
      "select",
      { "aria-label": label, onchange: () => this._changed() },
      options.map(([value, text]) => h("option", { value }, text)),
    );
  }

  _input(label, placeholder) {
    const box = h("input", {
      type: "search",
      "aria-label": `filter by ${label}`,
      placeholder,
      spellcheck: "false",
      autocomplete: "off",
      class: `filter-${label}`,
    });
    box.addEventListener("input", () => this._changed());
    return box;
  }
}

const texts = new WeakMap();

// All that can be searched of a call, once.
function textOf(call) {
  if (!texts.has(call)) {
    const parts = [
      call.id,
      call.server,
      call.client,
      call.project,
      subject(call),
      call.rule,
      call.operation,
      call.why,
      JSON.stringify(call.args ?? ""),
    ];
    texts.set(call, parts.join(" ").toLowerCase());
  }
  return texts.get(call);
}
