"""The view of rules, verdicts and problems, shared by the policy commands."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite

from mcpgov.core.rules.call import OPERATED, Call
from mcpgov.front.output.text import home_short, some
from mcpgov.front.policy.rule_text import Addition
from mcpgov.front.result import Block, Cell, Line, Table, picked
from mcpgov.policy.draft import Draft, PolicyProblem

COLUMNS = ("#", "rule", "action", "matches when", "source")
NAMES = {"paths": "resource_path", "events": "event_type"}


def field(label: str, text: str, style: str = "") -> Line:
    """One fact above a table."""
    return Line(f"{label:<12}{text}", style)


def where(file: str, line: int) -> str:
    return f"{home_short(file)}:{line}" if line else file


def short_names(files: Iterable[str]) -> dict[str, str]:
    """The shortest unique end of each path."""
    paths = {file: file.split(os.sep) for file in files}
    out: dict[str, str] = {}
    for file, parts in paths.items():
        size = 1
        while size < len(parts) and any(other[-size:] == parts[-size:] for key, other in paths.items() if key != file):
            size += 1
        out[file] = os.sep.join(parts[-size:])
    return out


def subject(call: Call) -> str:
    return call.tool or call.prompt or ", ".join(call.uris)


def matchers_lines(matchers: Mapping[str, object]) -> tuple[str, ...]:
    """A rule's matchers in the words of the policy file."""
    parts: list[str] = []
    for key, value in matchers.items():
        if key == "args" and isinstance(value, list):
            parts += [f"args.{'.'.join(path)} = {_any(wanted)}" for path, wanted in value]
        elif key == "when":
            parts.append(f"when {value}")
        elif value != list(OPERATED):  # a service map's methods go without saying
            parts.append(f"{NAMES.get(key, key)} = {_any(value)}")
    return tuple(parts) or ("every governed method",)


def _any(value: object) -> str:
    items = value if isinstance(value, list) else [value]
    return " | ".join("true" if item is True else str(item) for item in items)


def rule_data(draft: Draft) -> dict[str, object]:
    data = picked(draft, "rule=id", "action", "enabled", "source=file", "line", "matchers", "message", "description")
    return {**data, "matchers": dict(draft.matchers), "expires": draft.expires or None}


def problem_data(problem: PolicyProblem) -> dict[str, object]:
    return picked(problem, "level", "source=file", "line", "message", "hint")


def problem_blocks(problems: Iterable[PolicyProblem]) -> list[Block]:
    out: list[Block] = []
    for problem in problems:
        style = "bad" if problem.level == "error" else "warning"
        out.append(Line(f"{problem.level}: {where(problem.file, problem.line)}: {problem.message}", style))
        if problem.hint:
            out.append(Line(f"  hint: {problem.hint}", "faint"))
    return out


def metadata_data(value: object) -> object:
    """Metadata as JSON values: dates and numbers that JSON lacks become texts."""
    if isinstance(value, dict):
        return {key: metadata_data(item) for key, item in value.items()}
    if isinstance(value, list):
        return [metadata_data(item) for item in value]
    known = isinstance(value, (str, int)) or (isinstance(value, float) and isfinite(value))
    return value if known else str(value)


def metadata_lines(metadata: Mapping[str, object]) -> list[Line]:
    """One line per key; nested tables as dotted names."""
    rows: list[str] = []
    stack = list(reversed(list(metadata.items())))
    while stack:
        name, value = stack.pop()
        if isinstance(value, dict):
            stack += [(f"{name}.{key}", item) for key, item in reversed(value.items())]
        else:
            rows.append(f"{name} = {value if isinstance(value, str) else json.dumps(metadata_data(value))}")
    return [field("" if at else "metadata", row) for at, row in enumerate(rows)]


def rules_table(drafts: Sequence[Draft]) -> Table:
    names = short_names({draft.file for draft in drafts})
    rows: list[list[str | Cell]] = []
    for draft in drafts:
        notes = [text for text in (draft.message, draft.description) if text]
        notes += [f"until {draft.expires}"] if draft.expires else []
        notes += ["disabled"] if not draft.enabled else []
        off = "" if draft.enabled else "faint"
        number, source = Cell(str(len(rows) + 1), "faint"), Cell(f"{names[draft.file]}:{draft.line}", "faint")
        rule, action = Cell(draft.id, off or "strong"), Cell(draft.action, off or draft.action)
        rows.append([number, rule, action, Cell(matchers_lines(draft.matchers), off, tuple(notes)), source])
    return Table(COLUMNS, rows, empty="no rules: the default speaks for every call")


def new_rule_lines(made: Addition) -> list[Block]:
    """The new rule and its place, before it is written."""
    place = f"above `{made.above}`" if made.above else "behind the other rules"
    lines: list[Block] = [Line(f"{where(str(made.file), made.line)}, {place}:", "faint")]
    lines += [Line(f"  {line}", "strong") for line in made.rule.splitlines()]
    if made.overtakes:
        lines.append(Line(f"note: of such calls these are no longer asked: {some(made.overtakes)}", "warning"))
    return lines
