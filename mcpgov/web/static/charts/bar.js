// One amount of a limit as a bar: how much is used, and where the warning stands.

import { svg } from "../parts/dom.js";

const WIDTH = 100;

export function bar(used, limit, { warn = 0.8, label = "" } = {}) {
  const share = limit > 0 ? Math.min(1, used / limit) : 1;
  const tone = share >= 1 ? "deny" : share >= warn ? "ask" : "allow";
  const root = svg(`svg.bar.tone-${tone}`, {
    viewBox: `0 0 ${WIDTH} 8`,
    preserveAspectRatio: "none",
    role: "img",
    "aria-label": label,
  });
  root.append(svg("rect.bar-track", { width: WIDTH, height: 8, rx: 1.5 }));
  root.append(svg("rect.bar-used", { width: Math.max(share > 0 ? 0.8 : 0, share * WIDTH), height: 8, rx: 1.5 }));
  if (warn < 1) root.append(svg("rect.bar-warn", { x: warn * WIDTH, width: 0.4, height: 8 }));
  return root;
}
