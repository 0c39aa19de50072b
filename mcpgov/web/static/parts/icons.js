// The page's marks, drawn on a grid of 16: one stroke width, so that they sit well beside text.

import { svg } from "./dom.js";

const PATHS = {
  now: "M1.5 8h3l2-5 3 10 2-5h3",
  questions: "M5.6 6a2.4 2.4 0 1 1 3.4 2.2c-.7.4-1 .8-1 1.6M8 12.4v.1",
  tools: "M9.8 2.2a3.4 3.4 0 0 0-3.9 4.5L2 10.6 5.4 14l3.9-3.9a3.4 3.4 0 0 0 4.5-3.9l-2.2 2.1-2.3-.5-.5-2.3z",
  policy: "M8 1.8l5 1.9v4c0 3-2 5.3-5 6.5-3-1.2-5-3.5-5-6.5v-4zM5.8 8l1.6 1.6 3-3.2",
  record: "M4 2.2h8.2v11.6H4a1.4 1.4 0 0 1-1.4-1.4V3.6A1.4 1.4 0 0 1 4 2.2zM5.6 5.4h4M5.6 8h4",
  limits: "M2.4 11.6a6 6 0 1 1 11.2 0M8 10.4l2.8-3.6",
  allow: "M3.6 8.4l2.8 2.8 6-6.4",
  deny: "M4.4 4.4l7.2 7.2M11.6 4.4l-7.2 7.2",
  ask: "M5.6 6a2.4 2.4 0 1 1 3.4 2.2c-.7.4-1 .8-1 1.6M8 12.4v.1",
  log: "M4 4.6h8M4 8h8M4 11.4h5",
  redact: "M3 6h10v4H3z",
  quiet: "M5.4 8h5.2",
  warn: "M8 2.4l6 10.8H2zM8 6.6v3M8 11.4v.1",
  open: "M6 3.6L10.4 8 6 12.4",
  close: "M4.4 4.4l7.2 7.2M11.6 4.4l-7.2 7.2",
  pause: "M5.6 3.8v8.4M10.4 3.8v8.4",
  play: "M5 3.6l7 4.4-7 4.4z",
  copy: "M5.6 5.6h7v7h-7zM3.4 10.4V3.4h7",
  sound: "M2.6 6.4v3.2h2.2L8 12.4V3.6L4.8 6.4zM10.4 6a2.8 2.8 0 0 1 0 4M12.2 4.2a5.4 5.4 0 0 1 0 7.6",
  silent: "M2.6 6.4v3.2h2.2L8 12.4V3.6L4.8 6.4zM10.6 6.4l3.2 3.2M13.8 6.4l-3.2 3.2",
  lock: "M4 7.4h8v6H4zM5.6 7.4V5a2.4 2.4 0 0 1 4.8 0v2.4",
  key: "M6.4 9.6a2.8 2.8 0 1 1 0-3.2h7M11.4 6.4v2.2M13.4 6.4v1.6",
  search: "M7 2.8a4.2 4.2 0 1 0 0 8.4 4.2 4.2 0 0 0 0-8.4zM10.2 10.2l3.2 3.2",
  link: "M6.6 9.4l2.8-2.8M5.4 7.4L4 8.8a2.3 2.3 0 0 0 3.2 3.2l1.4-1.4M10.6 8.6L12 7.2A2.3 2.3 0 0 0 8.8 4L7.4 5.4",
  download: "M8 2.6v7.2M4.8 6.8L8 10l3.2-3.2M3 13.2h10",
};

export function icon(name, label = "") {
  const given = label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" };
  return svg("svg.icon", { viewBox: "0 0 16 16", ...given }, svg("path", { d: PATHS[name] ?? PATHS.quiet }));
}

// Two posts and what passes between them.
export function mark() {
  const posts = svg("path", { d: "M6 4v16M18 4v16", class: "mark-posts" });
  const bar = svg("path", { d: "M6 8h5M18 16h-5", class: "mark-bars" });
  const dot = svg("circle", { cx: 12, cy: 12, r: 2.4, class: "mark-dot" });
  return svg("svg.mark", { viewBox: "0 0 24 24", "aria-hidden": "true" }, posts, bar, dot);
}
