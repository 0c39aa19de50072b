// The policy's text as an editor has it, which knows one line end only, and as the file has it. Pure.
//
// Law: a line that nobody has changed keeps its own line end; a new one gets what most lines of the file have.

const LINE = /([^\r\n]*)(\r\n|\r|\n|$)/y;
const MOST_PAIRS = 4e6; // that are compared where a text has mixed line ends

// As a text area shows it.
export const asTyped = (text) => text.replace(/\r\n?/g, "\n");

// What was typed, with the line ends of the file.
export function asFile(typed, file) {
  const before = lines(file);
  const ends = new Set(before.map(([, end]) => end).filter(Boolean));
  if (!ends.has("\r\n") && !ends.has("\r")) return typed;
  const usual = most(before.map(([, end]) => end).filter(Boolean));
  if (ends.size === 1) return typed.replaceAll("\n", usual);
  const now = typed.split("\n");
  const kept = pairs(
    before.map(([line]) => line),
    now,
  );
  return now.map((line, at) => (at < now.length - 1 ? line + (before[kept.get(at)]?.[1] || usual) : line)).join("");
}

function lines(text) {
  const found = [];
  LINE.lastIndex = 0;
  for (;;) {
    const [, line, end] = LINE.exec(text);
    found.push([line, end]);
    if (!end) return found;
  }
}

function most(all) {
  const count = (one) => all.filter((each) => each === one).length;
  return [...new Set(all)].sort((a, b) => count(b) - count(a))[0];
}

// Which line of the new text is which of the old one: index -> index. The longest common run of lines.
function pairs(old, now) {
  const found = new Map();
  let first = 0;
  while (first < Math.min(old.length, now.length) && old[first] === now[first]) found.set(first, first++);
  let [a, b] = [old.length, now.length];
  while (a > first && b > first && old[a - 1] === now[b - 1]) found.set(--b, --a);
  if ((a - first) * (b - first) > MOST_PAIRS) return found;
  const wide = b - first + 1;
  const longest = new Uint32Array((a - first + 1) * wide);
  const at = (i, j) => (i - first) * wide + (j - first);
  for (let i = a - 1; i >= first; i--)
    for (let j = b - 1; j >= first; j--)
      longest[at(i, j)] =
        old[i] === now[j] ? longest[at(i + 1, j + 1)] + 1 : Math.max(longest[at(i + 1, j)], longest[at(i, j + 1)]);
  for (let [i, j] = [first, first]; i < a && j < b; ) {
    if (old[i] === now[j]) found.set(j++, i++);
    else if (longest[at(i + 1, j)] >= longest[at(i, j + 1)]) i++;
    else j++;
  }
  return found;
}

// The text without one rule, as `mcpgov deny` and the like have written it; null where it cannot be told apart.
export function without(text, rule) {
  const all = text.split("\n");
  const name = `name = ${JSON.stringify(rule)}`;
  const named = all.findIndex((line) => line.trim() === name);
  let first = named;
  while (first >= 0 && !/^\s*\[/.test(all[first])) first--;
  if (first < 0 || all[first].trim() !== "[[rule]]") return null;
  let end = first + 1;
  while (end < all.length && !/^\s*(\[\[?[^\]=]+\]|#|$)/.test(all[end])) end++;
  if (end <= named) return null;
  if (all[first - 1]?.startsWith("# added with `mcpgov ")) first--;
  if (all[end] !== undefined && !all[end].trim()) end++;
  return [...all.slice(0, first), ...all.slice(end)].join("\n");
}
