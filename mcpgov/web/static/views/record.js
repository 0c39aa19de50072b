// Record: everything that was decided, searched; a day at a glance; is the chain whole; take it along.

import { fill, h } from "../parts/dom.js";
import { icon } from "../parts/icons.js";
import { empty, failure, field, notice } from "../parts/components.js";
import { foreign } from "../parts/visible.js";
import { number, plural } from "../parts/words.js";
import { VirtualList } from "../parts/virtual_list.js";
import { address, read } from "../data/api.js";
import { callDetail, callLine } from "../traffic/call_row.js";
import { RecordDay } from "./record_day.js";

const DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const DAY_AND_YEAR = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });

const PAGE = 200;
const QUIET = 350; // milliseconds without a key before it is searched

const kept = {}; // what was searched for outlives a look at another view

// Records are of any day: each line says which.
function datedLine(call) {
  const [time, ...rest] = callLine(call);
  const then = new Date(call.time * 1000);
  const day = then.getFullYear() === new Date().getFullYear() ? DAY : DAY_AND_YEAR;
  time.prepend(h("span.row-day", day.format(then)), " ");
  return [time, ...rest];
}

export class RecordView {
  constructor() {
    this._found = [];
    this._older = ""; // where older ones go on
    this._inputs = this._fields();
    this.list = new VirtualList({ label: "records, newest first", make: datedLine, detail: callDetail });
    this.more = h("button", { type: "button", hidden: true, onclick: () => this._search(true) }, "Show older ones");
    this.area = h("div.traffic-area", this.list.root);
    this.said = h("div.search-said", { "aria-live": "polite" });
    this.count = h("span.faint.count");
    this.chain = h("div.chain", { role: "status" });
    this.root = h(
      "div.stack",
      h(
        "header.view-head",
        h("div", h("h1", "Record"), h("p.lead", "Every decision, chained so that a changed or missing line shows.")),
        h("div.buttons.record-tools", this.chain, this._exports()),
      ),
      new RecordDay((server, hour) => this._choose(server, hour)).root,
      h(
        "section.card.traffic.search",
        { "aria-label": "search" },
        h(
          "form.record-form",
          { role: "search", onsubmit: (event) => this._submit(event) },
          Object.values(this._inputs).map((each) => each.root),
        ),
        h("div.traffic-head", h("h2", "Decisions"), this.count),
        h(
          "div.columns",
          { "aria-hidden": "true" },
          ["time", "verdict", "server / tool", "arguments", "rule", "added"].map((name) => h("span", name)),
        ),
        this.said,
        this.area,
        h("div.buttons", this.more),
      ),
    );
    this._search();
    this._verify();
  }

  close() {
    clearTimeout(this._timer);
    Object.assign(kept, this._query);
  }

  _fields() {
    const text = (name, label, placeholder, value = "") => {
      const box = h("input", {
        type: "search",
        value: kept[name] ?? value,
        placeholder,
        spellcheck: "false",
        autocomplete: "off",
        oninput: () => this._soon(),
      });
      return { box, root: field(label, box) };
    };
    const verdicts = [
      ["", "every one"],
      ["allow", "allowed"],
      ["deny", "denied"],
      ["prompt", "asked"],
      ["log", "logged"],
      ["redact", "redacted"],
    ];
    const box = h(
      "select",
      { onchange: () => this._search() },
      verdicts.map(([value, words]) => h("option", { value }, words)),
    );
    box.value = kept.action ?? "";
    return {
      text: text("text", "Any text", "in names and arguments"),
      since: text("since", "Since", "2h, 14:00, yesterday", "24h"),
      until: text("until", "Until", "now"),
      server: text("server", "Server", "git*"),
      tool: text("tool", "Tool", "delete_*"),
      rule: text("rule", "Rule", "no-*"),
      action: { box, root: field("Verdict", box) },
    };
  }

  get _query() {
    return Object.fromEntries(Object.entries(this._inputs).map(([name, { box }]) => [name, box.value.trim()]));
  }

  _submit(event) {
    event.preventDefault();
    this._search();
  }

  _soon() {
    clearTimeout(this._timer);
    this._timer = setTimeout(() => this._search(), QUIET);
  }

  // The newest request counts; `older`: what the last one found goes on, unless something was typed since.
  async _search(older = false) {
    if (this._timer) older = false;
    clearTimeout(this._timer);
    this._timer = 0;
    const query = this._query;
    const asked = (this._asked = {});
    this.more.disabled = true;
    if (!older) this.count.textContent = "searching\u2026";
    try {
      const found = await read("record", { ...query, limit: PAGE, before: older ? this._older : "" });
      if (asked !== this._asked) return;
      const newest = found.records
        .toReversed()
        .map((item, at) => Object.assign(item, { id: item.id ?? `note-${item.time}-${at}` }));
      this._found = older ? [...this._found, ...newest] : newest;
      this._show(found);
    } catch (error) {
      if (asked === this._asked) this._failed(error, older);
    }
  }

  // What was found stays when only older ones did not come; it is no answer to another search.
  _failed(error, older) {
    if (!older) {
      this._found = [];
      this.more.hidden = true;
      this._list("");
    }
    this.more.disabled = false;
    fill(
      this.said,
      failure(error, () => this._search()),
    );
  }

  _list(told) {
    this.list.show(this._found);
    this.area.hidden = this._found.length === 0;
    this.count.textContent = told;
  }

  _show(found) {
    this._older = found.older ?? "";
    this.more.hidden = !this._older;
    this.more.disabled = false;
    this._list(plural(this._found.length, "record") + (this._older ? ", and older ones" : ""));
    fill(
      this.said,
      found.damaged > 0 && notice("ask", `${plural(found.damaged, "line")} of the record cannot be read`),
      this._found.length === 0 &&
        empty(
          "Nothing like that is on record",
          "Widen the time, or leave a field empty. `*` stands for any characters.",
        ),
    );
    for (const link of this.root.querySelectorAll("a.export"))
      link.href = address("export", { ...this._query, format: link.dataset.format });
  }

  _exports() {
    return [
      ["jsonl", "Export JSON"],
      ["csv", "Export CSV"],
    ].map(([format, text]) =>
      h(
        "a.button.export",
        { href: address("export", { format }), download: "", data: { format } },
        icon("download"),
        text,
      ),
    );
  }

  // An hour of a server is a search.
  _choose(server, { since, until }) {
    for (const [name, value] of Object.entries({ server, since, until })) this._inputs[name].box.value = value;
    this._search();
  }

  async _verify() {
    fill(this.chain, h("span.chain-state.faint", "checking the chain\u2026"));
    try {
      const found = await read("verify");
      const intact = found.intact ?? found.found === 0;
      const told = intact
        ? `chain is whole \u00b7 ${number(found.records ?? 0)} records`
        : `${plural(found.found ?? found.findings?.length ?? 1, "finding")}: the record was changed`;
      fill(this.chain, h(`span.chain-state.tone-${intact ? "allow" : "deny"}`, icon(intact ? "link" : "warn"), told));
      if (!intact)
        fill(
          this.said,
          (found.findings ?? [])
            .slice(0, 20)
            .map((remark) => notice("deny", foreign(`${remark.kind}: ${remark.text}`))),
        );
    } catch (error) {
      fill(this.chain, h("span.chain-state.tone-ask", foreign(error.message)));
    }
  }
}
