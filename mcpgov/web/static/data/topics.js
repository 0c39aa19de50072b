// What the page knows, by topic, and who hears of changes. A topic keeps its last value for those who come later.

const last = new Map();
const listeners = new Map();

// Calls `heard` now, if there is a value, and after every change; returns how to stop.
export function listen(topic, heard) {
  if (!listeners.has(topic)) listeners.set(topic, new Set());
  listeners.get(topic).add(heard);
  if (last.has(topic)) heard(last.get(topic));
  return () => listeners.get(topic).delete(heard);
}

export function tell(topic, value) {
  last.set(topic, value);
  for (const heard of [...(listeners.get(topic) ?? [])]) heard(value);
}

export const known = (topic) => last.get(topic);
