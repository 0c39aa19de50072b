// A playground: a call that nobody makes, judged by the policy in force or by the text of the editor that is not saved
// yet, with every rule that was asked. The answer says which of the two it was.

import { fill, h, newId, word } from "../parts/dom.js";
import { chip, failure, field, loading, quotedWords, verdict } from "../parts/components.js";
import { foreign, shortPath, visible } from "../parts/visible.js";
import { wouldWord } from "../parts/words.js";
import { change, read } from "../data/api.js";
import { draft, trial } from "./policy_draft.js";

const EXAMPLE = '{\n  "path": "~/notes.md"\n}';

export class PolicyTry {
  constructor([server = "", tool = ""]) {
    this.server = input("server", server || trial.server, "github");
    this.tool = input("tool", tool || trial.tool, "delete_repository");
    this.args = h("textarea.code", {
      value: trial.args,
      rows: 6,
      spellcheck: "false",
      autocomplete: "off",
      placeholder: EXAMPLE,
      "aria-label": "arguments, as JSON",
    });
    this.answer = h(
      "div.try-answer",
      { "aria-live": "polite" },
      h(
        "div.empty",
        h("p.empty-title", "Nothing is called"),
        h(
          "p",
          "Name a server and a tool and see what would happen, by which rule, and why the earlier ones did not match.",
        ),
      ),
    );
    const ask = h("button.yes", { type: "submit" }, "Judge it");
    const form = h(
      "form.card.try-form",
      { onsubmit: (event) => this._ask(event) },
      field("Server", this.server.root),
      field("Tool", this.tool.root),
      field("Arguments", this.args, "JSON; leave empty for none"),
      draft.text !== null && this._judges(),
      h("div.buttons", ask),
    );
    this.root = h("div.try", form, this.answer);
    this._known();
  }

  close() {
    const [server, tool] = [this.server.box.value, this.tool.box.value];
    Object.assign(trial, { server, tool, args: this.args.value, byDraft: this._byDraft });
  }

  get _byDraft() {
    return this._draft?.checked ?? trial.byDraft;
  }

  // There is a choice only while the editor holds something else than the file.
  _judges() {
    const name = newId("judge");
    const one = (text, checked) => {
      const radio = h("input", { type: "radio", name, checked });
      return [radio, h("label.choice", radio, h("span", text))];
    };
    const [byDraft, first] = one("your text in the editor, not saved yet", trial.byDraft);
    const [, second] = one("the policy in force", !trial.byDraft);
    this._draft = byDraft;
    return h("fieldset.judges", h("legend.field-label", "Judged by"), first, second);
  }

  go([server, tool]) {
    if (server) this.server.box.value = server;
    if (tool) this.tool.box.value = tool;
  }

  // What was seen is offered while typing; nothing else depends on it.
  async _known() {
    try {
      const { servers } = await read("tools");
      this.server.offer(servers.map((server) => server.server));
      this.tool.offer([...new Set(servers.flatMap((server) => server.tools.map((tool) => tool.tool)))]);
    } catch {
      // The names can be typed.
    }
  }

  async _ask(event) {
    event.preventDefault();
    let args = {};
    try {
      if (this.args.value.trim()) args = JSON.parse(this.args.value);
      if (args === null || typeof args !== "object" || Array.isArray(args))
        throw new SyntaxError("an object in braces is needed");
    } catch (error) {
      fill(
        this.answer,
        failure({ message: `the arguments are no JSON object: ${error.message}`, hint: 'such as {"path": "/tmp/a"}' }),
      );
      return;
    }
    fill(this.answer, loading(6));
    const text = this._byDraft ? draft.text : null;
    const asked = (this._asked = { server: this.server.box.value, tool: this.tool.box.value, args, text });
    try {
      const found = await change("explain", asked);
      if (asked === this._asked) fill(this.answer, explained(found, asked));
    } catch (error) {
      if (asked === this._asked) fill(this.answer, failure(error));
    }
  }
}

function input(label, value, placeholder) {
  const list = h("datalist", { id: newId("known") });
  const box = h("input", {
    type: "text",
    value,
    placeholder,
    required: true,
    spellcheck: "false",
    autocomplete: "off",
    list: list.id,
    "aria-label": label,
  });
  return {
    box,
    root: h("span.with-list", box, list),
    offer: (names) =>
      fill(
        list,
        names.map((name) => h("option", { value: name })),
      ),
  };
}

const ENDS = {
  allow: "The call passes.",
  log: "The call passes and is marked in the record.",
  redact: "The call passes; what the rule finds is cut out.",
  prompt: "You are asked. Without a yes in time it is denied.",
  deny: "The call never reaches the server.",
};

function explained(found, { server, tool, text }) {
  const decisive = found.trace.find((step) => step.rule === found.rule && step.matched);
  return h(
    "section.card.explained",
    h(
      "p.explained-head",
      verdict(found.action, wouldWord(found.action)),
      " ",
      word(tool),
      " on ",
      word(server),
      found.operation ? chip(found.operation, "quiet", visible(found.operation_why ?? "")) : null,
    ),
    h(
      "p",
      found.rule
        ? ["by rule ", word(found.rule), h("span.faint", found.line ? ` at line ${found.line}` : "")]
        : "by the default: no rule matched",
      ". ",
      ENDS[found.action] ?? "",
    ),
    found.message && h("p.faint", foreign(found.message)),
    h(
      "p.judged-by",
      text === null ? "Judged by the policy in force." : chip("not saved", "ask"),
      text === null ? null : " Judged by your text in the editor: the policy in force may decide otherwise.",
    ),
    h("h3.label", "rules, in the order they were asked"),
    h(
      "ol.trace",
      found.trace.map((step) =>
        h(
          `li.step${step === decisive ? ".decisive" : ""}`,
          h("span.step-mark", { "aria-hidden": "true" }, step === decisive ? "\u2192" : ""),
          h("span.step-rule", foreign(step.rule)),
          verdict(step.action, wouldWord(step.action)),
          h("span.step-why", quotedWords(step.why)),
        ),
      ),
    ),
    found.readings?.some(({ readings }) => readings.length > 1) && [
      h("h3.label", "how its values were read"),
      h(
        "ul.readings",
        found.readings.map(({ value, readings }) =>
          h(
            "li",
            word(value),
            readings.filter((form) => form !== value).map((form) => [" ", word(shortPath(form))]),
          ),
        ),
      ),
    ],
  );
}
