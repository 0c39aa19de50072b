// Between presses: what the service says waits while a pointer or key is down.
//
// Law: nothing of the document is replaced between the beginning and the end of a press. A browser drops the click of
// an element that was taken away under it, and with it what a person has decided.

const LONGEST = 10_000; // milliseconds: what is held down longer is no click
const TAP = 300; // milliseconds after which the click of a finger or pen has come

let pressed = false;
let timer = 0;
const waiting = [];

// Runs `act` now, or as soon as nothing is pressed; always in the order in which it was given.
export function betweenPresses(act) {
  if (pressed) waiting.push(act);
  else act();
}

export const released = () => new Promise((resolve) => betweenPresses(resolve));

function begin() {
  pressed = true;
  clearTimeout(timer);
  timer = setTimeout(finish, LONGEST);
}

function end(after) {
  if (!pressed) return;
  clearTimeout(timer);
  timer = setTimeout(finish, after);
}

function finish() {
  pressed = false;
  for (const act of waiting.splice(0)) queueMicrotask(act); // one that fails stops no other
}

const isSpace = (event) => event.key === " "; // a button is pressed by it when it comes up; Enter does so at once

addEventListener("pointerdown", begin, true);
addEventListener("pointerup", (event) => end(event.pointerType === "mouse" ? 0 : TAP), true);
addEventListener("pointermove", (event) => event.pointerType === "mouse" && !event.buttons && end(0), true);
for (const name of ["click", "pointercancel", "dragend", "blur"]) addEventListener(name, () => end(0), true);
addEventListener("keydown", (event) => isSpace(event) && begin(), true);
addEventListener("keyup", (event) => isSpace(event) && end(0), true);
