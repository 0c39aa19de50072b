// Tools: what every server can do, what would happen before anybody calls it, what changed since it was accepted.

import { fill, h } from "../parts/dom.js";
import { empty, failure, loading } from "../parts/components.js";
import { KeptParts } from "../parts/kept_parts.js";
import { foreign } from "../parts/visible.js";
import { read } from "../data/api.js";
import { repeatedRead } from "../data/repeated_read.js";
import { listen } from "../data/topics.js";
import { ServerTools, waiting } from "./server_tools.js";

export class ToolsView {
  constructor({ rest }) {
    this._server = rest?.[0] ?? "";
    this._servers = null;
    this._parts = new KeptParts();
    this.search = h("input", {
      type: "search",
      placeholder: "find a tool",
      "aria-label": "find a tool",
      oninput: () => this._draw(),
    });
    this.trouble = h("div");
    this.list = h("div.tools-box", loading(8));
    this.picks = h("div.picks", { role: "group", "aria-label": "server" });
    this.root = h(
      "div.stack",
      h(
        "header.view-head",
        h(
          "div",
          h("h1", "Tools"),
          h("p.lead", "What each server can do, and what your policy says of it before anybody calls."),
        ),
        this.search,
      ),
      this.picks,
      this.trouble,
      this.list,
    );
    this._load = repeatedRead(
      () => read("tools"),
      (found) => this._show(found),
      (error) => this._failed(error),
    );
    this._stops = [listen("tools", this._load), listen("policy", this._load)];
    this._load();
  }

  close() {
    for (const stop of this._stops) stop();
  }

  go(rest) {
    if (rest?.[0]) this._pick(rest[0]);
  }

  _show({ servers }) {
    this._servers = servers;
    fill(this.trouble);
    this._draw();
  }

  // What is shown stays: somebody may be deciding in it.
  _failed(error) {
    fill(this.trouble, failure(error, this._load));
    if (!this._servers) fill(this.list);
  }

  _pick(server) {
    this._server = server;
    this._draw();
  }

  _draw() {
    if (!this._servers) return;
    fill(this.picks, this._servers.length > 0 && this._picks());
    fill(this.list, this._cards());
    this._parts.sweep();
  }

  _picks() {
    const all = this._servers.reduce((total, server) => total + waiting(server), 0);
    return [
      this._onePick("", "All servers", all),
      this._servers.map((server) => this._onePick(server.server, foreign(server.server), waiting(server))),
    ];
  }

  _onePick(name, text, count) {
    const button = this._parts.get(`pick ${name}`, count, () =>
      h(
        "button.pick",
        { type: "button", data: { key: `pick-${name}` }, onclick: () => this._pick(name) },
        h("span.pick-name", text),
        count ? h("span.pick-count", { title: "new or changed" }, count) : null,
      ),
    );
    button.setAttribute("aria-pressed", String(this._server === name));
    return button;
  }

  _cards() {
    if (!this._servers.length)
      return empty(
        "No tools seen yet",
        "Start one of your apps: when it lists a governed server\u2019s tools, they appear here.",
      );
    const sought = this.search.value.toLowerCase();
    const cards = [...this._servers]
      .sort((a, b) => (waiting(b) > 0) - (waiting(a) > 0))
      .filter((server) => !this._server || server.server === this._server)
      .map((server) => this._card(server, sought))
      .filter(Boolean);
    return cards.length ? cards : empty("No such tool", "No server has shown a tool with that in its name.");
  }

  _card(server, sought) {
    const found = server.tools.filter((tool) => tool.tool.toLowerCase().includes(sought));
    if (!found.length) return null;
    const card = this._parts.get(`server ${server.server}`, "", () => new ServerTools(server.server, this._load));
    card.draw(server, found);
    return card.root;
  }
}
