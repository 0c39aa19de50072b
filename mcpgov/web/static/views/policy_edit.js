// The policy file in the page: checked while it is typed, shown as a diff, and saved only if the file is still the one
// that was read.

import { fill, h } from "../parts/dom.js";
import { diffView } from "../parts/diff_view.js";
import { failure, loading, notice, quotedWords, hintWords } from "../parts/components.js";
import { shortPath, visible } from "../parts/visible.js";
import { number, plural } from "../parts/words.js";
import { change, read } from "../data/api.js";
import { isByPerson } from "../questions/answering.js";
import { CodeBox } from "./code_box.js";
import { draft } from "./policy_draft.js";

const LONGEST = 512 * 1024; // characters that the service takes
const QUIET = 300; // milliseconds without a key before the text is checked

export class PolicyEditor {
  constructor() {
    this.code = new CodeBox("policy file", LONGEST, () => this._typed());
    this.state = h("div.edit-state", { role: "status" });
    this.problems = h("div.edit-problems");
    this.changes = h("div.edit-changes");
    this.said = h("div.edit-said", { "aria-live": "assertive" });
    this.save = h("button.yes", { type: "button", disabled: true, onclick: (event) => this._save(event) }, "Save");
    this.undo = h("button", { type: "button", disabled: true, onclick: () => this._load(true) }, "Discard changes");
    this.file = h("p.faint");
    this.root = h(
      "div.edit",
      h("section.card.edit-card", h("div.edit-head", this.file, this.state), this.code.root),
      h(
        "section.card.edit-side",
        h("h2", "Before it is saved"),
        this.said,
        this.problems,
        this.changes,
        h("div.buttons", this.save, this.undo, h("a.button", { href: "#policy/try" }, "Try a call")),
      ),
    );
    if (draft.text !== null) this.code.text = draft.text; // at once, whatever the service does
    this._load(false);
  }

  close() {
    clearTimeout(this._timer);
    if (this._disk === undefined) {
      if (draft.text !== null) draft.text = this.code.text; // the file was not read yet
      return;
    }
    const dirty = this.code.text !== this._disk;
    Object.assign(draft, { text: dirty ? this.code.text : null, digest: this._digest });
  }

  async _load(discard) {
    try {
      const policy = await read("policy");
      const kept = discard ? null : draft.text;
      this._disk = policy.text;
      this._digest = kept === null ? policy.digest : draft.digest;
      this.file.textContent = visible(shortPath(policy.file));
      if (discard || !this.code.isShown) this.code.text = policy.text;
      this.code.root.classList.toggle("read-only", policy.writable === false);
      fill(this.said, policy.writable === false && notice("ask", "This file is not yours to write."));
      this._check();
    } catch (error) {
      fill(
        this.said,
        failure(error, () => this._load(discard)),
      );
    }
  }

  _typed() {
    this.save.disabled = true;
    this.state.textContent = "\u2026";
    clearTimeout(this._timer);
    this._timer = setTimeout(() => this._check(), QUIET);
  }

  // The newest text counts; an answer to an older one is not shown.
  async _check() {
    if (this._disk === undefined) return; // it is checked once the file was read
    const text = this.code.text;
    if (text.length > LONGEST) return this._tooLong();
    if (!this.changes.firstChild) fill(this.changes, loading(3));
    try {
      const found = await change("policy/check", { text });
      if (text === this.code.text) this._show(found);
    } catch (error) {
      if (text !== this.code.text) return;
      if (error.code === "too-many") this._timer = setTimeout(() => this._check(), 2 * QUIET);
      else
        fill(
          this.said,
          failure(error, () => this._check()),
        );
    }
  }

  _tooLong() {
    fill(this.changes);
    fill(this.problems, notice("deny", `This is too long: a policy has at most ${number(LONGEST)} characters.`));
    this.state.className = "edit-state tone-deny";
    this.state.textContent = "too long";
    this.undo.disabled = false;
  }

  _show(found) {
    const errors = found.problems.filter((problem) => problem.level === "error");
    const dirty = this.code.text !== this._disk;
    this.code.mark(found.problems.filter((problem) => problem.line));
    this.state.className = `edit-state tone-${found.valid ? "allow" : "deny"}`;
    this.state.textContent = found.valid
      ? `${plural(found.rules, "rule")}, then ${found.default}`
      : plural(errors.length, "error");
    fill(
      this.problems,
      found.problems.map((problem) => this._problem(problem)),
    );
    fill(
      this.changes,
      dirty
        ? [h("h3.label", "what would change"), diffView(found.diff)]
        : h(
            "p.faint",
            "Nothing is changed. Type in the text: it is checked as you go, and takes effect only when you save.",
          ),
    );
    this.save.disabled = !found.valid || !dirty;
    this.undo.disabled = !dirty;
    if (found.digest !== this._digest) this._moved();
    else if (this._conflict) {
      this._conflict = false;
      fill(this.said);
    }
  }

  _problem(problem) {
    const go = problem.line
      ? h("button.link", { type: "button", onclick: () => this.code.go(problem.line) }, `line ${problem.line}`)
      : null;
    return notice(
      problem.level === "error" ? "deny" : "ask",
      [go, go ? ": " : "", quotedWords(problem.message)],
      problem.hint && h("p", hintWords(problem.hint)),
    );
  }

  // Somebody else has written the file since it was read: saving would overwrite that unseen.
  _moved() {
    this._conflict = true;
    this.save.disabled = true;
    fill(
      this.said,
      notice(
        "ask",
        "The file was changed on disk since you opened it. Nothing of yours is lost: compare below, then choose.",
        h(
          "div.buttons",
          h("button", { type: "button", onclick: () => this._rebase() }, "Go on with my text"),
          h("button", { type: "button", onclick: () => this._load(true) }, "Take the file on disk"),
        ),
      ),
    );
  }

  async _rebase() {
    try {
      const policy = await read("policy");
      this._disk = policy.text;
      this._digest = policy.digest;
      fill(this.said);
      this._check();
    } catch (error) {
      fill(this.said, failure(error));
    }
  }

  async _save(event) {
    if (!isByPerson(event)) return;
    this.save.disabled = true;
    const text = this.code.text;
    try {
      const done = await change("policy/save", { text, digest: this._digest });
      this._disk = text;
      this._digest = done.digest;
      fill(this.said, notice("allow", "Saved. It holds from the next call on."));
      this._check();
    } catch (error) {
      if (error.code === "changed") this._moved();
      else fill(this.said, failure(error));
      if (error.problems?.length)
        fill(
          this.problems,
          error.problems.map((problem) => this._problem(problem)),
        );
    }
  }
}
