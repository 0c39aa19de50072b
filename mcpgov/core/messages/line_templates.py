"""Lines like one that was read before: the same text but for an id and some values. Pure.

Law: a form fits a line only if all of the line but its gaps is, character for character, the line the form was made
from. So the names, the order and the nesting found there hold here too; only what stands in the gaps is left to judge.

One pattern tells it all at once. Loading `re` takes as long as some hundred calls save, so only a conversation that
goes on learns forms at all.
"""

from __future__ import annotations

import re
from _json import scanstring

from mcpgov.core.json.json_spans import elements, members
from mcpgov.core.json.values import quote
from mcpgov.core.messages.wire import SCAN_ERRORS, is_number
from mcpgov.core.session.call_records import plain_answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.core.session.session_policy import Shape

    Gap = tuple[int, int]  # where a text (with its quotes) or a number starts and ends

MOST_GAPS = 32
# As is_number() has it. An id is no zero: that is seldom one.
NUMBER, NUMBERED = "(?:0|[1-9][0-9]{0,14})", "([1-9][0-9]{0,14})"
# Printable ASCII that stands for itself between quotes.
TEXT, IDENT = r"[ !#-\[\]-~]*", r"([ !#-\[\]-~]*)"
# A text with the signs of a harmless one (protect.Protection.harmless): short, without `:`, `=`, `%`, `$`, `~`, and
# with nothing at its beginning and its end that makes a path or a quotation of it.
VALUE = r"([!#&(-\-0-9;<>-Z\]-_a-z|}][ !#&-9;<>-\[\]-}]{0,119}(?<![ '`]))"
# What every text has in it that hides something (preview.is_plain), gives an option or leads upwards: one search
# instead of many for a text that has none of it. Without a class among them, the search skips what begins none of them.
MARKS = re.compile(r"\.\.|_|,|A|B|J|-|29\.|hv|SG\.|dp\.|01\.|xe\.|dapi|bearer |basic ").search


class LineTemplate:
    """A line with gaps: `match` tells whether another one fits."""

    __slots__ = ("match", "numbered")

    def __init__(self, text: str, gaps: list[Gap], ident: int, kinds: list[str]) -> None:
        """`gaps` in order, what may stand in each; `ident`: which of them holds the id."""
        at, parts = 0, []
        for (start, end), kind in zip(gaps, kinds, strict=True):
            mark = '"' if text[start] == '"' else ""
            parts.append(f"{re.escape(text[at:start])}{mark}{kind}{mark}")
            at = end
        self.match = re.compile("".join(parts) + re.escape(text[at:]), re.ASCII).fullmatch
        self.numbered = text[gaps[ident][0]] != '"'


class CallTemplate(LineTemplate):
    """A `tools/call`. `told`: what its note says, with a place for each group; `texts`: which groups are texts of
    arguments; `checks`: which groups, texts or numbers, must pass a check of their own.
    """

    __slots__ = ("answered", "checks", "ident", "nowhere", "record", "texts", "tool", "unmarked")

    def __init__(self, text: str, gaps: list[Gap], ident: int, tool: str, shape: Shape, names: dict[int, str]) -> None:
        """`names`: which gaps are arguments, in order, and of which name; the rest belongs to `_meta`."""
        kinds, shown, texts, checks, group = [], [], [], [], 0
        value_checks = iter(shape.checks)
        for at, (start, _) in enumerate(gaps):
            is_text = text[start] == '"'
            if at == ident:
                self.ident = group
                kinds.append(IDENT if is_text else NUMBERED)
                shown.append("%.0s")
            elif at in names:
                kinds.append(VALUE if is_text else f"({NUMBER})")
                comma = "," if any(item != "%.0s" for item in shown) else ""
                shown.append(f"{comma}{quote(names[at])}:".replace("%", "%%") + ('"%s"' if is_text else "%s"))
                texts += [group] if is_text else []
                check = next(value_checks)
                if check is not None:
                    checks.append((group, check.text if is_text else check.digits))
            else:
                kinds.append(TEXT if is_text else NUMBER)
                continue
            group += 1
        super().__init__(text, gaps, ident, kinds)
        self.tool = tool
        self.answered = plain_answer(tool)
        self.unmarked, self.nowhere = shape.unmarked, shape.nowhere
        record_start = shape.noted.replace("%", "%%")
        self.record = f'{record_start},"args":{{{"".join(shown)}}},' if names else f"{record_start},{''.join(shown)}"
        self.texts, self.checks = tuple(texts), tuple(checks)

    def fit(self, text: str) -> tuple[str | int, str] | None:
        """(id, what its note says of it) of a call in ASCII that fits, if nothing is against it; or None."""
        match = self.match(text)
        if match is None:
            return None
        groups = match.groups()
        for at in self.texts:
            text = groups[at]
            if not (self.nowhere(text) if MARKS(text) is None else self.unmarked(text)):
                return None
        for at, passes in self.checks:
            if not passes(groups[at]):
                return None
        ident = groups[self.ident]
        return int(ident) if self.numbered else ident, self.record % groups


class AnswerTemplate(LineTemplate):
    """A result. `failed`: it tells of an error; `start`: what stands before the first gap; `steps`, for each: the text
    behind it, and whether it is the id.
    """

    __slots__ = ("failed", "start", "steps")

    def __init__(self, text: str, gaps: list[Gap], ident: int, failed: bool) -> None:
        is_text = [text[start] == '"' for start, _ in gaps]
        kinds = [TEXT if quoted else NUMBER for quoted in is_text]
        kinds[ident] = IDENT if is_text[ident] else NUMBERED
        super().__init__(text, gaps, ident, kinds)
        inside = [(a + 1, b - 1) if quoted else (a, b) for (a, b), quoted in zip(gaps, is_text, strict=True)]
        nexts = [start for start, _ in inside[1:]] + [len(text)]
        self.start = text[: inside[0][0]]
        self.steps = tuple(
            (text[end:after], at == ident) for at, ((_, end), after) in enumerate(zip(inside, nexts, strict=True))
        )
        self.failed = failed

    def fit(self, text: str) -> str | int | None:
        """The id of a line of this form in ASCII without escapes; None: it is another line, or not quite so plain."""
        match = self.match(text)
        if match is None:
            return None
        return int(match[1]) if self.numbered else match[1]

    def scanned(self, text: str) -> str | int | None:
        """The same, whatever its texts hold. Raises SCAN_ERRORS."""
        if not text.startswith(self.start) or not (text.isascii() or text.isprintable()):
            return None
        at, ident = len(self.start), ""
        for after, is_ident in self.steps:
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
            if is_ident:
                ident = word
            at = end + len(after)
        if at != len(text):
            return None
        return int(ident) if self.numbered else ident


def call_template(text: str, tool: str, shape: Shape) -> CallTemplate | None:
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
    return CallTemplate(text, gaps, ident, tool, shape, names) if usable else None


def answer_template(text: str, failed: bool) -> AnswerTemplate | None:
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
    return AnswerTemplate(text, gaps, ident, failed) if len(gaps) <= MOST_GAPS else None


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
