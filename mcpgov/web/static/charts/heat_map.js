// A day by the hour, a row for each server: how much happened when, and where something was denied.

import { h, svg } from "../parts/dom.js";
import { visible } from "../parts/visible.js";

const WIDE = 26;
const HIGH = 18;
const GAP = 2;
const HOURS = 24;
const TOP = 16;
const LEFT = 116;
const LONGEST = 17; // characters of a server's name

// `rows`: [{server, cells: 24 of [hour, calls, denied]}]; `choose(server, hour)`: for a cell that is pressed.
export function heatMap(rows, choose) {
  const width = LEFT + HOURS * (WIDE + GAP);
  const height = TOP + rows.length * (HIGH + GAP);
  const most = Math.max(1, ...rows.flatMap((row) => row.cells.map(([, calls]) => calls)));
  const root = svg("svg.heat", {
    viewBox: `0 0 ${width} ${height}`,
    role: "group",
    "aria-label": "calls of the day by server and hour",
  });
  for (let hour = 0; hour < HOURS; hour += 3) {
    root.append(
      svg("text.heat-label", { x: LEFT + hour * (WIDE + GAP), y: 11 }, `${String(hour).padStart(2, "0")}:00`),
    );
  }
  rows.forEach((row, at) => {
    const name = visible(row.server);
    root.append(
      svg(
        "text.heat-name",
        { x: 0, y: TOP + at * (HIGH + GAP) + 13 },
        name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}\u2026` : name,
      ),
    );
    row.cells.forEach((cell) => root.append(oneCell(row.server, cell, at, most, choose)));
  });
  return h("div.heat-box", root);
}

function oneCell(server, [hour, calls, denied], at, most, choose) {
  const level = calls ? 1 + Math.min(3, Math.floor((Math.log(calls) / Math.log(most + 1)) * 4)) : 0;
  const place = { x: LEFT + hour * (WIDE + GAP), y: TOP + at * (HIGH + GAP) };
  const text = `${visible(server)}, ${String(hour).padStart(2, "0")}:00: ${calls} calls, ${denied} denied`;
  const square = svg(
    `rect.heat-cell.heat-${level}`,
    { ...place, width: WIDE, height: HIGH, rx: 3 },
    svg("title", {}, text),
  );
  if (!calls) return square;
  const pick = () => choose(server, hour);
  const group = svg(
    "g.heat-pick",
    { role: "button", tabindex: 0, "aria-label": text, onclick: pick, onkeydown: onEnter(pick) },
    square,
  );
  if (denied) group.append(svg("circle.heat-denied", { cx: place.x + WIDE - 5, cy: place.y + 5, r: 2.5 }));
  return group;
}

const onEnter = (act) => (event) => {
  if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  act();
};
