// Answers to a question. Law: only what a person does counts: a press of a real pointer or key (`isTrusted`), after
// the question has been in its place for a moment, so that nobody answers what has just appeared under the hand.

import { change } from "../data/api.js";

export const SETTLE = 600; // milliseconds

// Is this event somebody's own? Events that a script makes are not, nor is a key that is held down.
export const isByPerson = (event) => event.isTrusted === true && !event.repeat;

export async function approve(number, choice) {
  return change("approve", { number, ...choice });
}

export async function deny(number) {
  return change("deny", { number });
}

export async function previewRule(number, scope) {
  return change("preview", { number, scope });
}

export const SCOPES = {
  exact: "exactly these arguments",
  folder: "anything in this folder",
  tool: "this tool, any arguments",
};

// The same on a button.
export const SCOPES_SHORT = { exact: "exactly this", folder: "in this folder", tool: "any arguments" };

// How long a yes may last, as it is chosen: [value, words, term, seconds].
export const TERMS = [
  ["session", "this conversation", "session", 0],
  ["900", "15 minutes", "time", 900],
  ["3600", "an hour", "time", 3600],
  ["28800", "8 hours", "time", 28800],
  ["always", "always: write a rule", "always", 0],
];
