// Questions: the open ones in full, what was answered lately, and the yeses that still hold.

import { fill, h, word } from "../parts/dom.js";
import { chip, empty, failure, loading, verdict } from "../parts/components.js";
import { KeptParts } from "../parts/kept_parts.js";
import { foreign, shortPath, visible } from "../parts/visible.js";
import { ago, moment, roughTime } from "../parts/words.js";
import { change, read } from "../data/api.js";
import { repeatedRead } from "../data/repeated_read.js";
import { listen } from "../data/topics.js";
import { isByPerson, SCOPES } from "../questions/answering.js";

const WHERE = {
  app: "in the app",
  desktop: "on the desktop",
  terminal: "in the terminal",
  command: "by a command",
  page: "here",
};
const FOR = { once: "once", session: "this conversation", time: "for a time" };

export class QuestionsView {
  ownsOpenQuestions = true;

  constructor({ openQuestions }) {
    this._parts = new KeptParts();
    this._calmText = nothingWaits();
    this.slot = h("div.open-questions-slot", openQuestions.root);
    this.calm = h("div");
    this.ended = h("div", loading(3));
    this.trouble = h("div");
    this.grants = h("div", loading(3));
    this.longer = h(
      "section.card",
      { hidden: true },
      h("h2", "Allowed for longer"),
      h("p.faint", "Each holds until its end, or until you take it back."),
      this.trouble,
      this.grants,
    );
    this._load = repeatedRead(
      () => read("grants"),
      (found) => this._show(found),
      (error) => this._failed(error),
    );
    this.root = h(
      "div.stack",
      h(
        "header.view-head",
        h("div", h("h1", "Questions"), h("p.lead", "Calls that wait for a person, and what you have said to earlier ones.")),
      ),
      this.slot,
      this.calm,
      h("div.two", h("section.card", h("h2", "Recent answers"), this.ended), this.longer),
    );
    this._stops = [
      listen("questions", (news) => this._take(news)),
      listen("sections", ({ sections }) => this._sections(sections)),
    ];
  }

  close() {
    for (const stop of this._stops) stop();
  }

  _sections(sections) {
    const before = this.longer.hidden;
    this.longer.hidden = !sections.includes("grants");
    if (before && !this.longer.hidden) this._load();
  }

  _take(news) {
    fill(this.calm, news.waiting.length === 0 && this._calmText);
    fill(
      this.ended,
      news.ended.length
        ? h("ul.ended", news.ended.map(endedLine))
        : h("p.faint", "No question was asked in the last ten minutes."),
    );
    const answers = JSON.stringify(news.ended.map((view) => view.number));
    if (!this.longer.hidden && this._answers !== undefined && this._answers !== answers) this._load();
    this._answers = answers;
  }

  // What is shown stays.
  _failed(error) {
    if (!this._shown) fill(this.grants);
    fill(this.trouble, failure(error, this._load));
  }

  _show({ grants }) {
    this._shown = true;
    const part = (name, make) => this._parts.get(name, "", make);
    const all = () =>
      h("button", { type: "button", onclick: (event) => this._revoke(event, { every: true }) }, "Take all back");
    const lines = grants.map((grant) => this._parts.get(grant.grant, grant, () => this._grant(grant)));
    const list = part("list", () => h("ul.grants"));
    fill(list, lines);
    fill(this.trouble);
    fill(
      this.grants,
      lines.length ? list : h("p.faint", "You have allowed nothing beyond a single call."),
      lines.length > 1 && part("all", all),
    );
    this._parts.sweep();
  }

  _grant(grant) {
    const until =
      grant.term === "session"
        ? "until its conversation ends"
        : grant.until
          ? `until ${moment(grant.until)}`
          : (FOR[grant.term] ?? visible(grant.term));
    const what =
      grant.scope === "folder"
        ? ["anything in ", grant.folders.map((folder) => word(shortPath(folder)))]
        : (SCOPES[grant.scope] ?? visible(grant.scope));
    return h(
      "li.grant",
      h(
        "div",
        h("p", word(grant.target || grant.method), " on ", word(grant.server)),
        h("p.faint", what, ", ", until, ` \u00b7 given ${ago(Date.now() / 1000 - grant.made)}`),
      ),
      h(
        "button.small",
        {
          type: "button",
          data: { key: grant.grant },
          onclick: (event) => this._revoke(event, { grants: [grant.grant] }),
          "aria-label": `take back ${visible(grant.target || grant.method)} on ${visible(grant.server)}`,
        },
        "Take back",
      ),
    );
  }

  async _revoke(event, body) {
    if (!isByPerson(event)) return;
    const button = event.currentTarget;
    button.disabled = true;
    try {
      await change("revoke", body);
    } catch (error) {
      button.disabled = false;
      fill(this.trouble, failure(error));
      return;
    }
    this._load();
  }
}

const nothingWaits = () =>
  empty(
    "Nothing waits for you",
    "A call that needs a person is held: its question appears here, on top of every view and in this tab\u2019s title.",
  );

function endedLine(view) {
  const asked = view.question;
  const [action, text] =
    view.answer === "yes"
      ? ["allow", "allowed"]
      : view.answer === "no"
        ? ["deny", "denied"]
        : view.state === "expired"
          ? ["deny", "nobody answered"]
          : ["passed", "withdrawn"];
  const where = view.surface ? (WHERE[view.surface] ?? view.surface) : "";
  return h(
    "li.ended-line",
    verdict(action, text),
    h(
      "div",
      h("p", word(asked.target || asked.method), " on ", word(asked.server)),
      h(
        "p.faint",
        foreign(
          [
            where && `answered ${where}`,
            view.after ? `after ${roughTime(view.after)}` : "",
            ago(Date.now() / 1000 - view.asked_at),
          ]
            .filter(Boolean)
            .join(" \u00b7 "),
        ),
        view.suggests ? [" ", chip("you always say yes: see mcpgov approvals suggest", "log")] : "",
      ),
    ),
  );
}
