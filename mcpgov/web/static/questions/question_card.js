// One question: who wants what, why we ask, how long it waits, and the answers with a key each.

import { h, newId, word } from "../parts/dom.js";
import { chip, failure, key } from "../parts/components.js";
import { foreign, shortPath } from "../parts/visible.js";
import { countdown, plural } from "../parts/words.js";
import { jsonView } from "../parts/json_view.js";
import { timeRing } from "../charts/time_ring.js";
import { appName } from "../data/apps.js";
import { clipped } from "../parts/clipped.js";
import { approve, deny, isByPerson, SCOPES_SHORT, SETTLE } from "./answering.js";
import { LongerGrant } from "./longer_grant.js";

const WANTS = {
  "elicitation/create": "wants to ask you something",
  "sampling/createMessage": "wants to use your app\u2019s model",
};

export class QuestionCard {
  constructor(view) {
    this.number = view.number;
    this._sent = false;
    this._settled = performance.now() + SETTLE;
    this._ring = timeRing();
    this._left = h("span.left-time", { role: "timer" });
    this._said = h("div.question-said", { "aria-live": "polite" });
    this._calls = h("p.question-calls");
    this._scope = h("span.answer-scope");
    this.root = h("article.question", {
      "aria-labelledby": newId("question"),
      tabindex: -1,
      data: { number: view.number },
    });
    this._draw(view);
    this.update(view);
  }

  // What may change while it waits: how long, and how many calls hang on it.
  update(view, heard = performance.now()) {
    this.deadline = heard + view.remaining * 1000;
    this._whole = Math.max(this._whole ?? 0, view.remaining);
    this._calls.hidden = view.calls < 2;
    this._calls.textContent = `${plural(view.calls, "call")} wait for this answer`;
    this.tick();
  }

  tick() {
    const left = Math.max(0, (this.deadline - performance.now()) / 1000);
    this._left.textContent = countdown(left);
    this._ring.draw(this._whole ? left / this._whole : 0);
    this.root.classList.toggle("urgent", left < 10);
  }

  // It has moved, or keys answer it now that meant another: the hand must find it again.
  unsettle() {
    this._settled = performance.now() + SETTLE;
  }

  setActive(active) {
    this.root.classList.toggle("active", active);
  }

  // A key of the keyboard: y once, s this conversation, n no.
  press(event, name) {
    const act = { y: () => this._once(event), s: () => this._session(event), n: () => this._no(event) }[name];
    act?.();
  }

  _draw(view) {
    const asked = view.question;
    const tool = asked.target || asked.method;
    const title = h(
      "h3.question-title",
      { id: this.root.getAttribute("aria-labelledby") },
      word(asked.server),
      WANTS[asked.method]
        ? ` ${WANTS[asked.method]}`
        : [asked.method.startsWith("answer") ? " wants to hand over the answer of " : " wants to run ", word(tool)],
    );
    const classes = (asked.operations ?? []).map((name) => chip(name, name === "read" ? "log" : "ask"));
    this.root.append(
      h(
        "header.question-head",
        h(
          "div.question-who",
          title,
          h(
            "p.question-from",
            classes,
            h(
              "span",
              " asked in ",
              foreign(asked.client ? appName(asked.client) : "an unknown app"),
              asked.project ? [", project ", foreign(shortPath(asked.project))] : "",
            ),
          ),
        ),
        h("div.question-time", this._ring.root, this._left),
      ),
      this._about(asked),
      this._calls,
      this._answers(view),
      this._said,
    );
  }

  _about(asked) {
    const leads = [
      ...(asked.paths ?? []),
      ...(asked.hosts ?? []).map((place) => ({ ...place, leads: [place.host] })),
    ].filter((place) => place.leads?.length && place.leads.some((lead) => shortPath(lead) !== asked.shown?.[place.at]));
    const rule =
      asked.asked_by === "(default)"
        ? "no rule allows it"
        : asked.asked_by === "(pin)"
          ? "the tool is new or has changed"
          : [word(asked.asked_by), asked.line ? h("span.faint", ` line ${asked.line}`) : ""];
    return h(
      "div.question-about",
      Object.keys(asked.shown ?? {}).length
        ? clipped("arguments", jsonView(asked.shown))
        : h("p.faint", "no arguments"),
      leads.map((place) =>
        h(
          "p.leads",
          foreign(place.at),
          " leads to ",
          place.leads.map((lead) => word(shortPath(lead))),
        ),
      ),
      asked.masked?.length ? h("p.faint", "masked: ", foreign(asked.masked.join(", "))) : null,
      asked.complete === false ? h("p.faint", "there are more paths than can be shown here") : null,
      h(
        "p.question-why",
        h("span.faint", "asks because "),
        asked.message ? [foreign(asked.message), h("span.faint", " \u00b7 "), rule] : rule,
      ),
    );
  }

  _answers(view) {
    const may = (term) => view.terms.includes(term);
    if (!view.terms.length) return h("p.faint", "This question is answered in the app itself.");
    const longer = may("time") || may("always");
    this._more =
      longer &&
      h(
        "button.link.more",
        { type: "button", "aria-expanded": "false", onclick: () => this._unfold(view) },
        "For longer\u2026",
      );
    this._forSession = h(
      "button.session",
      { type: "button", onclick: (event) => this._session(event) },
      h("span", "This session", this._scope),
      key("S"),
    );
    this._tellScope();
    return h(
      "div.answers",
      may("once") && h("button.yes", { type: "button", onclick: (event) => this._once(event) }, "Allow once", key("Y")),
      may("session") && this._forSession,
      h("button.no", { type: "button", onclick: (event) => this._no(event) }, "Deny", key("N")),
      this._more,
    );
  }

  _unfold(view) {
    const send = (event, choice) => this._send(event, () => approve(this.number, choice));
    this._longer ??= new LongerGrant(view, send, () => this._tellScope());
    const open = !this._longer.root.isConnected;
    if (open) this._said.before(this._longer.root);
    else this._longer.root.remove();
    this._more.setAttribute("aria-expanded", String(open));
    this._tellScope();
  }

  // INVARIANT: more than exactly this call is allowed only while the rule that it would be is in view.
  get _sessionScope() {
    return this._longer?.root.isConnected ? this._longer.scope : "exact";
  }

  _tellScope() {
    const scope = this._sessionScope;
    this._scope.textContent = SCOPES_SHORT[scope] ?? scope;
    this._enable(!this._sent);
  }

  _once(event) {
    return this._send(event, () => approve(this.number, { term: "once", scope: "exact" }));
  }

  _session(event) {
    const scope = this._sessionScope;
    if (this._isUnseen(scope)) return undefined;
    return this._send(event, () => approve(this.number, { term: "session", scope }));
  }

  _isUnseen(scope) {
    return scope !== "exact" && !this._longer.isShown;
  }

  _no(event) {
    return this._send(event, () => deny(this.number));
  }

  async _send(event, ask) {
    if (!isByPerson(event) || this._sent || performance.now() < this._settled) return;
    event.preventDefault();
    this._sent = true;
    // A button that is switched off under the focus loses it.
    if (this.root.contains(document.activeElement)) this.root.focus({ preventScroll: true });
    this._enable(false);
    this._said.replaceChildren(h("p.faint.working", "your answer is on its way"));
    try {
      await ask();
      this._said.replaceChildren(h("p.faint", "answered"));
    } catch (error) {
      this._sent = false;
      this._enable(true);
      this._said.replaceChildren(failure(error));
    }
  }

  _enable(on) {
    this.root.classList.toggle("sent", !on);
    for (const button of this.root.querySelectorAll("button")) button.disabled = !on;
    if (!on) return;
    this._longer?.enable();
    if (this._forSession) this._forSession.disabled = this._isUnseen(this._sessionScope);
  }
}
