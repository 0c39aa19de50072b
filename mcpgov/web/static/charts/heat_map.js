// A day by the hour, a row for each server: how much happened when, and where something was denied.

import { h, svg } from "../parts/dom.js";
import { visible } from "../parts/visible.js";

// Of the drawing, in sixteenths of the page's letter size: names stand beside it, in rows as high (views.css).
const UNIT = 16;
const WIDE = 30;
const HIGH = 22;
const GAP = 2;
const TOP = 22;
const LEVELS = 4;

// `hours`: [{start, label, since, until}] of the day; `rows`: [{server, cells: [calls, denied] of each hour}];
// `choose(server, hour)`: for a cell that is pressed. `reveal()`: where it is narrow, the hour of now is in view.
export function heatMap({ hours, rows }, choose) {
  const [width, height] = [hours.length * WIDE, TOP + rows.length * HIGH];
  const most = Math.max(1, ...rows.flatMap((row) => row.cells.map(([calls]) => calls)));
  const drawing = svg("svg.heat", {
    viewBox: `0 0 ${width} ${height}`,
    width: `${width / UNIT}rem`,
    height: `${height / UNIT}rem`,
    role: "group",
    "aria-label": "calls of the day by server and hour",
  });
  hours.forEach(({ label }, at) => {
    if (at % 3 === 0) drawing.append(svg("text.heat-label", { x: at * WIDE, y: 14 }, label.slice(0, 5)));
  });
  rows.forEach(({ server, cells }, row) =>
    cells.forEach((cell, at) => {
      const place = { x: at * WIDE, y: TOP + row * HIGH };
      drawing.append(oneCell(server, hours[at], cell, place, most, choose));
    }),
  );
  const box = h("div.heat-box", drawing);
  const names = rows.map(({ server }) => h("li.heat-name", { title: visible(server) }, visible(server)));
  return { root: h("div.heat-map", h("ul.heat-names", { "aria-hidden": "true" }, names), box), reveal };

  function reveal() {
    const last = hours.findLastIndex(({ start }) => start * 1000 <= Date.now());
    box.scrollLeft = ((last + 2) / hours.length) * box.scrollWidth - box.clientWidth;
  }
}

export function heatLegend() {
  const one = (kind) => svg("svg.heat-sample", { viewBox: "0 0 16 16", "aria-hidden": "true" }, kind);
  const square = (level) => one(svg(`rect.heat-${level}`, { width: 16, height: 16, rx: 3 }));
  return h(
    "p.heat-legend.faint",
    "no call",
    square(0),
    "fewer",
    [1, 2, 3, 4].map(square),
    "more",
    one(svg("circle.heat-denied", { cx: 8, cy: 8, r: 4 })),
    "something was denied",
  );
}

function oneCell(server, hour, [calls, denied], place, most, choose) {
  const level = calls
    ? 1 + Math.min(LEVELS - 1, Math.floor((Math.log(calls) / Math.log(most + 1)) * LEVELS))
    : 0;
  const text = `${visible(server)}, ${hour.label}: ${calls} calls, ${denied} denied`;
  const square = svg(
    `rect.heat-cell.heat-${level}`,
    { ...place, width: WIDE - GAP, height: HIGH - GAP, rx: 3 },
    svg("title", {}, text),
  );
  if (!calls && !denied) return square;
  const pick = () => choose(server, hour);
  const group = svg(
    "g.heat-pick",
    { role: "button", tabindex: 0, "aria-label": text, onclick: pick, onkeydown: onEnter(pick) },
    square,
  );
  if (denied) group.append(svg("circle.heat-denied", { cx: place.x + WIDE - GAP - 6, cy: place.y + 6, r: 3 }));
  return group;
}

const onEnter = (act) => (event) => {
  if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  act();
};
