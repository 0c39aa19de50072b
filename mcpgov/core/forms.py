"""Lines like one that was read before: the same text but for an id and some values. Pure.

Law: a form fits a line only if all of the line but its gaps is, character for character, the line the form was made
from. So the names, the order and the nesting found there hold here too; only what stands in the gaps is left to judge.
"""

from __future__ import annotations

from _json import scanstring

from mcpgov.core.conversation import answered
from mcpgov.core.pieces import elements, members
from mcpgov.core.values import quote
from mcpgov.core.wire import MOST_PLAIN_DIGITS, SCAN_ERRORS, is_bare, is_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from mcpgov.core.standing import Shape

    Gap = tuple[int, int]  # where a text (with its quotes) or a number starts and ends

MOST_GAPS = 32
# What a gap holds: a text, a plain number, the id; an argument that is a text, one that is a number.
TEXT: Final = 0
NUMBER: Final = 1
IDENT: Final = 2
VALUE: Final = 3
COUNT: Final = 4


class Form:
    """A line with gaps; `start`: what stands before the first. The quotes of a text do not belong to its gap.

    `between`: for each gap, the text from its end to the next one, or to the end of the line.
    """

    __slots__ = ("between", "numbered", "start")

    def __init__(self, text: str, gaps: list[Gap], ident: int) -> None:
        """`gaps` in order; `ident`: which of them holds the id."""
        inside = [(start + 1, end - 1) if text[start] == '"' else (start, end) for start, end in gaps]
        nexts = [start for start, _ in inside[1:]] + [len(text)]
        self.between = [text[end:after] for (_, end), after in zip(inside, nexts, strict=True)]
        self.start = text[: inside[0][0]]
        self.numbered = text[gaps[ident][0]] != '"'


class CallForm(Form):
    """A `tools/call`. `steps`, for each gap: the text behind it, what it holds, what its note
    says before it; `noted` and `closing`: what the note says before the first and behind the last of them.
    """

    __slots__ = ("answered", "closing", "harmless", "noted", "steps", "tool")

    def __init__(self, text: str, gaps: list[Gap], ident: int, tool: str, shape: Shape, names: dict[int, str]) -> None:
        """`names`: which gaps are arguments, and of which name; the rest belongs to `_meta`."""
        super().__init__(text, gaps, ident)
        self.tool = tool
        self.answered = answered(tool)
        self.harmless = shape.harmless
        self.noted = f'{shape.noted},"args":{{' if names else f"{shape.noted},"
        self.closing = "}," if names else ""
        steps, comma = [], ""
        for at, (after, kind) in enumerate(zip(self.between, _kinds(text, gaps), strict=True)):
            if at in names:
                steps.append((after, VALUE if kind == TEXT else COUNT, f"{comma}{quote(names[at])}:"))
                comma = ","
            else:
                steps.append((after, IDENT if at == ident else kind, ""))
        self.steps = tuple(steps)

    def fit(self, text: str) -> tuple[str | int, str] | None:
        """(id, what its note says before `closing`) of a call in ASCII that fits, if nothing is against it; or None."""
        before, _, rest = text.partition(self.start)
        if before:
            return None
        noted, stood, ident = self.noted, "", ""
        for after, kind, told in self.steps:
            word, stood, rest = rest.partition(after)
            if kind == VALUE:
                quoted = quote(word)
                # No longer than with its quotes: it stands for itself, and all of it can be printed.
                if len(quoted) != len(word) + 2 or not self.harmless(word):
                    return None
                noted += told + quoted
            elif kind == IDENT:
                ident = word
            elif not (is_number(word) if kind else is_bare(word)):
                return None
            elif kind == COUNT:
                noted += told + word
        if rest or not stood:
            return None
        if self.numbered:
            # As is_number() has it, but for a zero: that is seldom an id.
            plain = ident.isdigit() and ident[0] != "0" and len(ident) <= MOST_PLAIN_DIGITS
            return (int(ident), noted) if plain else None
        return (ident, noted) if is_bare(ident) else None


class AnswerForm(Form):
    """A result. `steps`, for each gap: the text behind it, and what it holds; `failed`: it tells of an error."""

    __slots__ = ("failed", "steps")

    def __init__(self, text: str, gaps: list[Gap], ident: int, failed: bool) -> None:
        super().__init__(text, gaps, ident)
        kinds = [IDENT if at == ident else kind for at, kind in enumerate(_kinds(text, gaps))]
        self.steps = tuple(zip(self.between, kinds, strict=True))
        self.failed = failed

    def fit(self, text: str) -> str | int | None:
        """The id of a line of this form in ASCII without escapes; None: it is another line, or not quite so plain."""
        before, _, rest = text.partition(self.start)
        if before:
            return None
        stood = ident = ""
        for after, kind in self.steps:
            word, stood, rest = rest.partition(after)
            if kind == IDENT:
                ident = word
            elif not (is_number(word) if kind else len(quote(word)) == len(word) + 2):
                return None
        if rest or not stood:
            return None
        if self.numbered:
            return int(ident) if ident.isdigit() and ident[0] != "0" else None
        return ident if is_bare(ident) else None

    def scanned(self, text: str) -> str | int | None:
        """The same, whatever its texts hold. Raises SCAN_ERRORS."""
        if not text.startswith(self.start) or not (text.isascii() or text.isprintable()):
            return None
        at, ident = len(self.start), ""
        for after, kind in self.steps:
            if after[0] == '"':
                word, end = scanstring(text, at, True)
                end -= 1
            else:
                end = text.find(after[0], at)
                word = text[at:end]
                if not is_number(word):
                    return None
            if not text.startswith(after, end):
                return None
            if kind == IDENT:
                ident = word
            at = end + len(after)
        if at != len(text):
            return None
        return int(ident) if self.numbered else ident


def _kinds(text: str, gaps: list[Gap]) -> list[int]:
    return [TEXT if text[start] == '"' else NUMBER for start, _ in gaps]


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
