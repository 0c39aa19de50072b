// The parts of a view that is drawn again and again while things happen.
//
// Law: a part is made anew only when what it shows has changed, so that nothing a person has opened, typed or chosen in
// another one is lost.

const texts = new WeakMap();

export class KeptParts {
  constructor() {
    this._parts = new Map();
    this._used = new Set();
  }

  // The part of this name: as it was made last time, while `shows` is the same.
  get(name, shows, make) {
    const text = textOf(shows);
    this._used.add(name);
    const before = this._parts.get(name);
    if (before?.text === text) return before.part;
    const part = make();
    this._parts.set(name, { text, part });
    return part;
  }

  // After each drawing: what was not asked for is forgotten.
  sweep() {
    for (const name of this._parts.keys()) if (!this._used.has(name)) this._parts.delete(name);
    this._used.clear();
  }
}

// What the service has told is not changed by us: its text is made once.
function textOf(value) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return JSON.stringify(value);
  if (!texts.has(value)) texts.set(value, JSON.stringify(value));
  return texts.get(value);
}
