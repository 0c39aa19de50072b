"""What a person may answer, and what each surface may give. Pure.

Law: the wider or longer a yes, the closer to the desk it has to be given: none that lasts from a popup, none beyond
the session and these arguments from inside the app. What is not understood is no answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mcpgov.core.approvals.grants import EXACT, ONCE, SCOPES, SESSION, TIME
from mcpgov.core.approvals.question import APP, DESK
from mcpgov.daemon.approvals.question import Question

ALWAYS = "always"
TERMS = (ONCE, SESSION, TIME, ALWAYS)
SHORTEST, LONGEST = 60.0, 24 * 3600.0  # seconds that a yes for a time may last
_UNITS = {"s": 1, "m": 60, "h": 3600}


@dataclass(frozen=True, slots=True)
class Choice:
    """`term` and `scope` are of a yes; `seconds` of one for a time."""

    yes: bool
    term: str = ONCE
    scope: str = EXACT
    seconds: float = 0.0


NO = Choice(False)
YES_ONCE = Choice(True)


@dataclass(frozen=True, slots=True)
class SurfaceKind:
    """`kind`: the word by which rules choose (`ask = ["desk"]`); `terms` and `scopes`: what may be answered there."""

    kind: str
    terms: tuple[str, ...]
    scopes: tuple[str, ...]


APP_SURFACE, DESKTOP, TERMINAL, COMMAND, PAGE = "app", "desktop", "terminal", "command", "page"
SURFACES = {
    APP_SURFACE: SurfaceKind(APP, (ONCE, SESSION), (EXACT,)),
    DESKTOP: SurfaceKind(DESK, (ONCE,), (EXACT,)),
    TERMINAL: SurfaceKind(DESK, TERMS, SCOPES),
    COMMAND: SurfaceKind(DESK, TERMS, SCOPES),
    PAGE: SurfaceKind(DESK, TERMS, SCOPES),
}


def objection(choice: Choice, question: Question, surface: str) -> str:
    """Why this surface may not give this answer to this question; "" where it may. Anybody who may answer may deny."""
    found = SURFACES.get(surface)
    if found is None or not question.lets(found.kind):
        return f"the rule `{question.asked_by}` keeps this question from the {found.kind if found else surface}"
    if not choice.yes:
        return ""
    if choice.term not in found.terms or choice.scope not in found.scopes:
        return "such an answer is given at the desk: mcpgov approvals"
    if choice.scope not in question.scopes:
        return f"this call cannot be allowed by {choice.scope}: {' or '.join(question.scopes)}"
    if choice.term == ALWAYS:
        return _no_rule(question, choice)
    if choice.term == SESSION and question.is_permission and not question.revision:
        return "no session of a governed server asks, so there is none to hold it for: choose once or a time"
    if choice.term == TIME and not SHORTEST <= choice.seconds <= LONGEST:
        return "a yes for a time lasts from a minute to a day"
    return ""


def _no_rule(question: Question, choice: Choice) -> str:
    """Why no rule can be written for it; the text of the policy is looked at later, when it is written."""
    if question.is_answer or question.is_permission:
        what = "an answer" if question.is_answer else "a permission"
        return f"no rule is written for {what}: choose the session or a time"
    if question.layer != "user":
        return f"no rule of yours changes what the {question.layer} policy asks"
    if question.asked_by.startswith("("):  # the default may be overruled, a pin is accepted
        return "" if question.asked_by == "(default)" else "accept the tool instead: mcpgov tools SERVER --accept TOOL"
    if choice.scope == EXACT and question.args is None:
        return "its arguments are too long or secret for a rule: choose the folder or the tool"
    return ""


def seconds_of(text: str) -> float | None:
    """`90s`, `15m`, `2h`; a number alone is minutes. None: not a time."""
    found = re.fullmatch(r"([0-9]{1,6})([smh]?)", text.strip())
    return float(int(found[1]) * _UNITS[found[2] or "m"]) if found else None
