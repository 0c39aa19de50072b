// The open questions, on top of every view: cards that come and go with the stream, a badge in the title, keys.
//
// Laws: a card stands for one question as long as that is open, so what is chosen in it stays; one that is withdrawn
// goes at once; keys answer the card that is marked, and only while nobody types in a field and no dialog asks for
// something else; the focus goes from a card that is gone to the next one, or back to where it was before.

import { h } from "../parts/dom.js";
import { icon } from "../parts/icons.js";
import { plural } from "../parts/words.js";
import { listen } from "../data/topics.js";
import { QuestionCard } from "./question_card.js";
import { playSound } from "./sound.js";

const TITLE = document.title;

export class OpenQuestions {
  constructor() {
    this._cards = new Map();
    this._active = null;
    this._cameFrom = null; // what had the focus before one of the cards
    this._small = false;
    this._list = h("div.open-questions-cards");
    this._title = h("h2.open-questions-title");
    this._fold = h("button.ghost.small", { type: "button", onclick: () => this._resize(!this._small) });
    this._spoken = h("div.hidden", { role: "alert" });
    this.root = h(
      "section.open-questions",
      { "aria-label": "questions that wait for you", "aria-busy": "true", hidden: true }, // until the first news
      h("header.open-questions-head", h("span.open-questions-mark", icon("questions")), this._title, h("span.spacer"), this._fold),
      this._list,
    );
    document.body.append(this._spoken);
    listen("questions", (news) => this._take(news));
    this.root.addEventListener("focusin", ({ relatedTarget: from }) => {
      if (from && !this.root.contains(from)) this._cameFrom = from;
    });
    document.addEventListener("keydown", (event) => this._key(event));
    setInterval(() => this._tick(), 500);
    this._resize(false);
  }

  get count() {
    return this._cards.size;
  }

  _take({ waiting, heard }) {
    this.root.removeAttribute("aria-busy");
    const open = new Map(waiting.map((view) => [view.number, view]));
    const focused = this._list.contains(document.activeElement);
    let moved = false;
    for (const [number, card] of this._cards) {
      if (open.has(number)) continue;
      card.root.remove();
      this._cards.delete(number);
      moved = true;
    }
    // What slides into the place of one that is gone is not what the hand was about to answer.
    if (moved) for (const card of this._cards.values()) card.unsettle();
    const fresh = [];
    for (const view of waiting) {
      const card = this._cards.get(view.number);
      if (card) card.update(view, heard);
      else fresh.push(this._add(view, heard));
    }
    if (fresh.length) this._announce(fresh);
    this._mark();
    this._tell();
    if (focused && !this._list.contains(document.activeElement)) this._focusNext();
  }

  // The card itself, not its first button: what Enter would do there is not what the hand was about to do.
  _focusNext() {
    const back = this._cameFrom?.isConnected ? this._cameFrom : document.getElementById("main");
    (this._active?.root ?? back).focus({ preventScroll: !this._active });
  }

  _add(view, heard) {
    const card = new QuestionCard(view);
    card.update(view, heard);
    card.root.addEventListener("pointerenter", () => this._mark(card));
    card.root.addEventListener("focusin", () => this._mark(card));
    this._cards.set(view.number, card);
    this._list.append(card.root);
    return view;
  }

  _announce(fresh) {
    playSound();
    if (this._small) this._resize(false);
    this._spoken.textContent = `${fresh.at(-1).headline}. Press Y to allow once, S for this session, N to deny.`;
  }

  // The card that keys answer: the one pointed at, else the oldest.
  _mark(card) {
    const cards = [...this._cards.values()];
    if (card) this._active = card;
    if (!cards.includes(this._active)) {
      this._active = cards[0] ?? null;
      this._active?.unsettle();
    }
    for (const each of cards) each.setActive(each === this._active);
  }

  _tell() {
    const count = this._cards.size;
    this.root.hidden = count === 0;
    this._title.textContent = count === 1 ? "A question waits for you" : `${count} questions wait for you`;
    document.title = count ? `(${count}) ${plural(count, "question")} \u2013 ${TITLE}` : TITLE;
    document.getElementById("favicon").href = count ? "static/icon-asking.svg" : "static/icon.svg";
    for (const badge of document.querySelectorAll(".question-count")) {
      badge.textContent = count || "";
      badge.hidden = count === 0;
    }
  }

  _resize(small) {
    this._small = small;
    this.root.classList.toggle("small", small);
    this._fold.textContent = small ? "Show" : "Later";
    this._fold.setAttribute("aria-expanded", String(!small));
  }

  _tick() {
    for (const card of this._cards.values()) card.tick();
  }

  _key(event) {
    if (!this._active || event.ctrlKey || event.metaKey || event.altKey || isElsewhere(event)) return;
    const cards = [...this._cards.values()];
    const name = event.key.toLowerCase(); // Caps Lock may be on
    const step = { j: 1, k: -1 }[name];
    if (step) {
      const next = cards[(cards.indexOf(this._active) + step + cards.length) % cards.length];
      this._mark(next);
      next.root.scrollIntoView({ block: "nearest" });
    } else if (!this._small) this._active.press(event, name);
  }
}

// Is it for something else: a dialog that is open, or what is being typed?
const isElsewhere = ({ target, isComposing }) =>
  isComposing ||
  document.querySelector("dialog[open], [role='dialog'], [role='alertdialog']") !== null ||
  [target, document.activeElement].some(
    (at) => at?.closest?.("input, textarea, select, [contenteditable]") && at.type !== "radio",
  );
