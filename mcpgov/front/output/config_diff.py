"""The diff of a config text: the changed lines and those around them, cut out of a text of any size."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from itertools import pairwise

from mcpgov.configs.pass_result import FileResult
from mcpgov.configs.remote.masked_url import without_ids
from mcpgov.configs.text.splice import Edit, splice
from mcpgov.front.result import Block, Line

MARKS = {"+": "allow", "-": "deny"}
WIDEST, REACH = 400, 100  # longest line shown; characters shown on each side of a change in a longer one
CONTEXT, FAR = 3, 2000  # lines around a change, and how many characters they may have


def shown_diff(result: FileResult) -> list[Block]:
    """The diff of a result, without secrets."""
    return diff(*masked(result.before, result.edits, *result.masks))


def masked(
    before: str, edits: Sequence[Edit], masks_before: Sequence[Edit], masks_after: Sequence[Edit]
) -> tuple[str, list[Edit]]:
    """The old text and the edits, with what is not shown masked in both; masks are in order."""
    ends = sorted({at for start, end, _ in edits for at in (start, end)})
    pieces = [piece for mask in masks_before for piece in _pieces(mask, ends)]
    shift, new_edits = 0, []
    for start, end, new in sorted(edits):
        here = start + shift
        hidden = [
            (max(a - here, 0), min(b - here, len(new)), text)
            for a, b, text in masks_after
            if a < here + len(new) and b > here
        ]
        shown = without_ids(splice(new, hidden))
        new_edits.append((start + _growth(pieces, start), end + _growth(pieces, end), shown))
        shift += len(new) - (end - start)
    return splice(before, pieces), new_edits


def _pieces(mask: Edit, ends: Sequence[int]) -> list[Edit]:
    """A mask cut where an edit begins or ends."""
    start, end, text = mask
    cuts = [start, *(at for at in ends if start < at < end), end]
    return [(one, other, text if one == start else "") for one, other in pairwise(cuts)]


def _growth(masks: Sequence[Edit], at: int) -> int:
    return sum(len(text) - (end - start) for start, end, text in masks if end <= at)


def diff(before: str, edits: Sequence[Edit]) -> list[Block]:
    """The changed lines and those around them. Only these are processed: files may be large."""
    view: list[Block] = []
    above, line = 0, 1
    for start, end, inside in _groups(before, edits):
        line += before.count("\n", above, start)
        gap = _split(before[above:start])[1:-1] if start - above <= FAR else []
        if not view or len(gap) > 2 * CONTEXT or start - above > FAR:
            view += _same(_under(before, above, start)) if view else []
            gap = _over(before, above, start)
            view.append(Line(f"@@ line {line - len(gap)} @@", "faint"))
        view += [*_same(gap), *_changed(before, start, end, inside)]
        line += before.count("\n", start, end)
        above = end
    return [*view, *_same(_under(before, above, len(before)))]


def _over(text: str, start: int, end: int) -> list[str]:
    """The last complete lines before `end`."""
    first = max(start, end - FAR)
    return _split(text[first:end])[1 if first else 0 : -1][-CONTEXT:]


def _under(text: str, start: int, end: int) -> list[str]:
    """The first complete lines after the one that contains `start`."""
    last = min(end, start + FAR)
    lines = _split(text[start:last])[1:]
    return (lines if last == len(text) and lines[-1:] != [""] else lines[:-1])[:CONTEXT]


def _same(lines: Iterable[str]) -> list[Line]:
    return [Line(f" {_cut(without_ids(text))}") for text in lines]


def _changed(before: str, start: int, end: int, inside: Sequence[Edit]) -> list[Line]:
    lead = "…" if before[max(start - 1, 0) : start].strip("\n") else ""
    tail = "…" if before[end : end + 1].strip("\r\n") else ""
    old = before[start:end]
    new = splice(old, [(a - start, b - start, text) for a, b, text in inside])
    old_lines, new_lines = _split(f"{lead}{old}{tail}"), _split(f"{lead}{new}{tail}")
    diff_lines = list(difflib.unified_diff(old_lines, new_lines, lineterm="", n=len(old_lines)))[3:]
    return [Line(_cut(without_ids(text)), MARKS.get(text[:1], "")) for text in diff_lines]


def _groups(before: str, edits: Sequence[Edit]) -> list[tuple[int, int, list[Edit]]]:
    """The edits grouped by the lines they are on; of a very long line only a part."""
    groups: list[tuple[int, int, list[Edit]]] = []
    for edit in edits:
        left, right = before.rfind("\n", 0, edit[0]) + 1, before.find("\n", edit[1])
        start = max(left, edit[0] - REACH)
        end = min(len(before) if right < 0 else right, edit[1] + REACH)
        if groups and start <= groups[-1][1]:
            start, _, inside = groups.pop()
            groups.append((start, end, [*inside, edit]))
        else:
            groups.append((start, end, [edit]))
    return groups


def _split(text: str) -> list[str]:
    return [line.removesuffix("\r") for line in text.split("\n")]


def _cut(line: str) -> str:
    return line if len(line) <= WIDEST else f"{line[: WIDEST - 40]} … {line[-20:]}"
