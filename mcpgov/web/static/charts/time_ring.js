// How much of the time to answer is left, as a ring that empties.

import { svg } from "../parts/dom.js";

const RADIUS = 9;
const AROUND = 2 * Math.PI * RADIUS;

export function timeRing() {
  const left = svg("circle.ring-left", {
    cx: 12,
    cy: 12,
    r: RADIUS,
    "stroke-dasharray": AROUND,
    transform: "rotate(-90 12 12)",
  });
  const root = svg(
    "svg.ring",
    { viewBox: "0 0 24 24", "aria-hidden": "true" },
    svg("circle.ring-track", { cx: 12, cy: 12, r: RADIUS }),
    left,
  );
  return {
    root,
    draw: (share) => left.setAttribute("stroke-dashoffset", (AROUND * (1 - Math.min(1, share))).toFixed(2)),
  };
}
