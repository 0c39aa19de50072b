// The calls that the page holds, oldest first, and how many there were in each minute.
//
// Laws: what comes later about a call (its answer, its outcome) changes that call in place; the oldest go when there
// are too many; listeners hear of a batch, not of each.

import { tell } from "./topics.js";

export const MOST_CALLS = 10_000;
const SLACK = 500; // so many more before the oldest are dropped, so that it is not done for every call
const HOUR = 60;

const calls = [];
const byId = new Map();
const minutes = new Map();

export const allCalls = () => calls;

// Was a call stopped? A held one was, unless it was let pass.
export const wasStopped = (call) =>
  call.action === "deny" || (call.action === "prompt" && Boolean(call.outcome) && call.outcome !== "allowed");

// `backlog`: what was before, told to a page that comes, or comes again. What the page holds already stays as it is,
// unless more has happened meanwhile than it is told of. `counted`: the minutes that were told hold these already.
export function takeItems({ items, backlog, counted }) {
  const known = items.some((item) => byId.has(idOf(item)));
  const fresh = Boolean(backlog) && !known;
  if (fresh) forget();
  const added = [];
  const changed = [];
  for (const item of items) {
    if (item.type === "call" || item.type === "note") take(item, added, !counted);
    else amend(item, changed, !counted);
  }
  const dropped = trim();
  if (added.length || changed.length || dropped || fresh) tell("calls", { added, changed, dropped, fresh });
}

const idOf = (item) => item.id ?? ["note", item.time, item.server, item.client, item.action, item.method].join("-");

function forget() {
  calls.length = 0;
  byId.clear();
}

function take(item, added, counts) {
  item.id = idOf(item);
  if (byId.has(item.id)) return;
  byId.set(item.id, item);
  calls.push(item);
  added.push(item);
  if (counts && item.type === "call") count(item.time, 1, wasStopped(item) ? 1 : 0);
}

function amend(item, changed, counts) {
  const call = byId.get(item.id);
  if (!call) return;
  const before = wasStopped(call);
  if (item.type === "answer") Object.assign(call, { round_trip_us: item.round_trip_us, error: item.error });
  else call.outcome = item.outcome;
  if (counts && !before && wasStopped(call)) count(call.time, 0, 1);
  changed.push(call);
}

function trim() {
  if (calls.length <= MOST_CALLS + SLACK) return 0;
  const gone = calls.splice(0, calls.length - MOST_CALLS);
  for (const call of gone) byId.delete(call.id);
  return gone.length;
}

function count(time, more, denied) {
  const at = Math.floor(time / 60);
  const row = minutes.get(at) ?? { calls: 0, denied: 0 };
  minutes.set(at, { calls: row.calls + more, denied: row.denied + denied });
}

export function takeMinutes(rows) {
  minutes.clear();
  for (const [at, some, denied] of rows) minutes.set(at, { calls: some, denied });
  tell("minutes", null);
}

// As the service tells them.
export const hourRows = () => [...minutes].map(([at, row]) => [at, row.calls, row.denied]);

// The last hour, oldest first, up to the minute that runs.
export function lastHour() {
  const now = Math.floor(Date.now() / 60_000);
  for (const at of minutes.keys()) if (at < now - 2 * HOUR) minutes.delete(at);
  return Array.from({ length: HOUR }, (_, back) => minutes.get(now - HOUR + 1 + back) ?? { calls: 0, denied: 0 });
}
