// Limits: what is spent of every budget, how fast servers may be called, and what the privacy guard found, as counts.

import { fill, h } from "../parts/dom.js";
import { empty, failure, loading } from "../parts/components.js";
import { foreign, visible } from "../parts/visible.js";
import { moment, number, plural, roughTime } from "../parts/words.js";
import { bar } from "../charts/bar.js";
import { read } from "../data/api.js";
import { appName } from "../data/apps.js";
import { listen } from "../data/topics.js";

const EVERY = 15_000; // milliseconds
const MOST_SHARES = 6; // of one limit, those with the least left
const UNNAMED = /^(?:[\w./~-]+:)?limit-\d+$/; // the name that a limit without one gets
const EACH = { 1: "a second", 60: "a minute", 3600: "an hour" };

export class LimitsView {
  constructor() {
    this._shown = new Map(); // what each part was drawn from: an idle page draws nothing
    this.trouble = h("div");
    this.budgets = h("div.stack", { hidden: true }, loading(4));
    this.privacy = h("section.card", { hidden: true }, h("h2", "Privacy findings"), loading(4));
    this.root = h(
      "div.stack",
      h(
        "header.view-head",
        h(
          "div",
          h("h1", "Limits"),
          h("p.lead", "What servers may cost, how fast they may be called, and what was kept from leaving."),
        ),
      ),
      this.trouble,
      this.budgets,
      this.privacy,
    );
    this._stops = [
      listen("policy", () => this._load()),
      listen("sections", ({ sections }) => this._sections(sections)),
    ];
    this._timer = setInterval(() => !document.hidden && this._load(), EVERY);
  }

  _sections(sections) {
    this.budgets.hidden = !sections.includes("budgets");
    this.privacy.hidden = !sections.includes("privacy");
    this._load();
  }

  close() {
    for (const stop of this._stops) stop();
    clearInterval(this._timer);
  }

  _load() {
    if (!this.budgets.hidden) this._get("budgets", {}, this.budgets, drawBudgets);
    if (!this.privacy.hidden) this._get("privacy", { days: 7 }, this.privacy, drawPrivacy);
  }

  async _get(path, given, box, draw) {
    try {
      const found = await read(path, given);
      const text = JSON.stringify(found);
      if (this._shown.get(path) === text) return;
      this._shown.set(path, text);
      fill(box, draw(found));
      fill(this.trouble);
    } catch (error) {
      // What is shown stays, where there is something.
      if (!this._shown.has(path)) fill(box);
      fill(
        this.trouble,
        failure(error, () => this._load()),
      );
    }
  }
}

function drawBudgets({ budgets, limits }) {
  const none = empty(
    "No budgets and no limits",
    "Write `[[budget]]` or `[[limit]]` into the policy to bound what servers may cost and how often they are called.",
    h("a.button", { href: "#policy/edit" }, "Open the policy"),
  );
  if (!budgets.length && !limits.length) return h("section.card", none);
  return [
    budgets.length > 0 && h("section.card", h("h2", "Budgets"), h("ul.budgets", budgets.map(budget))),
    limits.length > 0 && h("section.card", h("h2", "Rate limits"), h("ul.budgets", limits.map(limit))),
  ];
}

function budget(each) {
  const used = each.spent + each.held;
  const left = Math.max(0, each.limit - used);
  const told = `${amount(used)} of ${amount(each.limit)} ${visible(each.unit)}`;
  const resets = each.resets_at
    ? `begins anew ${moment(each.resets_at)}`
    : each.per === "total"
      ? "never begins anew"
      : `per ${each.per}`;
  return h(
    "li.budget",
    h(
      "div.budget-head",
      h(
        "span.budget-name",
        foreign(each.name),
        each.share && each.share !== "user" ? h("span.faint", " ", foreign(appName(each.share))) : null,
      ),
      h("span.budget-told", told),
    ),
    bar(used, each.limit, { label: `${visible(each.name)}: ${told}` }),
    h(
      "p.faint",
      used >= each.limit ? "used up: calls are denied" : `${amount(left)} left`,
      ` \u00b7 ${resets}`,
      each.held ? ` \u00b7 ${amount(each.held)} held by calls on their way` : "",
      each.raised ? ` \u00b7 raised by ${amount(each.raised)}` : "",
    ),
  );
}

function limit(each) {
  const counts = each.on === "question" ? "question" : "call";
  const rate = `${number(each.count)} in ${EACH[each.seconds] ?? roughTime(each.seconds)}`;
  const [title, aside] = UNNAMED.test(each.name)
    ? [`${plural(each.count, counts)} in ${EACH[each.seconds] ?? roughTime(each.seconds)}`, each.name]
    : [each.name, ""];
  const shares = Object.entries(each.left ?? {}).sort(([, a], [, b]) => a - b);
  const rest = shares.length - MOST_SHARES;
  const whose = each.each === "user" ? "one count for everything" : `one count for each ${visible(each.each)}`;
  return h(
    "li.budget",
    h(
      "div.budget-head",
      h("span.budget-name", foreign(title), aside && h("span.faint", " ", foreign(aside))),
      !aside && h("span.budget-told", rate),
    ),
    shares.slice(0, MOST_SHARES).map(([share, free]) => bucket(each, share, free, counts)),
    h(
      "p.faint",
      rest > 0 && `${number(rest)} more with at least as many free \u00b7 `,
      shares.length === 0 && `nothing is used: ${number(each.burst)} free \u00b7 `,
      `${plural(each.burst, counts)} at once \u00b7 ${whose}`,
    ),
  );
}

// What is free of one count; `share`: whose it is.
function bucket(each, share, free, counts) {
  const told = `${number(free)} of ${number(each.burst)} free`;
  return h(
    "div.bucket",
    h("div.bucket-head.faint", h("span.bucket-share", share ? foreign(each.each === "client" ? appName(share) : share) : ""), h("span", told)),
    bar(each.burst - free, each.burst, { label: `${visible(share || each.name)}: ${told}, as ${counts}s` }),
  );
}

function drawPrivacy({ kinds, total, days }) {
  const head = h(
    "h2",
    "Privacy findings",
    h("span.faint.count", `${plural(total, "finding")} in ${plural(days, "day")}`),
  );
  if (!kinds.length)
    return [
      head,
      empty(
        "Nothing was found",
        "No personal data or secret was seen in a call or an answer. Values are never kept, only counts.",
      ),
    ];
  const most = Math.max(...kinds.map((each) => each.count));
  const rows = [...kinds]
    .sort((a, b) => b.count - a.count)
    .map((each) =>
      h(
        "li.finding",
        h("span.finding-kind", foreign(each.kind.replaceAll("_", " "))),
        h("span.finding-server.faint", foreign(each.server)),
        bar(each.count, most, { warn: 2, label: `${each.count}` }),
        h("span.finding-count", number(each.count)),
      ),
    );
  return [head, h("p.faint", "Counts only: what was found is never kept."), h("ul.findings", rows)];
}

const amount = (value) => new Intl.NumberFormat("en-US", { maximumFractionDigits: 4 }).format(value);
