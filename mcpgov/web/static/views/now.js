// Now: is everything governed, what to do next, every server of every app, and the traffic as it happens.
//
// Law: what changes above the traffic does not move it. What is to be done keeps the height that it had when the view
// was opened; what comes later waits behind a press.

import { fill, h } from "../parts/dom.js";
import { icon } from "../parts/icons.js";
import { loading, quotedWords, hintWords } from "../parts/components.js";
import { KeptParts } from "../parts/kept_parts.js";
import { foreign, visible } from "../parts/visible.js";
import { number, plural, roughTime, duration, verdictWord } from "../parts/words.js";
import { sparkline } from "../charts/sparkline.js";
import { lastHour } from "../data/calls.js";
import { known, listen } from "../data/topics.js";
import { Traffic } from "../traffic/traffic.js";
import { serversPanel } from "./servers.js";

const MOST_TASKS = 4;
const QUESTION = "question-open"; // a problem that has a place of its own, on top of everything
const MARKS = { allow: "allow", quiet: "tools" };
const ROLL = 5000; // milliseconds: the minute that runs moves on without a call too

export class NowView {
  constructor() {
    this._parts = new KeptParts();
    this.traffic = new Traffic();
    this.chart = sparkline("calls per minute in the last hour");
    this.state = h("div.hero-state", loading(2));
    this.figures = h("dl.figures");
    this.next = h("div.next");
    this._taskList = h("ul");
    this._moreTasks = h("p.more-tasks");
    this._room = MOST_TASKS; // tasks that are shown
    this._held = false; // does the place for them keep its height?
    this._news = h("button.news", { type: "button", hidden: true, onclick: () => this._showAll(Infinity) });
    this._done = h("p.faint", "Nothing is left to do.");
    this._tasks = h(
      "section.tasks",
      { "aria-label": "what to do next" },
      h("h2.label", "What to do next"),
      this._taskList,
      this._moreTasks,
    );
    this.servers = serversPanel();
    this.root = h(
      "div.now",
      h("h1.hidden", "Now"),
      h("section.hero", { "aria-label": "state" }, this.state, h("div.hero-chart", this.figures, this.chart.root)),
      this.next,
      this.traffic.root,
      this.servers.root,
    );
    this._stops = [
      listen("status", (status) => this._status(status)),
      listen("minutes", () => this._minutes()),
      listen("calls", () => this._plan()),
    ];
    this._timer = setInterval(() => this._minutes(), ROLL);
    this._sizes = new ResizeObserver(() => this._resized());
    this._sizes.observe(document.documentElement);
    this._minutes();
  }

  close() {
    for (const stop of this._stops) stop();
    clearInterval(this._timer);
    this._sizes.disconnect();
    this.traffic.close();
    this.servers.close();
  }

  _status(status) {
    const problems = status.problems.filter((problem) => problem.reason_code !== QUESTION);
    const tone = toneOf(status, problems);
    const policy = status.policy;
    const rules = policy.error
      ? "the policy has an error"
      : `${plural(policy.rules, "rule")}, anything else is ${verdictWord(policy.default || "deny")}`;
    const up = status.daemon.uptime === null ? "" : `up ${roughTime(status.daemon.uptime)}`;
    fill(
      this.state,
      h(`div.hero-mark.tone-${tone}`, icon(MARKS[tone] ?? "warn")),
      h(
        "div",
        h("p.hero-title", foreign(status.locked ? "Locked: every call is denied" : sentence(status.summary))),
        h("p.hero-sub", [rules, up, `version ${visible(status.daemon.version)}`].filter(Boolean).join(" \u00b7 ")),
      ),
    );
    this._next(problems);
  }

  // Of many, those that do not fit are behind a press: the traffic stays in view.
  _next(problems) {
    this._problems = problems;
    const tasks = problems.map((problem) => this._parts.get(JSON.stringify(problem), "", () => task(problem)));
    const rest = tasks.length - this._room;
    const more = () => h("button.link", { type: "button", onclick: () => this._showAll(Infinity) });
    const button = this._parts.get("more", "", more);
    button.textContent = `and ${rest} more`;
    fill(this._taskList, tasks.slice(0, this._room));
    fill(this._moreTasks, rest > 0 && !this._held && button);
    this._news.hidden = !this._held || rest <= 0;
    this._news.textContent = `${rest} more to do`;
    if (!this._held) {
      fill(this.next, tasks.length > 0 && this._tasks, this._news);
      this._hold(tasks.length);
    } else fill(this.next, this._isPlaced && (tasks.length ? this._tasks : this._done), this._news);
    this._parts.sweep();
  }

  // From now on the place keeps this height.
  _hold(count) {
    this._isPlaced = count > 0;
    this._room = Math.min(count, this._room);
    this._held = true;
    this.next.classList.toggle("empty-place", count === 0);
    this.next.style.height = "";
    this.next.style.height = `${this.next.offsetHeight}px`;
  }

  // By a person's own press, or where the window has another size.
  _showAll(room) {
    this._held = false;
    this._room = room;
    this.next.style.height = "";
    this._next(this._problems);
  }

  _resized() {
    if (this._width === innerWidth) return;
    if (this._width && this._held) this._showAll(Math.max(this._room, MOST_TASKS));
    this._width = innerWidth;
  }

  _plan() {
    if (this._planned) return;
    this._planned = requestAnimationFrame(() => {
      this._planned = 0;
      this._minutes();
    });
  }

  _minutes() {
    const hour = lastHour();
    this.chart.draw(hour);
    const sum = (key) => hour.reduce((total, minute) => total + minute[key], 0);
    const speeds = (known("status")?.proxies ?? [])
      .map((proxy) => proxy.p50_us)
      .filter((us) => us !== null && us !== undefined)
      .sort((a, b) => a - b);
    const middle = speeds.length ? duration(speeds[Math.floor(speeds.length / 2)]) : "\u2013";
    const wanted = [
      ["calls this hour", number(sum("calls"))],
      ["stopped", number(sum("denied"))],
      ["added per call", middle],
    ];
    if (!this.figures.firstChild)
      fill(
        this.figures,
        wanted.map(([name]) => h("div", h("dt", name), h("dd", ""))),
      );
    wanted.forEach(([, value], at) => {
      const place = this.figures.children[at].lastChild;
      if (place.textContent !== value) place.textContent = value;
    });
  }
}

function toneOf(status, problems) {
  if (status.locked || problems.some((problem) => problem.level === "bad")) return "deny";
  if (problems.length) return "ask";
  return status.servers.length ? "allow" : "quiet"; // nothing is governed where nothing is
}

const task = (problem) =>
  h(
    `li.task.tone-${problem.level === "bad" ? "deny" : "ask"}`,
    icon("warn"),
    h("div", h("p.task-what", quotedWords(problem.what)), problem.hint && h("p.task-hint", hintWords(problem.hint))),
  );

const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);
