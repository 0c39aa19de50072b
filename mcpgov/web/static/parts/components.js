// The small things that every view is made of: verdicts, commands to type, notices, empty and loading states.

import { h, word } from "./dom.js";
import { icon } from "./icons.js";
import { foreign, visible } from "./visible.js";
import { verdictTone, verdictWord } from "./words.js";

// A verdict is told by colour, mark and word, never by colour alone.
export function verdict(action, text = verdictWord(action)) {
  const tone = verdictTone(action);
  return h(`span.verdict.tone-${tone}`, icon(tone), h("span", text));
}

export function chip(text, tone = "quiet", title = "") {
  return h(`span.chip.tone-${tone}`, { title: title || false }, text);
}

// A command to type in a terminal, with a button that copies it.
export function command(text) {
  const done = h("span.copied", { role: "status" });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      done.textContent = "copied";
    } catch {
      done.textContent = "select it and copy it by hand";
    }
    setTimeout(() => (done.textContent = ""), 2000);
  };
  const press = h(
    "button.ghost.small",
    { type: "button", onclick: copy, data: { key: `copy ${text}` }, "aria-label": `copy the command ${visible(text)}` },
    icon("copy"),
  );
  return h("span.command", word(text), press, done);
}

export function notice(tone, what, ...more) {
  const kind = tone === "deny" || tone === "ask" ? "warn" : tone;
  return h(`div.notice.tone-${tone}`, icon(kind), h("div.notice-text", h("p.notice-what", what), more));
}

// Nothing to show, said in words, with what to do about it.
export function empty(title, text, ...more) {
  return h("div.empty", h("p.empty-title", title), h("p", quotedWords(text)), more);
}

// Grey lines of the size of what will come, so that nothing moves when it does.
export function loading(lines = 3) {
  const rows = Array.from({ length: lines }, () => h("div.ghost-line"));
  return h("div.loading", { "aria-busy": "true" }, h("span.hidden", { role: "status" }, "loading"), rows);
}

// An error of the service or of the way to it: what happened and what to type.
export function failure(error, again) {
  const retry = again && h("button", { type: "button", onclick: again }, "Try again");
  return h(
    "div.failure",
    { role: "alert" },
    notice("deny", quotedWords(error.message), error.hint && h("p", hintWords(error.hint)), retry),
  );
}

// A message as the commands say it: what stands in backticks is somebody's own word.
export function quotedWords(text) {
  return String(text)
    .split("`")
    .map((part, at) => (at % 2 ? word(part) : foreign(part)));
}

// A hint as the commands say it: what stands in backticks is to be typed.
export function hintWords(text) {
  const parts = String(text).split("`");
  if (parts.length === 1 && /^mcpgov [a-z]/.test(text)) return command(text);
  return parts.map((part, at) => (at % 2 ? (part.startsWith("mcpgov ") ? command(part) : word(part)) : foreign(part)));
}

// A rule as it stands in a file; what is too wide for its place is scrolled, also by keys.
export function ruleText(text, label = "the rule") {
  return h(
    "pre.rule-text",
    { role: "region", "aria-label": label, tabindex: 0 },
    foreign(text, { lines: true }),
  );
}

export function field(label, input, note = "") {
  return h("label.field", h("span.field-label", label), input, note && h("span.field-note", note));
}

// Keys as they are on the keyboard.
export const key = (text) => h("kbd", { "aria-hidden": "true" }, text);
