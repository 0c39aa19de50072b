"""What a status says of limits and budgets, and how the last report on the ledger is read. Pure.

The report is a file: whoever has looked after the ledger last (`mcpgov budget maintain`) has written it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

GOOD, AWAY, DAMAGED, NEWER, REBUILT = "good", "away", "damaged", "newer", "rebuilt"
SQLITE = "sqlite"
RECENT = 86_400.0  # seconds for which a ledger that was made anew is told of


@dataclass(frozen=True, slots=True)
class BudgetLine:
    """One budget of one share, in its period of now; `warn`: the share of it from which a person is told, 0: never."""

    name: str
    share: str = ""
    spent: float = 0.0
    limit: float = 0.0
    unit: str = ""
    per: str = ""
    warn: float = 0.0

    @property
    def amounts(self) -> str:
        return f"{self.spent:g} of {self.limit:g}{f' {self.unit}' if self.unit else ''}"

    @property
    def title(self) -> str:
        return f"{self.name} ({self.share})" if self.share else self.name


@dataclass(frozen=True, slots=True)
class LedgerStatus:
    """`health`: one of the above, `why`: what is wrong, or where a damaged file is now; `lacks`: what the one that was
    made anew may lack. `refused`: calls of today."""

    time: float = 0.0
    engine: str = SQLITE
    health: str = GOOD
    why: str = ""
    budgets: tuple[BudgetLine, ...] = ()
    limits: int = 0
    refused: int = 0
    lacks: str = ""


def ledger_status(report: Mapping[str, object]) -> LedgerStatus | None:
    """What a report says; None: there is none, or nothing is counted. What is no report of ours says nothing."""
    rows = report.get("budgets")
    lines = tuple(_line(row) for row in rows if isinstance(row, dict)) if isinstance(rows, list) else ()
    found = LedgerStatus(**{**_typed(LedgerStatus, report), "budgets": lines})
    return found if found.time and (found.budgets or found.limits or found.health != GOOD) else None


def _line(row: Mapping[str, object]) -> BudgetLine:
    return BudgetLine(**{"name": "", **_typed(BudgetLine, row)})


def _typed(kind: type, row: Mapping[str, object]) -> dict[str, Any]:
    """The fields that have the type of their default."""
    found: dict[str, Any] = {}
    for each in fields(kind):
        value, usual = row.get(each.name), "" if each.name == "name" else each.default
        number = isinstance(usual, (int, float)) and isinstance(value, (int, float)) and not isinstance(value, bool)
        if number or (isinstance(usual, str) and isinstance(value, str)):
            found[each.name] = value
    return found
