// A text to edit with its line numbers; lines with a problem are marked beside the text.

import { fill, h } from "../parts/dom.js";

const MOST_LINES = 10_000; // that have a number

export class CodeBox {
  // `longest`: so many characters are taken, and one more, by which it is seen that there were more.
  constructor(label, longest, typed) {
    this._marks = new Map();
    this.area = h("textarea.code-text", {
      spellcheck: "false",
      autocomplete: "off",
      autocapitalize: "off",
      wrap: "off",
      maxlength: longest + 1,
      disabled: true,
      "aria-label": label,
    });
    this.lines = h("div.code-lines", { "aria-hidden": "true" });
    this.root = h("div.code-box", this.lines, this.area);
    this.area.addEventListener("input", () => {
      this._number();
      typed();
    });
    this.area.addEventListener("scroll", () => (this.lines.scrollTop = this.area.scrollTop));
  }

  get text() {
    return this.area.value;
  }

  get isShown() {
    return !this.area.disabled;
  }

  // Nobody types into it before there is a text.
  set text(text) {
    this.area.disabled = false;
    this.area.value = text;
    this._marks.clear();
    this._number(true);
  }

  // `problems`: [{line, level, message}]
  mark(problems) {
    this._marks = new Map(problems.map((problem) => [problem.line, problem.level]));
    this._number(true);
  }

  go(line) {
    const before = this.text
      .split("\n")
      .slice(0, line - 1)
      .join("\n").length;
    const at = line > 1 ? before + 1 : 0;
    const end = this.text.indexOf("\n", at);
    this.area.focus();
    this.area.setSelectionRange(at, end < 0 ? this.text.length : end);
    const height = parseFloat(getComputedStyle(this.area).lineHeight);
    this.area.scrollTop = Math.max(0, (line - 4) * height);
  }

  _number(anew = false) {
    const count = this.text.split("\n").length;
    if (!anew && count === this._count) return;
    this._count = count;
    fill(
      this.lines,
      Array.from({ length: Math.min(count, MOST_LINES) }, (_, at) =>
        h(`span.code-line${this._marks.has(at + 1) ? `.level-${this._marks.get(at + 1)}` : ""}`, at + 1),
      ),
    );
    this.lines.scrollTop = this.area.scrollTop;
  }
}
