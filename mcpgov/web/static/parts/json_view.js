// JSON of another program, readable: keys and values apart, long texts cut, everything a text node.

import { h } from "./dom.js";
import { cutMiddle, foreign, visible } from "./visible.js";

const LONGEST = 2000;
const MOST = 100; // items of one list or object
const DEEPEST = 8;

// On one line, for a row: key = value, key = value.
export function oneLine(value, most = 160) {
  const text =
    typeof value === "string"
      ? value
      : Object.entries(value ?? {})
          .map(([key, item]) => `${key}: ${typeof item === "string" ? item : JSON.stringify(item)}`)
          .join("   ");
  return foreign(text.length > most ? `${text.slice(0, most)}\u2026` : text, { ends: true });
}

export function jsonView(value, depth = 0) {
  if (value === null || typeof value !== "object") return leaf(value);
  const entries = Object.entries(value);
  if (!entries.length) return h("span.json-plain", Array.isArray(value) ? "[]" : "{}");
  if (depth >= DEEPEST) return h("span.json-plain", visible(cutMiddle(JSON.stringify(value), LONGEST)));
  const rows = entries.slice(0, MOST).map(([key, item]) => [h("dt", foreign(key)), h("dd", jsonView(item, depth + 1))]);
  if (entries.length > MOST) rows.push([h("dt", ""), h("dd.faint", `${entries.length - MOST} more`)]);
  return h("dl.json", rows);
}

function leaf(value) {
  if (typeof value !== "string") return h("span.json-plain", String(value));
  return h("span.json-text", foreign(cutMiddle(value, LONGEST), { lines: true, ends: true }));
}
