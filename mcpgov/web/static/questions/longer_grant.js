// A yes for more than this call: for what, for how long, and the rule that it would be, before anything is written.
//
// Law: what would allow more than exactly this call can be chosen only once its rule is shown.

import { h, newId } from "../parts/dom.js";
import { failure, loading, ruleText } from "../parts/components.js";
import { foreign, visible } from "../parts/visible.js";
import { previewRule, SCOPES, TERMS } from "./answering.js";

export class LongerGrant {
  // `send(event, choice)`: somebody has chosen. `changed()`: another scope, or its rule is shown now.
  constructor(view, send, changed) {
    this._number = view.number;
    this._changed = changed;
    this.isShown = false;
    this.scope = "exact";
    this._term = "900";
    this._rule = null;
    this._preview = h("div.preview");
    this._confirm = h("button.yes", { type: "button", onclick: (event) => send(event, this._choice()) });
    this.root = h("div.longer", this._scopes(view.scopes), this._terms(view.terms), this._preview, this._confirm);
    this._choose();
  }

  _scopes(scopes) {
    const name = newId("scope");
    const one = (value) => {
      const radio = h("input", { type: "radio", name, value, onchange: () => this._choose(value) });
      radio.checked = value === this.scope;
      return h("label.choice", radio, h("span", SCOPES[value] ?? value));
    };
    return h("fieldset.scopes", h("legend", "Applies to"), scopes.map(one));
  }

  _terms(terms) {
    const offered = TERMS.filter(([, , term]) => terms.includes(term));
    const box = h(
      "select",
      { onchange: (event) => this._choose(this.scope, event.target.value) },
      offered.map(([value, text]) => h("option", { value }, text)),
    );
    box.value = this._term;
    return h("label.field", h("span.field-label", "For"), box);
  }

  _choice() {
    const [, , term, seconds] = TERMS.find(([value]) => value === this._term);
    const choice = { term, scope: this.scope };
    if (term === "time") choice.seconds = seconds;
    if (term === "always") choice.rule = this._rule;
    return choice;
  }

  async _choose(scope = this.scope, term = this._term) {
    const always = term === "always";
    Object.assign(this, { scope, _term: term, _rule: null });
    const words = TERMS.find(([value]) => value === term)[1];
    this._confirm.textContent = always ? "Write this rule and allow" : `Allow for ${words}`;
    this._preview.replaceChildren(loading(3));
    this._tell(false, false);
    const still = () => this.scope === scope && this._term === term;
    try {
      const rule = await previewRule(this._number, scope);
      if (still()) this._show(rule, always);
    } catch (error) {
      if (!still()) return;
      // Of exactly this call the card shows all: it may be allowed for a time also where no rule can be written.
      const may = scope === "exact" && !always;
      this._preview.replaceChildren(may ? h("p.faint", foreign(error.message)) : failure(error));
      this._tell(false, may);
    }
  }

  _tell(isShown, mayConfirm) {
    this.isShown = isShown;
    this._mayConfirm = mayConfirm;
    this.enable();
    this._changed();
  }

  enable() {
    this._confirm.disabled = !this._mayConfirm;
  }

  _show(rule, always) {
    const file = visible(rule.file.split("/").at(-1));
    const lead = always ? `is written to ${file}, line ${rule.line}:` : "nothing is written; as a rule it would be:";
    this._rule = rule.text;
    this._preview.replaceChildren(h("p.faint", lead), ruleText(rule.text));
    this._tell(true, true);
  }
}
