// Foreign text made harmless to the eye: what acts, hides or turns the line around is shown as its code.
//
// Law: what another program chose (names, arguments, descriptions, rules) reaches the page through here or through
// `foreign()`, as text nodes. Nothing in this folder builds markup from a string.

// Controls, formats, surrogates, private use, unassigned, line and paragraph ends, odd blanks, fillers, selectors.
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0\ufe00-\ufe0f\u{e0000}-\u{e0fff}]|(?<=\p{M}{3})\p{M}/gu;

const code = (char) => `U+${char.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;

// A plain string in which nothing acts: for titles, labels and the clipboard's preview.
export function visible(text) {
  return String(text).replace(UNSEEN, (char) => `\u27e8${code(char)}\u27e9`);
}

// Nodes for the same: codes stand out, and the text keeps its own direction apart from its surroundings.
export function foreign(text, { lines = false } = {}) {
  const box = document.createElement("bdi");
  const source = String(text);
  let from = 0;
  for (const found of source.matchAll(UNSEEN)) {
    if (lines && (found[0] === "\n" || found[0] === "\t")) continue;
    box.append(source.slice(from, found.index));
    const mark = document.createElement("span");
    mark.className = "unseen";
    mark.textContent = code(found[0]);
    box.append(mark);
    from = found.index + found[0].length;
  }
  box.append(source.slice(from));
  return box;
}

let home = "";

// Paths below the person's home are shown as ~/…
export function setHome(path) {
  home = path;
}

export function shortPath(path) {
  const text = String(path);
  return home && (text === home || text.startsWith(`${home}/`)) ? `~${text.slice(home.length)}` : text;
}

// At most so many characters, cut in the middle with a count: the end of a path says as much as its beginning.
export function cutMiddle(text, most) {
  const source = String(text);
  if (source.length <= most) return source;
  const tail = Math.floor(most / 3);
  const head = most - tail;
  return `${source.slice(0, head)} \u2026${source.length - head - tail} more\u2026 ${source.slice(-tail)}`;
}
