// A rule of one's own: shown as the text that would be written, and where, before anything is.

import { fill, h, word } from "../parts/dom.js";
import { failure, loading, notice } from "../parts/components.js";
import { foreign, visible } from "../parts/visible.js";
import { change } from "../data/api.js";
import { isByPerson } from "../questions/answering.js";

export function ruleWriter(changed) {
  const root = h("div.writer", { "aria-live": "polite" });
  let newest = null; // what is wanted by now; null: nothing
  let pressed = null; // what it was asked for with

  const show = (wanted, ...what) => newest === wanted && fill(root, what);
  const cancel = () => {
    newest = null;
    fill(root);
    if (pressed?.isConnected) pressed.focus();
  };

  const preview = async (wanted) => {
    newest = wanted;
    pressed = document.activeElement;
    show(wanted, loading(3));
    try {
      const rule = await change("verdict/preview", wanted);
      show(wanted, rule.why ? notice("log", foreign(rule.why)) : offered(wanted, rule));
      if (newest === wanted) bringUp(root.firstElementChild);
    } catch (error) {
      show(wanted, failure(error));
    }
  };

  const write = async (event, wanted, rule) => {
    if (!isByPerson(event)) return;
    event.currentTarget.disabled = true;
    try {
      const done = await change("verdict", { ...wanted, text: rule.text });
      show(wanted, notice("allow", ["Written: ", word(done.rule ?? rule.rule), " holds from the next call on."]));
      changed();
    } catch (error) {
      show(
        wanted,
        failure(error, () => preview(wanted)),
      );
    }
  };

  const offered = (wanted, rule) =>
    h(
      "div.offer",
      { tabindex: -1, role: "group", "aria-label": "the rule that would be written" },
      h(
        "p",
        "This rule goes into ",
        word(rule.file.split("/").at(-1)),
        ` at line ${rule.line}`,
        rule.above ? [", above ", word(rule.above)] : "",
        ":",
      ),
      h("pre.rule-text", { tabindex: 0, role: "group", "aria-label": "its text" }, foreign(rule.text, { lines: true })),
      rule.overtakes?.length
        ? notice("ask", [
            "It is asked before ",
            rule.overtakes.map((name) => [word(name), " "]),
            "and decides instead.",
          ])
        : null,
      h(
        "div.buttons",
        h("button.yes", { type: "button", onclick: (event) => write(event, wanted, rule) }, "Write this rule"),
        h(
          "button",
          { type: "button", onclick: cancel, "aria-label": `Cancel: do not write ${visible(rule.rule)}` },
          "Cancel",
        ),
      ),
    );

  return { root, preview };
}

// What a person has asked for comes into view, and the focus goes on there.
function bringUp(box) {
  box.focus({ preventScroll: true });
  box.scrollIntoView({ block: "nearest" });
}
