"""How rules, verdicts and problems look to people, shared by the policy commands."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from mcpgov.core.calls import OPERATED
from mcpgov.front.result import Block, Cell, Line, Table
from mcpgov.policy.draft import Draft, Problem

NAMES = {"paths": "resource_path", "events": "event_type"}


def home_short(path: str) -> str:
    home = os.path.expanduser("~")
    return "~" + path[len(home) :] if path.startswith(home + os.sep) else path


def action_cell(action: str) -> Cell:
    return Cell(action, action)


def where(file: str, line: int) -> str:
    return f"{home_short(file)}:{line}" if line else file


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
    return " | ".join(str(item) for item in items)


def rule_data(draft: Draft) -> dict[str, object]:
    return {
        "rule": draft.id,
        "action": draft.action,
        "enabled": draft.enabled,
        "source": draft.file,
        "line": draft.line,
        "matchers": dict(draft.matchers),
        "message": draft.message,
        "description": draft.description,
        "expires": draft.expires or None,
    }


def problem_data(problem: Problem) -> dict[str, object]:
    return {
        "level": problem.level,
        "source": problem.file,
        "line": problem.line,
        "message": problem.message,
        "hint": problem.hint,
    }


def problem_blocks(problems: Iterable[Problem]) -> list[Block]:
    out: list[Block] = []
    for problem in problems:
        style = "bad" if problem.level == "error" else "warning"
        out.append(Line(f"{problem.level}: {where(problem.file, problem.line)}: {problem.message}", style))
        if problem.hint:
            out.append(Line(f"  hint: {problem.hint}", "faint"))
    return out


def rules_table(drafts: Iterable[Draft]) -> Table:
    rows: list[list[str | Cell]] = []
    for draft in drafts:
        about = draft.message or draft.description
        notes = [about] if about else []
        notes += [f"until {draft.expires}"] if draft.expires else []
        notes += ["disabled"] if not draft.enabled else []
        rows.append(
            [
                str(len(rows) + 1),
                Cell(draft.id, "strong" if draft.enabled else "faint"),
                action_cell(draft.action),
                Cell(matchers_lines(draft.matchers), "" if draft.enabled else "faint"),
                "; ".join(notes),
                Cell(where(draft.file, draft.line), "faint"),
            ]
        )
    return Table(("#", "rule", "action", "matches when", "note", "source"), rows)
