// The page put together: who serves it, the live stream, the views by fragment, and the questions on top of all.

import { hello } from "./data/api.js";
import { openStream } from "./data/stream.js";
import { listen, tell } from "./data/topics.js";
import { fill, h } from "./parts/dom.js";
import { icon, mark } from "./parts/icons.js";
import { failure } from "./parts/components.js";
import { setHome } from "./parts/visible.js";
import { OpenQuestions } from "./questions/open_questions.js";
import { isOn, switchSound } from "./questions/sound.js";
import { banner } from "./shell/banner.js";
import { lockSwitch } from "./shell/lock_switch.js";
import { NowView } from "./views/now.js";

// A view appears when one of its sections is known to the daemon. The first one comes with the page, the others are
// fetched as soon as it is idle: they are there when they are wanted, also while the service is away.
const VIEWS = [
  ["now", "Now", ["now"], async () => NowView],
  ["questions", "Questions", ["questions"], async () => (await import("./views/questions.js")).QuestionsView],
  ["tools", "Tools", ["tools"], async () => (await import("./views/tools.js")).ToolsView],
  ["policy", "Policy", ["policy"], async () => (await import("./views/policy.js")).PolicyView],
  ["record", "Record", ["record"], async () => (await import("./views/record.js")).RecordView],
  ["limits", "Limits", ["budgets", "privacy"], async () => (await import("./views/limits.js")).LimitsView],
];

const main = document.getElementById("main");
const navigation = document.getElementById("views");
const overlay = document.getElementById("overlay");
let view = null;
let shown = "";

// What is no text is none: somebody else may have made the link.
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}

async function show() {
  const [name, ...rest] = (location.hash.slice(1) || "now").split("/").map(decoded);
  const [id, title, , find] = VIEWS.find(([each]) => each === name) ?? VIEWS[0];
  if (shown === id) return view?.go?.(rest);
  shown = id;
  let View;
  try {
    View = await find();
  } catch {
    shown = "";
    return main.replaceChildren(
      failure({ message: `the view ${title} could not be loaded`, hint: "is the service there? `mcpgov open`" }, show),
    );
  }
  if (shown !== id) return; // another view was chosen meanwhile
  view?.close?.();
  view = new View({ openQuestions, rest });
  if (!view.ownsOpenQuestions && openQuestions.root.parentNode !== overlay) overlay.append(openQuestions.root);
  main.replaceChildren(view.root);
  main.className = `view-${id}`;
  scrollTo(0, 0);
  markShown();
  document.getElementById("where").textContent = title;
}

function drawNavigation({ sections }) {
  const there = VIEWS.filter(([, , needs]) => needs.some((section) => sections.includes(section)));
  fill(
    navigation,
    there.map(([id]) => links.get(id)),
  );
  markShown();
  lock.classList.toggle("later", !sections.includes("lock")); // its place is kept: what is beside it does not move
  fill(document.getElementById("foot"), lock, sound);
}

const link = (id, title) =>
  h(
    "li",
    h(
      "a",
      { href: `#${id}` },
      icon(id),
      h("span", title),
      id === "questions" && h("span.question-count", { hidden: true }),
    ),
  );

function markShown() {
  for (const each of navigation.querySelectorAll("a")) {
    if (each.hash === `#${shown}`) each.setAttribute("aria-current", "page");
    else each.removeAttribute("aria-current");
  }
}

function soundSwitch() {
  const draw = () => {
    const on = isOn();
    button.setAttribute("aria-pressed", String(on));
    fill(button, icon(on ? "sound" : "silent"), h("span", on ? "Sound is on" : "Sound is off"));
  };
  const press = () => {
    switchSound(!isOn());
    draw();
  };
  const button = h("button.ghost", { type: "button", onclick: press });
  draw();
  return button;
}

async function begin() {
  try {
    const said = await hello();
    setHome(said.home ?? "");
    fill(trouble);
    tell("sections", { sections: said.sections });
    openStream();
  } catch (error) {
    if (error.status === 401) location.reload();
    else {
      fill(
        trouble,
        failure(error, () => location.reload()),
      );
      setTimeout(begin, 3000);
    }
  }
}

// What went wrong where no view can say it: a few seconds at the foot of the page.
function complaint(error) {
  const box = failure(error);
  box.classList.add("complaint");
  document.body.append(box);
  setTimeout(() => box.remove(), 8000);
}

document.getElementById("mark").append(mark());
const openQuestions = new OpenQuestions();
const lock = lockSwitch();
const links = new Map(VIEWS.map(([id, title]) => [id, link(id, title)]));
const sound = soundSwitch();
const trouble = h("div"); // the page cannot begin
overlay.append(trouble, openQuestions.root);
document.body.append(banner());
listen("sections", drawNavigation);
listen("complaint", complaint);
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // the fragment names a view
  main.focus();
});
addEventListener("hashchange", show);
show();
begin();
addEventListener("load", () =>
  (globalThis.requestIdleCallback ?? setTimeout)(() => VIEWS.forEach(([, , , find]) => find().catch(() => {}))),
);
