// A question of the page itself, in the browser's own modal dialog: focus stays in it, Escape is a no.

import { h, newId } from "../parts/dom.js";

export function confirm(title, text, yes, tone = "yes") {
  const id = newId("dialog");
  return new Promise((resolve) => {
    const box = h(
      "dialog.dialog",
      { "aria-labelledby": id },
      h("h2", { id }, title),
      typeof text === "string" ? h("p", text) : text,
      h(
        "div.dialog-buttons",
        h("button", { type: "button", onclick: () => box.close("") }, "Cancel"),
        h(`button.${tone}`, { type: "button", onclick: (event) => event.isTrusted && box.close("yes") }, yes),
      ),
    );
    box.addEventListener("close", () => {
      box.remove();
      resolve(box.returnValue === "yes");
    });
    document.body.append(box);
    box.showModal();
  });
}
