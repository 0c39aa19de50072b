// Numbers, times and verdicts as a person says them.

const CLOCK = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});
const DAY = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric", month: "short" });
const NUMBER = new Intl.NumberFormat("en-US");

export const clock = (seconds) => CLOCK.format(seconds * 1000);
export const day = (seconds) => DAY.format(seconds * 1000);
export const moment = (seconds) => `${day(seconds)} ${clock(seconds)}`;
export const number = (value) => NUMBER.format(value);
export const plural = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;

// 134 µs, 2.4 ms, 1.2 s: what we added to a call.
export function duration(microseconds) {
  if (microseconds === undefined || microseconds === null) return "";
  if (microseconds < 1000) return `${Math.round(microseconds)} \u00b5s`;
  if (microseconds < 1e6) return `${(microseconds / 1000).toFixed(microseconds < 1e4 ? 1 : 0)} ms`;
  return `${(microseconds / 1e6).toFixed(1)} s`;
}

const SPANS = [
  [86400, "day"],
  [3600, "hour"],
  [60, "minute"],
  [1, "second"],
];

// 3 minutes, 2 hours: one unit is enough.
export function roughTime(seconds) {
  for (const [size, name] of SPANS) {
    if (seconds >= size) return plural(Math.floor(seconds / size), name);
  }
  return "a moment";
}

const SHORT_SPANS = [
  [86400, "d"],
  [3600, "h"],
  [60, "min"],
  [1, "s"],
];

export function ago(seconds) {
  if (seconds < 5) return "just now";
  const [size, name] = SHORT_SPANS.find(([each]) => seconds >= each);
  return `${Math.floor(seconds / size)} ${name} ago`;
}

// A countdown: 0:42.
export function countdown(seconds) {
  const left = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
}

// What each action of a record is called, and its tone: the class of its colour and its mark.
const VERDICTS = {
  allow: ["allowed", "allow"],
  deny: ["denied", "deny"],
  prompt: ["asked", "ask"],
  log: ["logged", "log"],
  redact: ["redacted", "redact"],
  passed: ["passed", "quiet"],
  answered: ["answered", "quiet"],
  dropped: ["dropped", "deny"],
  hidden: ["hidden", "quiet"],
  refused: ["refused", "deny"],
};

export const verdictWord = (action) => VERDICTS[action]?.[0] ?? action;
export const verdictTone = (action) => VERDICTS[action]?.[1] ?? "quiet";

// The verdict as a rule's verb, before anybody called.
const WOULD = { allow: "allow", deny: "deny", prompt: "ask", log: "allow and log", redact: "redact" };
export const wouldWord = (action) => WOULD[action] ?? action;
