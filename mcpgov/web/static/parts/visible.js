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

// Nodes for the same: codes stand out, and the text reads from left to right, apart from its surroundings. `lines`: it
// may have some; `ends`: their ends are signs, and many empty ones are told as a number.
export function foreign(text, { lines = false, ends = false } = {}) {
  const box = isolated("ltr");
  const source = String(text);
  let from = 0;
  const put = (until, sign, kind) => {
    box.append(...inOrder(source.slice(from, until)));
    if (sign) box.append(marked(sign, kind));
  };
  for (const { 0: found, index } of source.matchAll(UNSEEN)) {
    if (index < from || (lines && found === "\t")) continue;
    const end = ends && lineEnd(source, index);
    if (end) {
      put(index, end.count > MOST_EMPTY ? `\u21b5 \u00d7${end.count}` : "\u21b5".repeat(lines ? 1 : end.count), "line-end");
      box.append(lines ? "\n".repeat(end.count > MOST_EMPTY ? 1 : end.count) : " ");
      from = index + end.length;
    } else if (!lines || found !== "\n") {
      put(index, code(found), "unseen");
      from = index + found.length;
    }
  }
  put(source.length);
  return box;
}

const MOST_EMPTY = 3; // line ends in a row that are shown as such
const ENDS = /(?:\r?\n)(?:[ \t]*\r?\n)*/y;

function lineEnd(source, index) {
  ENDS.lastIndex = index;
  const found = ENDS.exec(source)?.[0];
  return found && { length: found.length, count: found.split("\n").length - 1 };
}

function marked(sign, kind) {
  const mark = document.createElement("span");
  mark.className = kind;
  mark.textContent = sign;
  return mark;
}

function isolated(direction) {
  const box = document.createElement("bdi");
  box.dir = direction;
  return box;
}

const FROM_THE_RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

// The parts of a path or an address stand in its order, also where each of them is written from right to left.
function inOrder(text) {
  if (!FROM_THE_RIGHT.test(text)) return [text];
  return text.split(/([/\\|&;=]+)/).map((part, at) => {
    if (at % 2 || !part) return part;
    const box = isolated("auto");
    box.append(part);
    return box;
  });
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
