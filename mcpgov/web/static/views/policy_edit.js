// The policy file in the page: checked while it is typed, shown as a diff, and saved only if the file is still the one
// that was read.

import { fill, h, word } from "../parts/dom.js";
import { diffView } from "../parts/diff_view.js";
import { failure, loading, notice } from "../parts/components.js";
import { shortPath, visible } from "../parts/visible.js";
import { number, plural } from "../parts/words.js";
import { change, read } from "../data/api.js";
import { isByPerson } from "../questions/answering.js";
import { confirm } from "../shell/dialog.js";
import { CodeBox } from "./code_box.js";
import { draft } from "./policy_draft.js";
import { problemNotice } from "./policy_problem.js";
import { asFile, asTyped, without } from "./policy_text.js";

const LONGEST = 512 * 1024; // characters that the service takes
const QUIET = 300; // milliseconds without a key before the text is checked

export class PolicyEditor {
  // `["without", rule]`: the text is shown as it would be without that rule.
  constructor(rest = []) {
    this.code = new CodeBox("policy file", LONGEST, () => this._typed());
    this.state = h("div.edit-state", { role: "status" });
    this.problems = h("div.edit-problems");
    this.changes = h("div.edit-changes");
    this.said = h("div.edit-said", { "aria-live": "assertive" });
    this.save = h("button.yes", { type: "button", disabled: true, onclick: (event) => this._save(event) }, "Save");
    this.undo = h("button", { type: "button", disabled: true, onclick: () => this._discard() }, "Discard changes");
    this.file = h("p.faint");
    this.root = h(
      "div.edit",
      h("div.edit-told", this.said, this.problems),
      h("section.card.edit-card", h("div.edit-head", this.file, this.state), this.code.root),
      h(
        "section.card.edit-side",
        h("h2", "Before it is saved"),
        this.changes,
        h("div.buttons", this.save, this.undo, h("a.button", { href: "#policy/try" }, "Try a call")),
      ),
    );
    if (draft.text !== null) this.code.text = draft.text; // at once, whatever the service does
    this._load(false);
    this.go(rest);
  }

  go([what, rule]) {
    if (what !== "without" || !rule) return;
    this._without = rule;
    if (this._disk !== undefined) this._take();
  }

  // The rule is taken out of the text that is shown; the file changes only when that is saved.
  _take() {
    const [rule, text] = [this._without, without(this.code.text, this._without)];
    this._without = "";
    if (text === null) {
      const told = [word(rule), " is not in this text as mcpgov writes rules: take it out by hand."];
      fill(this.said, notice("ask", told));
      return;
    }
    this.code.text = text;
    this._check();
  }

  close() {
    clearTimeout(this._timer);
    if (this._disk === undefined) {
      if (draft.text !== null) draft.text = this.code.text; // the file was not read yet
      return;
    }
    Object.assign(draft, { text: this._isDirty ? this.code.text : null, digest: this._digest });
  }

  get _isDirty() {
    return this.code.text !== asTyped(this._disk);
  }

  // As the file would hold it: with its own line ends.
  get _text() {
    return asFile(this.code.text, this._disk);
  }

  async _discard() {
    const told = "What you have typed is gone then; the file stays as it is.";
    if (await confirm("Discard your changes?", told, "Discard them", "no")) this._load(true);
  }

  async _load(discard) {
    this._busy("loading\u2026");
    try {
      const policy = await read("policy/text");
      const kept = discard ? null : draft.text;
      this._disk = policy.text;
      this._digest = kept === null ? policy.digest : draft.digest;
      this.file.textContent = visible(shortPath(policy.file));
      if (discard || !this.code.isShown) this.code.text = asTyped(policy.text);
      this.code.root.classList.toggle("read-only", policy.writable === false);
      fill(this.said, policy.writable === false && notice("ask", "This file is not yours to write."));
      if (this._without) this._take();
      this._check();
    } catch (error) {
      this._busy("");
      fill(
        this.said,
        failure(error, () => this._load(discard)),
      );
    }
  }

  // What is under way is said at once; "": nothing is.
  _busy(what) {
    this.state.className = "edit-state tone-quiet";
    this.state.textContent = what;
    if (what) this.code.root.setAttribute("aria-busy", "true");
    else this.code.root.removeAttribute("aria-busy");
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
    const [text, typed] = [this._text, this.code.text];
    if (text.length > LONGEST) return this._tooLong();
    if (!this.changes.firstChild) fill(this.changes, loading(3));
    try {
      const found = await change("policy/check", { text });
      if (typed === this.code.text) this._show(found);
    } catch (error) {
      if (typed !== this.code.text) return;
      this._busy("");
      if (error.code === "too-many") this._timer = setTimeout(() => this._check(), 2 * QUIET);
      else
        fill(
          this.said,
          failure(error, () => this._check()),
        );
    }
  }

  _tooLong() {
    this._busy("");
    fill(this.changes);
    fill(this.problems, notice("deny", `This is too long: a policy has at most ${number(LONGEST)} characters.`));
    this.state.className = "edit-state tone-deny";
    this.state.textContent = "too long";
    this.undo.disabled = false;
  }

  _show(found) {
    const errors = found.problems.filter((problem) => problem.level === "error");
    const dirty = this._isDirty;
    this._busy("");
    this.code.mark(found.problems.filter((problem) => problem.line));
    this.state.className = `edit-state tone-${found.valid ? "allow" : "deny"}`;
    this.state.textContent = found.valid
      ? `${plural(found.rules, "rule")}, then ${found.default}`
      : plural(errors.length, "error");
    fill(
      this.problems,
      found.problems.map((problem) => problemNotice(problem, (line) => this.code.go(line))),
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
      fill(this.said, this._rebased && this._goesOn(dirty));
      this._rebased = false;
    }
  }

  _goesOn(dirty) {
    const told = dirty
      ? "Your text now stands against the file as it is on disk. Look at what would change, then save."
      : "The file on disk has the same text as yours: nothing is left to save.";
    return notice("log", told);
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
    this._busy("comparing\u2026");
    try {
      const policy = await read("policy/text");
      this._disk = policy.text;
      this._digest = policy.digest;
      this._rebased = true;
      this._check();
    } catch (error) {
      this._busy("");
      fill(this.said, failure(error));
    }
  }

  async _save(event) {
    if (!isByPerson(event)) return;
    this.save.disabled = true;
    const text = this._text;
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
          error.problems.map((problem) => problemNotice(problem, (line) => this.code.go(line))),
        );
    }
  }
}
