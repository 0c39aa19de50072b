"""Lines of styled pieces: aligned in columns, cut to the width, coloured. Pure, light.

Law: widths are measured on what a terminal shows; foreign texts go through visible() first.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence

from mcpgov.front.result import visible

Span = tuple[str, str]  # text, and a word of render's palette
Row = list[Span]

GAP = 2
NARROWEST = 8
CODES = {"allow": "32", "warning": "33", "deny": "31", "good": "1;32", "bad": "1;31", "faint": "2", "strong": "1"}


def painted(row: Row) -> str:
    return "".join(f"\x1b[{CODES[style]}m{text}\x1b[0m" if style else text for text, style in row).rstrip()


def plain(row: Row) -> str:
    return "".join(text for text, _ in row).rstrip()


def columns(text: str) -> int:
    """The width on a terminal: some letters take two columns, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def cut(text: str, room: int) -> str:
    if columns(text) <= room:
        return text
    while text and columns(text) > room - 1:
        text = text[:-1]
    return f"{text}…"


def fit(row: Row, room: int | None) -> Row:
    """INVARIANT: the returned row is not wider than `room`."""
    if room is None:
        return row
    out: Row = []
    for text, style in row:
        out.append((cut(text, room) if room > 0 else "", style))
        room -= columns(out[-1][0])
    return out


def wrapped(text: str, room: int | None, *, whole: bool = False) -> list[str]:
    """Wrap at words; `whole`: a word that is too long continues in the next line, so that nothing is cut."""
    if room is None:
        return [text]
    out = [""]
    words = text.split(" ")
    for word in [piece for long in words for piece in _pieces(long, room - 2)] if whole else words:
        if out[-1] and columns(out[-1]) + 1 + columns(word) > room - 2:
            out.append("")
        out[-1] = f"{out[-1]} {word}" if out[-1] else word
    return out


def _pieces(word: str, room: int) -> list[str]:
    out = [""]
    for char in word:
        if out[-1] and columns(out[-1] + char) > room:
            out.append("")
        out[-1] += char
    return out


def _least(rows: Sequence[Row], elastic: Sequence[int], gaps: Mapping[int, int]) -> int:
    """The minimum width of all columns."""
    widths = [max(columns(visible(row[at][0])) for row in rows) for at in range(len(rows[0]))]
    kept = [min(width, NARROWEST) if at in elastic else width for at, width in enumerate(widths)]
    return sum(kept) + sum(gaps.get(at, GAP) for at in range(len(kept) - 1))


def shrink(widths: list[int], elastic: Sequence[int], room: int) -> None:
    """Narrow the widest elastic column until all fit, but none below NARROWEST."""
    while sum(widths) > room:
        widest = max(elastic, key=lambda at: widths[at])
        if widths[widest] <= NARROWEST:
            return
        widths[widest] -= 1


def grid(
    rows: Sequence[Row],
    room: int | None,
    elastic: Sequence[int],
    right: Sequence[int] = (),
    gaps: Mapping[int, int] | None = None,
    drop: Sequence[int] = (),
) -> list[Row]:
    """Align columns. If they do not fit, the widest elastic one is narrowed, then those of `drop` are left out."""
    if not rows:
        return []
    if room is not None and drop and _least(rows, elastic, gaps or {}) > room:
        gone, *rest = drop
        later = {at: at - (at > gone) for at in range(len(rows[0])) if at != gone}
        return grid(
            [[*row[:gone], *row[gone + 1 :]] for row in rows], room, [later[at] for at in elastic if at != gone],
            [later[at] for at in right if at != gone],
            {later[at]: gap for at, gap in (gaps or {}).items() if at != gone}, [later[at] for at in rest],
        )  # fmt: skip
    shown = [[(visible(text), style) for text, style in row] for row in rows]
    widths = [max(columns(row[at][0]) for row in shown) for at in range(len(shown[0]))]
    space = [(gaps or {}).get(at, GAP) for at in range(len(widths))]
    if room is not None:
        shrink(widths, elastic, room - sum(space[:-1]))
    return [_in_line(row, widths, space, right) for row in shown]


def _in_line(row: Row, widths: Sequence[int], space: Sequence[int], right: Sequence[int]) -> Row:
    made: Row = []
    for at, (text, style) in enumerate(row):
        short = cut(text, widths[at])
        last = at == len(row) - 1
        pad = " " * (widths[at] - columns(short))
        after = "" if last else " " * space[at]
        if at in right:
            made += [(pad, ""), (short, style), (after, "")]
        else:
            # No padding after the last column.
            made += [(short, style), ("" if last else pad + after, "")]
    return made
