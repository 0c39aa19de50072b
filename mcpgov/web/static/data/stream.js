// What the live stream of the service says, told on as topics, in every tab of this browser.
//
// Laws: one tab listens for all (`tabs.js`): a browser has few connections to one host, and a page that waits for one
// answers nobody. A tab that comes later is told what the listening one knows. The stream comes back by itself, and
// the page says while it is away.
//
// Topic `link`: {state: "up" | "away" | "ended", since}. A stream that the browser gives up (an error status) is
// opened again here; a session that has ended is not.

import { allCalls, hourRows, takeItems, takeMinutes } from "./calls.js";
import { hello } from "./api.js";
import { betweenPresses } from "./presses.js";
import { shareTabs } from "./tabs.js";
import { known, tell } from "./topics.js";

const LASTING = ["sections", "daemon", "status", "questions"]; // of these the latest says how things are
const NAMES = [...LASTING, "policy", "tools", "dropped", "minutes", "records"];
const MOST_TOLD = 1000; // calls that another tab is told of
const LONGEST_WAIT = 5000; // milliseconds

const latest = new Map(); // of what lasts: as it was heard
let source = null; // in the tab that listens
let wait = 500;
let tabs = null;

export function openStream() {
  tabs ??= shareTabs("mcpgov stream", { lead: open, rest, told: betweenTold, all });
}

// --- in the tab that listens

function open() {
  source?.close();
  source = new EventSource("api/stream");
  source.addEventListener("open", () => {
    wait = 500;
    tellLink("up");
  });
  source.addEventListener("error", lost);
  source.addEventListener("gone", () => {
    source.close();
    again(); // this tab may have another session by now
  });
  for (const name of NAMES)
    source.addEventListener(name, ({ data }) => toAll({ name, data, at: Date.now() }));
}

// Another tab listens from now on.
function rest() {
  source?.close();
  source = null;
}

function lost() {
  tellLink("away");
  if (source?.readyState === EventSource.CLOSED) againSoon();
}

function againSoon() {
  setTimeout(again, wait);
  wait = Math.min(LONGEST_WAIT, wait * 2);
}

async function again() {
  if (!source) return;
  try {
    await hello();
  } catch (error) {
    if (error.status !== 401) {
      tellLink("away");
      return againSoon();
    }
    tellLink("ended");
    rest();
    tabs.leave();
  }
  if (source) open();
}

function tellLink(state) {
  const before = known("link");
  const since = before?.state === state ? before.since : Date.now();
  toAll({ name: "link", data: JSON.stringify({ state, since }), at: Date.now() });
}

function toAll(said) {
  tabs.tell(said);
  betweenTold(said);
}

// --- in every tab

// `said`: {name, data, at}: the event's name, its JSON, and when it came.
const betweenTold = (said) => betweenPresses(() => take(said));

function take(said) {
  const { name, at } = said;
  const data = JSON.parse(said.data);
  if (LASTING.includes(name)) latest.set(name, said);
  if (name === "records") takeItems(data);
  else if (name === "minutes") takeMinutes(data.minutes);
  // By this tab's own clock: that of the day may be set.
  else if (name === "questions") tell(name, { ...data, heard: performance.now() - Math.max(0, Date.now() - at) });
  else tell(name, data);
}

// What this tab knows, as it would be told by the service; given between presses, when all that was heard is taken.
const all = (give) =>
  betweenPresses(() => {
    const at = Date.now();
    const records = { items: allCalls().slice(-MOST_TOLD), backlog: true, counted: true };
    const now = { link: known("link"), minutes: { minutes: hourRows() }, records };
    give([...latest.values(), ...Object.entries(now).map(([name, data]) => ({ name, data: JSON.stringify(data ?? null), at }))]);
  });
