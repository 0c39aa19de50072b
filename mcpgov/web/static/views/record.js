// Record: everything that was decided, searched; a day at a glance; is the chain whole; take it along.

import { fill, h } from "../parts/dom.js";
import { icon } from "../parts/icons.js";
import { empty, failure, field, loading, notice } from "../parts/components.js";
import { foreign } from "../parts/visible.js";
import { number, plural } from "../parts/words.js";
import { VirtualList } from "../parts/virtual_list.js";
import { heatMap } from "../charts/heat_map.js";
import { address, read } from "../data/api.js";
import { callDetail, callLine } from "../traffic/call_row.js";

const PAGE = 200;
const QUIET = 350; // milliseconds without a key before it is searched

export class RecordView {
  constructor() {
    this._found = [];
    this._inputs = this._fields();
    this.list = new VirtualList({ label: "records, newest first", make: callLine, detail: callDetail });
    this.more = h("button", { type: "button", hidden: true, onclick: () => this._search(true) }, "Show older ones");
    this.said = h("div", { "aria-live": "polite" });
    this.count = h("span.faint.count");
    this.heat = h("div.heat-place", loading(4));
    this.chain = h("div.chain", { role: "status" });
    this.root = h(
      "div.stack",
      h(
        "header.view-head",
        h("div", h("h1", "Record"), h("p.lead", "Every decision, chained so that a changed or missing line shows.")),
        h("div.buttons.record-tools", this.chain, this._exports()),
      ),
      h("section.card", { "aria-label": "the day" }, this.heat),
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
        h("div.traffic-area", this.list.root),
        h("div.buttons", this.more),
      ),
    );
    this._search();
    this._heat();
    this._verify();
  }

  close() {
    clearTimeout(this._timer);
  }

  _fields() {
    const text = (label, placeholder, value = "") => {
      const box = h("input", {
        type: "search",
        value,
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
    return {
      text: text("Any text", "in names and arguments"),
      since: text("Since", "2h, 14:00, yesterday", "24h"),
      until: text("Until", "now"),
      server: text("Server", "git*"),
      tool: text("Tool", "delete_*"),
      rule: text("Rule", "no-*"),
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

  async _search(older = false) {
    const query = this._query;
    const asked = (this._asked = JSON.stringify(query));
    const before = older ? this._found.at(-1)?.time : undefined;
    if (!older) this.count.textContent = "searching\u2026";
    try {
      const found = await read("record", { ...query, limit: PAGE, before });
      if (asked !== this._asked) return;
      const newest = found.records
        .toReversed()
        .map((item, at) => Object.assign(item, { id: item.id ?? `note-${item.time}-${at}` }));
      this._found = older ? [...this._found, ...newest] : newest;
      this._show(found);
    } catch (error) {
      if (asked === this._asked)
        fill(
          this.said,
          failure(error, () => this._search()),
        );
    }
  }

  _show(found) {
    this.list.show(this._found);
    this.list.root.hidden = this._found.length === 0;
    this.more.hidden = !found.more;
    this.count.textContent = plural(this._found.length, "record") + (found.more ? ", and older ones" : "");
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

  async _heat(day = "") {
    try {
      const found = await read("heat", { day });
      const days = found.days ?? [];
      const choose = h(
        "select",
        { "aria-label": "day", onchange: (event) => this._heat(event.target.value) },
        days.toReversed().map((each) => h("option", { value: each }, each)),
      );
      choose.value = found.day;
      const title = h(
        "div.traffic-head",
        h("h2", "The day"),
        h("span.faint.count", `${plural(found.total.calls, "call")}, ${number(found.total.denied)} denied`),
        h("span.spacer"),
        days.length > 0 && choose,
      );
      fill(
        this.heat,
        title,
        found.rows.length
          ? heatMap(found.rows, (server, hour) => this._choose(found.day, server, hour))
          : empty("A quiet day", "No server was called."),
      );
    } catch (error) {
      fill(
        this.heat,
        failure(error, () => this._heat(day)),
      );
    }
  }

  // A cell of the map is a search: this server, within this hour.
  _choose(day, server, hour) {
    const two = (value) => String(value).padStart(2, "0");
    this._inputs.server.box.value = server;
    this._inputs.since.box.value = `${day} ${two(hour)}:00`;
    this._inputs.until.box.value = `${day} ${two(hour)}:59:59`;
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
