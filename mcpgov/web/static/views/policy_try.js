// A playground: a call that nobody makes, judged by the policy in force or by the text of the editor that is not saved
// yet, with every rule that was asked. The answer says which of the two it was.

import { fill, h, newId } from "../parts/dom.js";
import { failure, field, loading } from "../parts/components.js";
import { change, read } from "../data/api.js";
import { known } from "../data/topics.js";
import { draft, trial } from "./policy_draft.js";
import { explained } from "./policy_answer.js";

const EXAMPLE = '{\n  "path": "~/notes.md"\n}';

export class PolicyTry {
  constructor([server = "", tool = ""]) {
    this.server = input("server", server || trial.server, "github");
    this.tool = input("tool", tool || trial.tool, "delete_repository");
    this.client = input("app", trial.client, "any: such as cursor", false);
    this.project = input("project", trial.project, "none: such as ~/work/shop", false);
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
      h("div.try-who", field("App", this.client.root), field("Project", this.project.root)),
      draft.text !== null && this._judges(),
      h("div.buttons", ask),
    );
    this.root = h("div.try", form, this.answer);
    this._known();
  }

  close() {
    Object.assign(trial, this._named, { args: this.args.value, byDraft: this._byDraft });
  }

  get _named() {
    const { server, tool, client, project } = this;
    return Object.fromEntries(
      Object.entries({ server, tool, client, project }).map(([name, { box }]) => [name, box.value.trim()]),
    );
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
    this.client.offer((known("status")?.clients ?? []).map(({ client }) => client));
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
    const asked = (this._asked = { ...this._named, args, text });
    try {
      const found = await change("explain", asked);
      if (asked === this._asked) fill(this.answer, explained(found, asked));
    } catch (error) {
      if (asked === this._asked) fill(this.answer, failure(error));
    }
  }
}

function input(label, value, placeholder, required = true) {
  const list = h("datalist", { id: newId("known") });
  const box = h("input", {
    type: "text",
    value,
    placeholder,
    required,
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
