"""Lines like one that was read before: the same text but for an id and some values. Pure.

Law: a form fits a line only if all of the line but its gaps is, character for character, the line the form was made
from. So the names, the order and the nesting found there hold here too; only what stands in the gaps is left to judge.
"""

from __future__ import annotations

from _json import scanstring

from mcpgov.core.pieces import elements, members
from mcpgov.core.values import quote
from mcpgov.core.wire import MOST_PLAIN_DIGITS, SCAN_ERRORS, is_bare, is_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.core.standing import Shape

    Gap = tuple[int, int]  # where a text (with its quotes) or a number starts and ends

MOST_GAPS = 32
LONGEST = 1 << 14  # a longer line is not taken apart


class Form:
    """A line with gaps. `steps`: the character that ends a gap, what stands from there to the next gap, its length."""

    __slots__ = ("ident", "is_text", "size", "start", "steps")

    def __init__(self, text: str, gaps: list[Gap], ident: int) -> None:
        """`gaps` in order; `ident`: which of them holds the id."""
        inside = [(start + 1, end - 1) if text[start] == '"' else (start, end) for start, end in gaps]
        nexts = [start for start, _ in inside[1:]] + [len(text)]
        between = [text[end:after] for (_, end), after in zip(inside, nexts, strict=True)]
        self.start = text[: inside[0][0]]
        self.size = len(self.start)
        self.steps = tuple((part[0], part, len(part)) for part in between)
        self.ident = ident
        self.is_text = tuple(text[start] == '"' for start, _ in gaps)


class CallForm(Form):
    """A `tools/call`. What stands in its gaps is printable ASCII without escapes; a value with any does not fit."""

    __slots__ = ("closing", "others", "shape", "shown", "tool")

    def __init__(self, text: str, gaps: list[Gap], ident: int, tool: str, shape: Shape, names: dict[int, str]) -> None:
        """`names`: which gaps are arguments, and of which name; the rest belongs to `_meta`."""
        super().__init__(text, gaps, ident)
        self.tool = tool
        self.shape = shape
        self.others = [(at, self.is_text[at]) for at in range(len(gaps)) if at not in names and at != ident]
        # The arguments as the record shows them, by name: what stands in front of each value, and behind the last.
        shown: list[tuple[str, int, bool]] = []
        before = '"args":{'
        for name, at in sorted((name, at) for at, name in names.items()):
            mark = '"' if self.is_text[at] else ""
            shown.append((f"{before}{quote(name)}:{mark}", at, self.is_text[at]))
            before = f"{mark},"
        self.shown = tuple(shown)
        self.closing = before[:-1] + "}," if shown else ""

    def fill(self, text: str) -> list[str] | None:
        """What stands in the gaps; None: it is another line."""
        if not text.startswith(self.start):
            return None
        at = self.size
        found = []
        for stop, after, size in self.steps:
            end = text.find(stop, at)
            if end < 0 or not text.startswith(after, end):
                return None
            found.append(text[at:end])
            at = end + size
        return found if at == len(text) else None

    def ident_of(self, found: list[str]) -> str | int | None:
        """The id among what stands in the gaps; None where it, or something in `_meta`, is not plain."""
        for at, is_text in self.others:
            if not (is_bare(found[at]) if is_text else is_number(found[at])):
                return None
        word = found[self.ident]
        if self.is_text[self.ident]:
            return word if is_bare(word) else None
        # As is_number() has it, but for a zero: that is seldom an id.
        return int(word) if word.isdigit() and word[0] != "0" and len(word) <= MOST_PLAIN_DIGITS else None


class AnswerForm(Form):
    """A result. Its texts may hold anything; `failed`: it tells of an error."""

    __slots__ = ("failed",)

    def __init__(self, text: str, gaps: list[Gap], ident: int, failed: bool) -> None:
        super().__init__(text, gaps, ident)
        self.failed = failed

    def ident_in(self, text: str) -> str | int | None:
        """The id of a line of this form; None: it is another line. Raises SCAN_ERRORS."""
        if not text.startswith(self.start):
            return None
        at = self.size
        found: list[str] = []
        for stop, after, size in self.steps:
            if stop == '"':
                value, end = scanstring(text, at, True)
                end -= 1
            else:
                end = text.find(stop, at)
                value = text[at:end]
                if not is_number(value):
                    return None
            if not text.startswith(after, end):
                return None
            found.append(value)
            at = end + size
        if at != len(text):
            return None
        return found[self.ident] if self.is_text[self.ident] else int(found[self.ident])


def call_form(text: str, tool: str, shape: Shape) -> CallForm | None:
    """The form of a plain call that was read; None where a value is neither text nor a plain number."""
    gaps: list[Gap] = []
    names: dict[int, str] = {}
    ident = -1
    for key, start, end in members(text, 0)[0]:
        if key == "id":
            ident = len(gaps)
            gaps.append((start, end))
        elif key == "params":
            for part, first, _ in members(text, start)[0]:
                if part == "name":
                    continue
                for name, at, stop in members(text, first)[0]:
                    if part == "arguments":
                        names[len(gaps)] = name
                    gaps.append((at, stop))
    usable = len(gaps) <= MOST_GAPS and all(text[at] == '"' or is_number(text[at:stop]) for at, stop in gaps)
    return CallForm(text, gaps, ident, tool, shape, names) if usable else None


def answer_form(text: str, failed: bool) -> AnswerForm | None:
    """The form of a result that was read: its texts and plain numbers are gaps, all else is as it is."""
    gaps: list[Gap] = []
    ident = -1
    try:
        for key, start, end in members(text, 0)[0]:
            if key == "id":
                ident = len(gaps)
                gaps.append((start, end))
            elif key == "result":
                _leaves(text, start, gaps)
    except SCAN_ERRORS:
        return None
    return AnswerForm(text, gaps, ident, failed) if len(gaps) <= MOST_GAPS else None


def _leaves(text: str, at: int, gaps: list[Gap]) -> None:
    """The texts and numbers inside a value, in order; more than enough of them is enough."""
    if text[at] in "{[":
        # What kind of content it is hardly ever differs.
        inner = (
            [(a, b) for key, a, b in members(text, at)[0] if key != "type"] if text[at] == "{" else elements(text, at)
        )
        for start, end in inner[: MOST_GAPS + 1]:
            if text[start] == '"' or is_number(text[start:end]):
                gaps.append((start, end))
            elif len(gaps) <= MOST_GAPS:
                _leaves(text, start, gaps)
