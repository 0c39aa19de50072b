// The live stream of the service, told on as topics. Law: it comes back by itself, and the page says while it is away.
//
// Topic `link`: {state: "up" | "away" | "ended", since}. A stream that the browser gives up (an error status) is
// opened again here; a session that has ended is not.

import { takeItems, takeMinutes } from "./calls.js";
import { hello } from "./api.js";
import { betweenPresses } from "./presses.js";
import { tell } from "./topics.js";

const PLAIN = ["sections", "daemon", "status", "policy", "tools", "dropped"];
const LONGEST_WAIT = 5000; // milliseconds

let source = null;
let wait = 500;
let awaySince = 0;

export function openStream() {
  source?.close();
  source = new EventSource("api/stream");
  source.addEventListener("open", () => {
    wait = 500;
    awaySince = 0;
    tell("link", { state: "up", since: Date.now() });
  });
  source.addEventListener("error", lost);
  for (const name of PLAIN) on(name, (said) => tell(name, said));
  on("questions", (said, heard) => tell("questions", { ...said, heard }));
  on("minutes", ({ minutes }) => takeMinutes(minutes));
  on("records", takeItems);
  source.addEventListener("gone", ended);
}

function on(name, act) {
  source.addEventListener(name, (event) => {
    const heard = performance.now();
    betweenPresses(() => act(JSON.parse(event.data), heard));
  });
}

function ended() {
  source.close();
  tell("link", { state: "ended", since: Date.now() });
}

function lost() {
  awaySince ||= Date.now();
  tell("link", { state: "away", since: awaySince });
  if (source.readyState !== EventSource.CLOSED) return;
  setTimeout(again, wait);
  wait = Math.min(LONGEST_WAIT, wait * 2);
}

async function again() {
  try {
    await hello();
  } catch (error) {
    if (error.status === 401) return ended();
    return lost();
  }
  openStream();
}
