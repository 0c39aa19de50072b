// What may be taller than its place: its beginning, how much more there is, and a way to see all of it.
//
// Law: nothing is left out of sight without a word.

import { h } from "./dom.js";
import { plural } from "./words.js";

export function clipped(label, content) {
  const box = h("div.clip-box", content);
  const more = h("button.link.small", { type: "button", hidden: true, "aria-expanded": "false" });
  const root = h("div.clip", box, more);
  let open = false;
  const measure = () => {
    const under = box.scrollHeight - box.clientHeight;
    const lines = Math.ceil(under / (parseFloat(getComputedStyle(content).lineHeight) || 20));
    root.classList.toggle("cut", !open && under > 1);
    more.hidden = !open && under <= 1;
    more.textContent = open ? "Show less" : `Show all: ${plural(lines, "more line")}`;
  };
  more.addEventListener("click", () => {
    open = root.classList.toggle("open");
    more.setAttribute("aria-expanded", String(open));
    // What is scrolled can be scrolled by keys too.
    for (const [name, value] of [["tabindex", 0], ["role", "region"], ["aria-label", label]])
      if (open) box.setAttribute(name, value);
      else box.removeAttribute(name);
    box.scrollTop = 0;
    measure();
  });
  const sizes = new ResizeObserver(measure);
  sizes.observe(box);
  sizes.observe(content);
  return root;
}
