// Policy: the rules in the order they are asked, a place to try a call, and the file itself to edit.

import { h } from "../parts/dom.js";
import { PolicyEditor } from "./policy_edit.js";
import { PolicyRules } from "./policy_rules.js";
import { PolicyTry } from "./policy_try.js";

const TABS = [
  ["rules", "Rules", PolicyRules],
  ["try", "Try a call", PolicyTry],
  ["edit", "Edit", PolicyEditor],
];

export class PolicyView {
  constructor({ rest }) {
    this.tabs = h(
      "nav.tabs",
      { "aria-label": "policy" },
      TABS.map(([id, title]) => h("a", { href: `#policy/${id}` }, title)),
    );
    this.box = h("div");
    this.root = h(
      "div.stack",
      h(
        "header.view-head",
        h(
          "div",
          h("h1", "Policy"),
          h("p.lead", "The first rule that matches a call decides it. What no rule matches, the default decides."),
        ),
        this.tabs,
      ),
      this.box,
    );
    this.go(rest);
  }

  close() {
    this._inside?.close?.();
  }

  go(rest) {
    const [id, , Tab] = TABS.find(([each]) => each === rest?.[0]) ?? TABS[0];
    for (const link of this.tabs.children) {
      if (link.hash === `#policy/${id}`) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    if (this._id !== id) {
      this._inside?.close?.();
      this._inside = new Tab(rest?.slice(1) ?? []);
      this._id = id;
      this.box.replaceChildren(this._inside.root);
    } else this._inside.go?.(rest.slice(1));
  }
}
