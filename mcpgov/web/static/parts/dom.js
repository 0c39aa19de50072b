// Elements from a tag, attributes and children. Law: strings become text nodes, never markup; no attribute that runs.

import { foreign } from "./visible.js";

const SVG = "http://www.w3.org/2000/svg";

// h("button.primary", { type: "button", onclick }, "Save"): classes in the tag, functions are listeners.
export function h(tag, ...rest) {
  return build(document.createElement.bind(document), tag, rest);
}

export function svg(tag, ...rest) {
  return build((name) => document.createElementNS(SVG, name), tag, rest);
}

function build(create, tag, rest) {
  const [name, ...classes] = tag.split(".");
  const element = create(name || "div");
  if (classes.length) element.setAttribute("class", classes.join(" "));
  const given = isAttributes(rest[0]) ? rest.shift() : {};
  for (const [key, value] of Object.entries(given)) set(element, key, value);
  add(element, rest);
  return element;
}

const isAttributes = (value) => value?.constructor === Object;

function set(element, key, value) {
  if (value === undefined || value === null || value === false) return;
  if (typeof value === "function") element.addEventListener(key.slice(2), value);
  else if (key === "value" || key === "checked" || key === "disabled") element[key] = value;
  else if (key === "data") Object.assign(element.dataset, value);
  else if (key === "class") element.classList.add(...value.split(" ").filter(Boolean));
  else element.setAttribute(key, value === true ? "" : String(value));
}

function add(element, children) {
  element.append(...nodes(children));
}

const nodes = (children) =>
  children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);

// Puts these inside, and nothing else. A node that is there already stays untouched: what is chosen, selected or
// scrolled in it stays too. The focus is kept where it was, or on an element with the same `data-key`.
export function fill(element, ...children) {
  const held = element.contains(document.activeElement) ? document.activeElement : null;
  const wanted = nodes(children).map((child) => (child instanceof Node ? child : new Text(child)));
  const staying = new Set(wanted);
  for (const old of [...element.childNodes]) if (!staying.has(old)) old.remove();
  let next = element.firstChild;
  for (const node of wanted) {
    if (node === next) next = next.nextSibling;
    else element.insertBefore(node, next);
  }
  if (held && document.activeElement !== held) focusAgain(element, held);
  return element;
}

function focusAgain(element, held) {
  const key = held.dataset.key;
  const there = element.contains(held) ? held : key && element.querySelector(`[data-key="${CSS.escape(key)}"]`);
  there?.focus?.({ preventScroll: true });
}

// A word of another program: a tool, a server, a rule, a file.
export function word(text, kind = "") {
  return h(`code.word${kind ? `.${kind}` : ""}`, foreign(text));
}

let ids = 0;
export const newId = (stem) => `${stem}-${++ids}`;
