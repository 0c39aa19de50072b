"""How open questions look, in the list and in full, and which keys answer them. Pure: the terminal is elsewhere.

Laws: no line is wider than there is room, and in full nothing of a question is cut away; only keys are offered whose
answer this question takes; no key answers by accident: Enter and Escape do nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mcpgov.core.approvals.grants import EXACT, FOLDER, SESSION, TIME, TOOL
from mcpgov.daemon.approvals.choices import ALWAYS, NO, TERMINAL, YES_ONCE, Choice, objection
from mcpgov.daemon.approvals.question import Question
from mcpgov.daemon.approvals.wording import details, headline
from mcpgov.front.output.grid import Row, columns, cut, fit, wrapped

QUARTER = 15 * 60.0
HURRY = 10.0  # seconds left from which on the time is brought out
LONGEST_HEADLINE = 2000


@dataclass(frozen=True, slots=True)
class ShownQuestion:
    """`left`: seconds; `waiting`: calls that hang on it; `suggests`: a rule is worth it."""

    question: Question
    left: float
    waiting: int = 1
    suggests: bool = False


@dataclass(frozen=True, slots=True)
class Key:
    """A single key; `choice` None: it moves or shows something."""

    key: str
    text: str
    choice: Choice | None = None


KEYS = (
    Key("y", "allow once", YES_ONCE),
    Key("n", "deny", NO),
    Key("s", "exactly this, this session", Choice(True, SESSION, EXACT)),
    Key("f", "this folder, this session", Choice(True, SESSION, FOLDER)),
    Key("t", "this tool, 15 minutes", Choice(True, TIME, TOOL, QUARTER)),
    Key("a", "exactly this, always", Choice(True, ALWAYS, EXACT)),
    Key("d", "this folder, always", Choice(True, ALWAYS, FOLDER)),
    Key("w", "this tool, always", Choice(True, ALWAYS, TOOL)),
    Key("?", "show all of it"),
    Key("j", "next"),
    Key("k", "previous"),
    Key("q", "leave"),
)
IN_FULL = {"?": "back to the list", "j": "down", "k": "up"}


def keys_for(question: Question | None) -> list[Key]:
    """The keys that do something now."""
    if question is None:
        return [key for key in KEYS if key.key == "q"]
    return [key for key in KEYS if key.choice is None or not objection(key.choice, question, TERMINAL)]


def key_for(pressed: str, question: Question | None) -> Key | None:
    """What a key means now; None: nothing."""
    return next((key for key in keys_for(question) if key.key == pressed), None)


def list_view(questions: Sequence[ShownQuestion], selected: int, room: int) -> list[Row]:
    return [*list_rows(questions, selected, room), *footer(questions[selected].question if questions else None, room)]


def list_rows(questions: Sequence[ShownQuestion], selected: int, room: int) -> list[Row]:
    """A row each."""
    if not questions:
        return [fit([("nothing is asked", "faint")], room)]
    rows: list[Row] = []
    for at, item in enumerate(questions):
        mark = "> " if at == selected else "  "
        time, number = _before(item)
        text = cut(headline(item.question, LONGEST_HEADLINE) + _waiting(item), max(1, _space(item, room)))
        style = "warning" if item.left < HURRY else "faint"
        parts: Row = [(mark, "strong"), (time, style), (number, "faint"), (text, "strong" if mark[0] == ">" else "")]
        rows.append(fit(parts, room))
    return rows


def _before(item: ShownQuestion) -> tuple[str, str]:
    return f"{max(0, round(item.left)):>4} s  ", f"{item.question.number}  "


def _space(item: ShownQuestion, room: int) -> int:
    return room - 2 - sum(map(columns, _before(item)))


def whole_in_list(item: ShownQuestion, room: int) -> bool:
    """Does the list show what a yes would be for? Not where the row is cut, nor where a path leads elsewhere."""
    question = item.question
    straight = all(place.leads in ((place.text,), ()) for place in question.paths)
    whole = columns(headline(question, LONGEST_HEADLINE + 1)) <= min(_space(item, room), LONGEST_HEADLINE)
    return whole and straight and question.complete


def full_view(item: ShownQuestion, room: int) -> list[Row]:
    return [*full_rows(item, room), *footer(item.question, room, full=True)]


def full_rows(item: ShownQuestion, room: int) -> list[Row]:
    """All of one question: long lines go on in the next one."""
    question = item.question
    rows: list[Row] = [[(line, "strong")] for line in wrapped(headline(question, LONGEST_HEADLINE), room, whole=True)]
    for line in details(question):
        first, *rest = wrapped(line, room - 2, whole=True)
        rows += [[("  ", ""), (first, "")], *([("    ", ""), (more, "")] for more in rest)]
    rows.append(
        [("  ", ""), (f"{max(0, round(item.left))} s left{_waiting(item)}", "warning" if item.left < HURRY else "")]
    )
    if item.suggests:
        told = "you have allowed this three times: `mcpgov approvals suggest` shows a rule for it"
        rows += [[("  ", ""), (line, "good")] for line in wrapped(told, room - 2, whole=True)]
    rows += [
        [("  ", ""), (line, "faint")] for line in wrapped(f"mcpgov approve {question.number}", room - 2, whole=True)
    ]
    return [fit(row, room) for row in rows]


def _waiting(item: ShownQuestion) -> str:
    return f" ({item.waiting} calls wait for it)" if item.waiting > 1 else ""


def footer(question: Question | None, room: int, *, full: bool = False) -> list[Row]:
    """The keys that do something, below an empty row."""
    texts = IN_FULL if full else {}
    parts = [f"{key.key} {texts.get(key.key, key.text)}" for key in keys_for(question)]
    lines = [""]
    for part in parts:
        if lines[-1] and columns(lines[-1]) + 3 + columns(part) > room:
            lines.append("")
        lines[-1] = f"{lines[-1]} · {part}" if lines[-1] else part
    return [[("", "")], *(fit([(line, "faint")], room) for line in lines)]
