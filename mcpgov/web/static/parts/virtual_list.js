// A list of any length of which only what is in view is in the document.
//
// Laws: rows have one height, but for the one that is open; the DOM holds a screenful, whatever the length; rows that
// come in above what is read do not move it.

import { h } from "./dom.js";

const OVERSCAN = 6; // rows beyond each edge

export class VirtualList {
  // `make(item)` gives the inside of a row, `detail(item, before)` what is below it once it is open; `before`: what it
  // was, where more is known of the item now.
  constructor({ label, make, detail, onOpen }) {
    this._make = make;
    this._detail = detail;
    this._onOpen = onOpen ?? (() => {});
    this._items = [];
    this._rows = new Map(); // item -> its element
    this._open = null;
    this._extra = 0;
    this._at = 0; // the row that Tab reaches
    this._planned = false;
    this._added = 0; // rows that came in above since it was drawn
    this.list = h("ul.window-rows", { "aria-label": label });
    this.root = h("div.window", { onscroll: () => this._plan(), tabindex: -1 }, this.list);
    this.list.addEventListener("keydown", (event) => this._key(event));
    this._sizes = new ResizeObserver(() => this._resized());
    this._sizes.observe(this.root);
    this._details = new ResizeObserver(() => this._measured());
  }

  // Items from the top down; `added`: so many of them are new at the top.
  show(items, added = 0) {
    this._items = items;
    this._added += added;
    if (this._open && !items.includes(this._open)) this.close();
    this._plan();
  }

  // What is known of an item has changed: its line is made anew, where it is in view, and what is open below it.
  refresh(item) {
    const row = this._rows.get(item);
    row?.querySelector(".row-line").replaceChildren(...this._make(item).filter(Boolean));
    const box = row?.querySelector(".row-detail");
    box?.replaceChildren(this._detail(item, box.firstChild));
  }

  get opened() {
    return this._open;
  }

  toggle(item) {
    if (this._open === item) this.close();
    else this.open(item);
  }

  open(item) {
    this.close();
    this._open = item;
    const row = this._rows.get(item);
    if (row) this._unfold(row, item);
    this._onOpen(item);
    this._plan();
  }

  close() {
    const row = this._open && this._rows.get(this._open);
    this._open = null;
    this._extra = 0;
    if (row) {
      row.classList.remove("open");
      row.querySelector(".row-line").setAttribute("aria-expanded", "false");
      row.querySelector(".row-detail")?.remove();
    }
    this._details.disconnect();
    this._onOpen(null);
    this._plan();
  }

  _unfold(row, item) {
    row.classList.add("open");
    row.querySelector(".row-line").setAttribute("aria-expanded", "true");
    const box = h("div.row-detail", this._detail(item));
    row.append(box);
    this._details.observe(box);
  }

  _measured() {
    const box = this._open && this._rows.get(this._open)?.querySelector(".row-detail");
    const extra = box ? box.offsetHeight : this._extra;
    if (extra === this._extra) return;
    const first = this._extra === 0;
    this._extra = extra;
    this._draw();
    if (first) this._revealOpen();
  }

  // A row that is opened at the lower edge is moved up until its detail is seen, or its line is at the top.
  _revealOpen() {
    const top = this._items.indexOf(this._open) * this._height;
    const under = top + this._height + this._extra - (this.root.scrollTop + this.root.clientHeight);
    if (under > 0) this.root.scrollTop += Math.min(under, top - this.root.scrollTop);
  }

  _resized() {
    // The height of a row is the style sheet's: one line of columns, or two on a narrow screen.
    const height = parseFloat(getComputedStyle(this.root).getPropertyValue("--row-height"));
    this._height = Number.isFinite(height) && height > 0 ? height : 44;
    this._plan();
  }

  _plan() {
    if (this._planned) return;
    this._planned = true;
    requestAnimationFrame(() => {
      this._planned = false;
      this._draw();
    });
  }

  // Once a frame, however many calls came in.
  _draw() {
    if (!this._height) this._resized();
    const shifted = this.root.scrollTop > 4 ? this._added : 0;
    this._added = 0;
    const count = this._items.length;
    const open = this._open ? this._items.indexOf(this._open) : -1;
    const top = (at) => at * this._height + (open >= 0 && at > open ? this._extra : 0);
    this.list.style.height = `${top(count)}px`;
    if (shifted) this.root.scrollTop += shifted * this._height;
    const rowAt = (y) =>
      Math.floor((open >= 0 && y > top(open) + this._height ? Math.max(top(open), y - this._extra) : y) / this._height);
    const first = Math.max(0, rowAt(this.root.scrollTop) - OVERSCAN);
    const last = Math.min(count, rowAt(this.root.scrollTop + this.root.clientHeight) + 1 + OVERSCAN);
    this._keep(first, last, top);
  }

  _keep(first, last, top) {
    const wanted = new Set(this._items.slice(first, last));
    const focused = this.list.contains(document.activeElement) ? document.activeElement.closest("li") : null;
    for (const [item, row] of this._rows) {
      if (wanted.has(item) || row === focused) continue;
      row.remove();
      this._rows.delete(item);
    }
    this._at = Math.min(Math.max(this._at, first), Math.max(first, last - 1));
    // In the document rows stand in the order in which they are seen: that is the order they are read out.
    let next = this.list.firstChild;
    for (let at = first; at < last; at++) {
      const row = this._place(at, top(at));
      if (row === next) next = next.nextSibling;
      else this.list.insertBefore(row, next);
    }
    if (focused) {
      const at = this._items.indexOf([...this._rows].find(([, row]) => row === focused)?.[0]);
      if (at >= 0) focused.style.transform = `translateY(${top(at)}px)`;
    }
  }

  _place(at, y) {
    const item = this._items[at];
    let row = this._rows.get(item);
    if (!row) {
      row = this._row(item);
      this._rows.set(item, row);
      if (item === this._open) this._unfold(row, item);
    }
    row.style.transform = `translateY(${y}px)`;
    row.setAttribute("aria-posinset", at + 1);
    row.setAttribute("aria-setsize", this._items.length);
    row.firstChild.tabIndex = at === this._at ? 0 : -1;
    return row;
  }

  _row(item) {
    const line = h(
      "button.row-line",
      { type: "button", "aria-expanded": "false", onclick: () => this.toggle(item) },
      this._make(item),
    );
    return h("li.row", line);
  }

  _key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key];
    if (!step || !event.target.classList.contains("row-line")) return;
    event.preventDefault();
    const item = [...this._rows].find(([, row]) => row.contains(event.target))?.[0];
    const from = this._items.indexOf(item);
    const to = Math.min(Math.max(from + step, 0), this._items.length - 1);
    this._at = to;
    this._reveal(to);
    this._rows.get(this._items[to])?.firstChild.focus({ preventScroll: true });
  }

  _reveal(at) {
    const y = at * this._height;
    const bottom = this.root.scrollTop + this.root.clientHeight;
    if (y < this.root.scrollTop) this.root.scrollTop = y;
    else if (y + this._height > bottom) this.root.scrollTop = y + this._height - this.root.clientHeight;
    this._draw();
  }
}
