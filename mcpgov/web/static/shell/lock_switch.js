// The emergency stop: a press, once it is confirmed, denies every call of every app; the next one lets them pass again.

import { fill, h } from "../parts/dom.js";
import { icon } from "../parts/icons.js";
import { visible } from "../parts/visible.js";
import { change } from "../data/api.js";
import { listen, tell } from "../data/topics.js";
import { isByPerson } from "../questions/answering.js";
import { confirm } from "./dialog.js";

export function lockSwitch() {
  const root = h("div.lock");
  let locked = false;
  const press = async (event) => {
    if (!isByPerson(event)) return;
    const sure =
      locked ||
      (await confirm(
        "Stop everything?",
        "Every call of every governed server is denied until you let go again. Apps keep running and are told why.",
        "Stop everything",
        "no",
      ));
    if (!sure) return;
    const button = root.querySelector("button");
    button.disabled = true;
    button.classList.add("working");
    try {
      const said = await change(locked ? "unlock" : "lock", locked ? {} : { why: "from the page" });
      locked = said.locked;
    } catch (error) {
      tell("complaint", error);
    }
    draw();
  };
  const draw = () => {
    root.classList.toggle("locked", locked);
    fill(
      root,
      locked && h("p.lock-said", "Locked: every call is denied"),
      h(
        `button${locked ? ".yes" : ".ghost"}`,
        { type: "button", onclick: press, data: { key: "lock" } },
        icon("lock"),
        h("span", locked ? "Let calls pass again" : "Stop everything"),
      ),
    );
  };
  listen("questions", (news) => {
    if (news.locked === locked && root.firstChild) return;
    locked = news.locked;
    draw();
  });
  listen("status", (status) => {
    root.title = status.locked ? visible(status.summary) : "";
  });
  draw();
  return root;
}
