// One day of the record at a glance: its hours, as the clock of the machine has them, and other days to choose.

import { fill, h } from "../parts/dom.js";
import { empty, failure, loading } from "../parts/components.js";
import { number, plural } from "../parts/words.js";
import { heatLegend, heatMap } from "../charts/heat_map.js";
import { read } from "../data/api.js";

export class RecordDay {
  // `choose(server, {since, until})`: an hour of a server is wanted.
  constructor(choose) {
    this._choose = choose;
    this.place = h("div.heat-place", loading(4));
    this.root = h("section.card", { "aria-label": "the day" }, this.place);
    this._load("");
  }

  async _load(day) {
    try {
      this._show(await read("heat", { day }));
    } catch (error) {
      fill(
        this.place,
        failure(error, () => this._load(day)),
      );
    }
  }

  _show(found) {
    const days = [...new Set([found.day, ...(found.days ?? [])])].sort().reverse();
    const choose = h(
      "select",
      { "aria-label": "day", onchange: (event) => this._load(event.target.value) },
      days.map((each) => h("option", { value: each }, each)),
    );
    choose.value = found.day;
    const map = found.rows.length > 0 && heatMap(found, this._choose);
    fill(
      this.place,
      h(
        "div.traffic-head",
        h("h2", "The day"),
        h("span.faint.count", `${plural(found.total.calls, "call")}, ${number(found.total.denied)} denied`),
        h("span.spacer"),
        choose,
      ),
      map ? [map.root, heatLegend()] : empty("A quiet day", "No server was called."),
    );
    map?.reveal();
  }
}
