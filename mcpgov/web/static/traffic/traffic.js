// The live list: what every governed server is asked right now.
//
// Law: nothing moves under a pointer. While the list is paused, pointed at, or has an open row, new calls wait above
// it and are counted; scrolled down, what is read stays where it is.

import { h } from "../parts/dom.js";
import { icon } from "../parts/icons.js";
import { empty } from "../parts/components.js";
import { visible } from "../parts/visible.js";
import { number, plural } from "../parts/words.js";
import { VirtualList } from "../parts/virtual_list.js";
import { allCalls, MOST_CALLS, wasStopped } from "../data/calls.js";
import { listen } from "../data/topics.js";
import { callDetail, callLine } from "./call_row.js";
import { Filters } from "./filters.js";

const SAY_EVERY = 5000; // milliseconds between two words to a screen reader

export class Traffic {
  constructor() {
    this._shown = []; // newest first
    this._waiting = []; // oldest first, not shown yet
    this._paused = false;
    this._pointed = false;
    this._unsaid = 0;
    this.filters = new Filters(() => this._again());
    this.list = new VirtualList({
      label: "calls, newest first",
      make: callLine,
      detail: callDetail,
      onOpen: () => this._flow(),
    });
    this.pause = h(
      "button.ghost",
      { type: "button", "aria-pressed": "false", onclick: () => this._pause() },
      icon("pause"),
      h("span.pause-word", "Pause"),
    );
    this.news = h("button.news", { type: "button", hidden: true, onclick: () => this._release() });
    this.count = h("span.faint.count");
    this.missed = h("a.count", { href: "#record", hidden: true });
    this.nothing = h("div.traffic-empty");
    this.spoken = h("div.hidden", { role: "status", "aria-live": "polite" });
    const area = h("div.traffic-area", this.list.root, this.news, this.nothing);
    area.addEventListener("pointerenter", (event) => this._point(event.pointerType === "mouse"));
    area.addEventListener("pointerleave", () => this._point(false));
    const head = h("div.traffic-head", h("h2", "Live traffic"), this.count, this.missed, h("span.spacer"), this.pause);
    this.root = h(
      "section.card.traffic",
      { "aria-label": "live traffic" },
      head,
      this.filters.root,
      h(
        "div.columns",
        { "aria-hidden": "true" },
        ["time", "verdict", "server / tool", "arguments", "rule", "added"].map((name) => h("span", name)),
      ),
      area,
      this.spoken,
    );
    this._stops = [listen("calls", (news) => this._take(news)), listen("dropped", (news) => this._missed(news))];
    this._again();
  }

  close() {
    for (const stop of this._stops) stop();
  }

  // The browser did not keep up: what is not here is in the record.
  _missed({ count }) {
    this.missed.hidden = false;
    this.missed.textContent = `${plural(count, "call")} came too fast to be shown: see the record`;
  }

  get held() {
    return this._paused || this._pointed || this.list.opened !== null;
  }

  _take({ added, changed, fresh, dropped }) {
    this.filters.learn(added);
    this._speak(added);
    for (const call of changed) this.list.refresh(call);
    if (fresh || (dropped && !this.held)) return this._again();
    const matching = added.filter((call) => this.filters.matches(call));
    if (this.held) {
      this._waiting = [...this._waiting, ...matching].slice(-MOST_CALLS);
      this._tellNews();
    } else this._prepend(matching);
    this._tellCount();
  }

  _prepend(calls) {
    if (!calls.length) return;
    this._shown = [...calls.toReversed(), ...this._shown];
    this.list.show(this._shown, calls.length);
    this._tellEmpty();
  }

  // Everything anew: another filter, or another list after a reconnect.
  _again() {
    this._waiting = [];
    this.filters.learn(allCalls());
    const opened = this.list.opened;
    this._shown = allCalls()
      .filter((call) => this.filters.matches(call))
      .reverse();
    // One that is being read stays, also where it is too old for the page to hold.
    if (opened && this.filters.matches(opened) && !this._shown.includes(opened)) this._shown.push(opened);
    this.list.show(this._shown);
    this._tellNews();
    this._tellCount();
    this._tellEmpty();
  }

  _release() {
    this.list.root.scrollTop = 0;
    this._prepend(this._waiting.splice(0));
    this._tellNews();
  }

  _flow() {
    if (!this.held && this._waiting.length) this._prepend(this._waiting.splice(0));
    this._tellNews();
  }

  _point(inside) {
    this._pointed = inside;
    this._flow();
  }

  _pause() {
    this._paused = !this._paused;
    this.pause.setAttribute("aria-pressed", String(this._paused));
    this.pause.replaceChildren(
      icon(this._paused ? "play" : "pause"),
      h("span.pause-word", this._paused ? "Go on" : "Pause"),
    );
    this._flow();
  }

  _tellNews() {
    this.news.hidden = this._waiting.length === 0;
    this.news.textContent = `${plural(this._waiting.length, "new call")} \u2191`;
  }

  _tellCount() {
    const shown = this._shown.length + this._waiting.length;
    this.count.textContent = this.filters.active
      ? `${number(shown)} of ${number(allCalls().length)}`
      : plural(shown, "call");
  }

  _tellEmpty() {
    this.nothing.hidden = this._shown.length > 0;
    if (this._shown.length) return;
    const clear = h("button", { type: "button", onclick: () => this.filters.clear() }, "Show all calls");
    this.nothing.replaceChildren(
      this.filters.active
        ? empty("No call is like that", "Nothing that has happened since matches these filters.", clear)
        : empty(
            "No calls yet",
            "Use one of your AI apps: each call that it makes appears here the moment it is judged.",
          ),
    );
  }

  // Not each call: what was stopped is told at once, the rest as a count.
  _speak(added) {
    this._unsaid += added.filter((call) => call.type === "call").length;
    const stopped = added.filter(wasStopped).at(-1);
    if (stopped)
      this.spoken.textContent = `${visible(stopped.tool ?? stopped.method)} on ${visible(stopped.server)} was denied`;
    if (this._speaking || !this._unsaid) return;
    this._speaking = setTimeout(() => {
      this._speaking = null;
      if (this._unsaid) this.spoken.textContent = plural(this._unsaid, "new call");
      this._unsaid = 0;
    }, SAY_EVERY);
  }
}
