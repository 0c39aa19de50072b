"""What a dialect gives to the builder: rules with file and line (Draft), and the problems found (Diagnostics)."""

from __future__ import annotations

import datetime
import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from mcpgov.core.approvals.question import APP, DESK
from mcpgov.core.decision import PROMPT, STRICTNESS
from mcpgov.core.json.values import shortest
from mcpgov.policy.source_lines import Lines, Place

ERROR, WARNING = "error", "warning"
LONGEST_PATTERN = 4096
ALIASES = {"block": "deny"}
SURFACES = (APP, DESK)


@dataclass(frozen=True, slots=True)
class PolicyProblem:
    """Something wrong in a policy text, with its file and line."""

    file: str
    line: int
    message: str
    hint: str = ""
    level: str = ERROR

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


@dataclass(frozen=True, slots=True)
class Draft:
    """One rule as written. `matchers` is already in the compiled form: lists of pattern texts.

    `ask`: which kinds of surface may answer its question, where it says so; `layer`: "" for the user's own policy.
    """

    id: str
    action: str
    file: str
    line: int
    matchers: Mapping[str, object]
    message: str = ""
    description: str = ""
    expires: str = ""
    enabled: bool = True
    dialect: str = "ordered"
    ask: tuple[str, ...] = ()
    layer: str = ""


@dataclass(slots=True)
class Diagnostics:
    """One policy file while it is parsed: its name and lines for messages, and the problems so far."""

    file: str
    lines: Lines
    problems: list[PolicyProblem] = field(default_factory=list)

    def line(self, place: Place) -> int:
        """The line of a place, or of the nearest enclosing place that has one."""
        while place not in self.lines and place:
            place = place[:-1]
        return self.lines.get(place, 1)

    def error(self, place: Place, message: str, hint: str = "") -> None:
        self.problems.append(PolicyProblem(self.file, self.line(place), message, hint))

    def warn(self, place: Place, message: str, hint: str = "") -> None:
        self.problems.append(PolicyProblem(self.file, self.line(place), message, hint, WARNING))

    def unknown_keys(self, table: Mapping[str, object], known: Iterable[str], place: Place, what: str) -> None:
        for key in table:
            if key not in known:
                self.error((*place, key), f"unknown key `{key}` in {what}", did_you_mean(key, known))

    def table(self, value: object, place: Place, what: str) -> dict[str, object]:
        if isinstance(value, dict):
            return value
        self.error(place, f"{what} must be a table, not {kind(value)}")
        return {}

    def text(self, table: Mapping[str, object], key: str, place: Place) -> str:
        value = table.get(key, "")
        if isinstance(value, str):
            return value
        self.error((*place, key), f"`{key}` must be a string, not {kind(value)}")
        return ""

    def flag(self, table: Mapping[str, object], key: str, place: Place, default: bool) -> bool:
        value = table.get(key, default)
        if isinstance(value, bool):
            return value
        self.error((*place, key), f"`{key}` must be true or false, not {kind(value)}")
        return default

    def patterns(self, value: object, place: Place, what: str, *, scalars: bool = False) -> list[str]:
        """A string or a list of strings; `scalars` also takes numbers and booleans, as their shortest JSON text."""
        items = value if isinstance(value, list) else [value]
        if not items:
            self.error(place, f"{what} is an empty list", "a list means any of its items; leave the key out")
        out: list[str] = []
        for at, item in enumerate(items):
            here = (*place, at) if isinstance(value, list) else place
            text = _scalar_text(item) if scalars else item
            if not isinstance(text, str):
                self.error(here, f"{what} must be a string or a list of strings, not {kind(item)}")
            elif not text:
                self.error(here, f"{what} is empty", "`**` matches anything")
            elif len(text) > LONGEST_PATTERN:
                self.error(here, f"{what} is longer than {LONGEST_PATTERN} characters")
            else:
                out.append(text)
        return out

    def choice(self, value: object, choices: Iterable[str], place: Place, what: str) -> str | None:
        options = tuple(choices)
        if isinstance(value, str) and value in options:
            return value
        shown = f"`{value}`" if isinstance(value, str) else kind(value)
        hint = did_you_mean(value, options) if isinstance(value, str) else ""
        self.error(place, f"unknown {what} {shown}", hint or "one of " + ", ".join(options))
        return None

    def surfaces(self, table: Mapping[str, object], place: Place, action: str | None) -> tuple[str, ...]:
        """`ask`: where a `prompt` rule may be answered."""
        if "ask" not in table:
            return ()
        here = (*place, "ask")
        if action not in (None, PROMPT):
            self.error(here, f"`ask` is for prompt rules: `{action}` asks nobody")
        found = self.patterns(table["ask"], here, "`ask`")
        return tuple(dict.fromkeys(name for name in found if self.choice(name, SURFACES, here, "surface")))

    def action(self, value: object, place: Place) -> str | None:
        """An action by any of its names."""
        if isinstance(value, str):
            value = ALIASES.get(value, value)
        found = self.choice(value, (*STRICTNESS, *ALIASES), place, "action")
        return ALIASES.get(found, found) if found else None

    def date(self, table: Mapping[str, object], key: str, place: Place) -> str:
        value = table.get(key, "")
        if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
            return value.isoformat()
        if isinstance(value, str):
            try:
                return datetime.date.fromisoformat(value).isoformat() if value else ""
            except ValueError:
                pass
        self.error((*place, key), f"`{key}` must be a date such as 2027-01-31, the last day the rule holds")
        return ""


def _scalar_text(value: object) -> object:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return shortest(repr(value))
    if isinstance(value, int):
        return str(value)
    return value


def kind(value: object) -> str:
    names = {dict: "a table", list: "a list", str: "a string", bool: "a boolean", int: "a number", float: "a number"}
    return names.get(type(value), "null" if value is None else "a date")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, list(known), 1)
    return f"did you mean `{close[0]}`?" if close else ""
