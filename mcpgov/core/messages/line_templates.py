"""Templates of lines: a later line that differs only in its id and some values is not parsed again. Pure.

Law: a line matches a template only if all of it but the gaps equals, character for character, the line the template
was made from. So names, order and nesting are the same, and only the values in the gaps have to be judged.

A template is one regular expression. Loading `re` costs as much as some hundred calls save, so only long conversations
use templates.
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
# Numbers as in is_number(). An id of 0 is rare and not matched.
NUMBER, NUMBERED = "(?:0|[1-9][0-9]{0,14})", "([1-9][0-9]{0,14})"
# Printable ASCII without escapes, between quotes.
TEXT, IDENT = r"[ !#-\[\]-~]*", r"([ !#-\[\]-~]*)"
# A text that may be harmless (Protection.harmless): short, without `:`, `=`, `%`, `$`, `~`, and with no sign at its
# beginning or end that makes it a path or a quotation.
VALUE = r"([!#&(-\-0-9;?A-Z\]-_a-z|}][ !#&-9;<>-\[\]-}]{0,119}(?<![ '`]))"
# Every text with a secret (audit_preview.is_plain), an option or `..` has one of these: one search instead of many.
# Without character classes in it, the search is faster.
MARKS = re.compile(r"\.\.|_|,|A|B|J|-|29\.|hv|SG\.|dp\.|01\.|xe\.|dapi|bearer |basic ").search


class LineTemplate:
    """A line with gaps: `match` tells whether another line has the same text around its gaps.

    Lines are read where they stand in a text of whole lines, so that none is copied. `ident`: the group of the id,
    which is a number if `numbered`.
    """

    __slots__ = ("ident", "match", "numbered")

    def __init__(self, text: str, gaps: list[Gap], ident: int, kinds: list[str]) -> None:
        """`gaps` in order, `kinds`: the pattern of each; `ident`: which gap is the id."""
        at, parts = 0, []
        for (start, end), kind in zip(gaps, kinds, strict=True):
            mark = '"' if text[start] == '"' else ""
            parts.append(f"{re.escape(text[at:start])}{mark}{kind}{mark}")
            at = end
        # It matches up to the end of a line: many lines are read from one text.
        self.match = re.compile(f"{''.join(parts)}{re.escape(text[at:])}$", re.ASCII | re.MULTILINE).match
        self.numbered = text[gaps[ident][0]] != '"'


class CallTemplate(LineTemplate):
    """A `tools/call`. `record`: a format of its record, with places for its number, each group, and the time its
    verdict took; `texts`: which groups are texts of arguments; `checks`: the groups that must pass their own check.
    `counted_by`: as in the shape.
    """

    __slots__ = ("answered", "checks", "counted_by", "names", "nowhere", "record", "texts", "tool", "unmarked")

    def __init__(self, text: str, gaps: list[Gap], ident: int, tool: str, shape: Shape, names: dict[int, str]) -> None:
        """`names`: the gaps that are arguments, in order, with their names; the others belong to `_meta`."""
        kinds, shown, texts, checks, group = [], [], [], [], 0
        arguments: list[tuple[int, str, bool]] = []  # group, name, is it a text
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
                arguments.append((group, names[at], is_text))
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
        gaps_shown = f'"args":{{{"".join(shown)}}},' if names else "".join(shown)
        self.record = f'"dir":"client","decision":"%s",{record_start},{gaps_shown}"us":%s'
        self.texts, self.checks = tuple(texts), tuple(checks)
        self.names, self.counted_by = tuple(arguments), shape.counted_by

    def params(self, gaps: tuple[str, ...]) -> dict[str, object]:
        """What guards are told of a call, for what comes after."""
        arguments = {name: gaps[at] if is_text else int(gaps[at]) for at, name, is_text in self.names}
        return {"name": self.tool, "arguments": arguments}

    def passes(self, gaps: tuple[str, ...]) -> bool:
        """Does the verdict hold for what stands in the gaps (the groups of a match)?"""
        for at, passes in self.checks:
            if not passes(gaps[at]):
                return False
        for at in self.texts:
            text = gaps[at]
            if not (self.nowhere(text) if MARKS(text) is None else self.unmarked(text)):
                return False
        return True


class AnswerTemplate(LineTemplate):
    """A result. `failed`: it is an error; `start`: the text before the first gap; `steps`: for each gap the text behind
    it, and whether the gap is the id.
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

    def scanned(self, text: str, at: int = 0) -> tuple[str | int, int] | None:
        """(id, where it ends) of a line that matches but for escapes and characters outside of ASCII; or None.

        Raises SCAN_ERRORS.
        """
        if not text.startswith(self.start, at):
            return None
        begin, ident = at, ""
        at += len(self.start)
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
        if at != len(text) and text[at] != "\n":
            return None
        if not text.isascii() and not text[begin:at].isprintable():
            return None
        return int(ident) if self.numbered else ident, at


def call_template(text: str, tool: str, shape: Shape) -> CallTemplate | None:
    """The template of a plain call; None where a value is neither text nor a plain number."""
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
    """The template of a result: its texts and plain numbers are gaps, everything else is fixed."""
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
    """Add the texts and numbers inside a value to `gaps`, in order; it stops above MOST_GAPS."""
    if text[at] in "{[":
        # The `type` of a content item hardly ever changes, so it is fixed.
        inner = (
            [(a, b) for key, a, b in members(text, at)[0] if key != "type"] if text[at] == "{" else elements(text, at)
        )
        for start, end in inner[: MOST_GAPS + 1]:
            if text[start] == '"' or is_number(text[start:end]):
                gaps.append((start, end))
            elif len(gaps) <= MOST_GAPS:
                _leaves(text, start, gaps)
