// Calls and denials per minute, as two areas of one inline SVG. Redrawn by setting two paths: nothing moves around it.

import { svg } from "../parts/dom.js";

const WIDTH = 240;
const HEIGHT = 48;

export function sparkline(label) {
  const calls = svg("path.spark-calls", {});
  const line = svg("path.spark-line", {});
  const denials = svg("path.spark-denials", {});
  const title = svg("title", {}, label);
  const root = svg(
    "svg.spark",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img" },
    title,
    calls,
    line,
    denials,
  );
  return {
    root,
    // `minutes`: [{calls, denied}], oldest first; the last one is still running.
    draw(minutes) {
      const most = Math.max(4, ...minutes.map((minute) => minute.calls));
      const step = WIDTH / Math.max(1, minutes.length - 1);
      const points = minutes.map((minute, at) => `${(at * step).toFixed(1)},${height(minute.calls, most)}`);
      calls.setAttribute("d", points.length ? `M0,${HEIGHT} L${points.join(" L")} L${WIDTH},${HEIGHT} Z` : "");
      line.setAttribute("d", points.length ? `M${points.join(" L")}` : "");
      denials.setAttribute("d", bars(minutes, step, most));
      const sum = (key) => minutes.reduce((total, minute) => total + minute[key], 0);
      title.textContent = `${label}: ${sum("calls")} calls, ${sum("denied")} denied in ${minutes.length} minutes`;
    },
  };
}

const height = (value, most) => (HEIGHT - 2 - (value / most) * (HEIGHT - 6)).toFixed(1);

function bars(minutes, step, most) {
  const wide = Math.min(3, step * 0.6);
  return minutes
    .map((minute, at) => {
      if (!minute.denied) return "";
      const x = Math.min(WIDTH - wide, at * step);
      return `M${x.toFixed(1)},${HEIGHT} V${height(minute.denied, most)} h${wide.toFixed(1)} V${HEIGHT} Z`;
    })
    .join(" ");
}
