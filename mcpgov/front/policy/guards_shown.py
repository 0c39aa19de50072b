"""What a policy has besides rules, in short: `[privacy]`, `[signals]`, limits and budgets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mcpgov.front.output.policy_view import field, matchers_lines, where
from mcpgov.front.result import Block
from mcpgov.guards.ledger.amounts import shown

SECOND = 1_000_000
PERIODS = {1: "s", 60: "min", 3600: "h", 86400: "day"}

Head = Mapping[str, Any]


def guard_blocks(head: Head) -> list[Block]:
    """A line for each, with the file that says so."""
    out: list[Block] = []
    tables = {"privacy": _privacy, "signals": _signals, "limits": _limits, "budgets": _budgets}
    for label, texts in tables.items():
        out += [field("" if at else label, text) for at, text in enumerate(texts(head))]
    return out


def guard_data(head: Head) -> dict[str, object]:
    signals = head.get("signals") or {}
    return {
        "privacy": [_told(row) for row in head.get("privacy") or ()],
        "signals": [row for table in signals.get("tables", ()) for row in table["rows"]],
        "limits": [_told(row) for row in head.get("limits") or ()],
        "budgets": [_told(row) for row in head.get("budgets") or ()],
    }


def _told(row: Mapping[str, Any]) -> dict[str, object]:
    return {"source": row["file"], **{key: value for key, value in row.items() if key != "file"}}


def _privacy(head: Head) -> Iterator[str]:
    for row in head.get("privacy") or ():
        kinds = ", ".join(dict.fromkeys([*row.get("kinds", ("every kind",)), *row["patterns"]]))
        yield f"{_modes(row)}: {kinds} ({where(row['file'], row['line'])})"
        for rule in row["rules"]:
            kinds = f": {', '.join(rule['kinds'])}" if "kinds" in rule else ""
            matched = f" where {_matched(rule['match'])}" if rule["match"] else ""
            yield f"  {rule['name']}: {_modes(rule)}{kinds}{matched}"


def _modes(row: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {row[key]}" for key in ("params", "results") if key in row) or "by its rules"


def _signals(head: Head) -> Iterator[str]:
    for table in (head.get("signals") or {}).get("tables", ()):
        for row in table["rows"]:
            matched = f" where {_matched(row['match'])}" if row["match"] else ""
            packs = ", ".join(row["packs"])
            yield (
                f"{row['name']}: results {row['results']}, descriptions {row['descriptions']}, "
                f"from {row['threshold']:g}: {packs}{matched}"
            )


def _limits(head: Head) -> Iterator[str]:
    for row in head.get("limits") or ():
        seconds = row["period"] // SECOND
        period = PERIODS.get(seconds, f"{seconds} s")
        each = "" if row["each"] == "user" else f" for each {row['each']}"
        yield (
            f"{row['name']}: {row['count']}/{period}, burst {row['burst']}, {row['on']}s{each}, "
            f"{_matched(row['match'])} ({where(row['file'], row['line'])})"
        )


def _budgets(head: Head) -> Iterator[str]:
    for row in head.get("budgets") or ():
        amount = shown(row["limit"])
        unit = f" {row['unit']}" if row["unit"] else ""
        each = "" if row["each"] == "user" else f" for each {row['each']}"
        matched = _matched(row["match"])
        yield f"{row['name']}: {amount}{unit} per {row['per']}{each}, {matched} ({where(row['file'], row['line'])})"


def _matched(match: Mapping[str, object]) -> str:
    return "; ".join(matchers_lines(match)) if match != {"method": ["**"]} else "every call"
