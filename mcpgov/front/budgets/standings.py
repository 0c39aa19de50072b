"""The budgets and limits of the policy in use, each with what stands in the ledger now."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from mcpgov import host
from mcpgov.daemon.processes.process_table import this_machine
from mcpgov.errors import McpgovError
from mcpgov.front.budgets.ledger_repair import repair
from mcpgov.front.context import Context
from mcpgov.guards.hooks import LazyHooks
from mcpgov.guards.ledger.periods import SESSION, Calendar
from mcpgov.guards.ledger.rows import BudgetRow, LimitRow
from mcpgov.guards.ledger.store import Ledger, LedgerAway, LedgerDamaged, Standing


@dataclass(frozen=True, slots=True)
class BudgetShare:
    """One budget of one share, in its period of now. Amounts are micro-units."""

    name: str
    share: str  # "" where all calls count together
    per: str
    unit: str
    key: str
    period: str
    spent: int
    held: int
    limit: int
    raised: int
    resets_at: float | None

    @property
    def used(self) -> int:
        return self.spent + self.held


@dataclass(frozen=True, slots=True)
class Standings:
    budgets: tuple[BudgetShare, ...]
    limits: tuple[LimitRow, ...]
    notes: tuple[str, ...] = ()


def standings(context: Context, now: float) -> Standings:
    """Raises PolicyError, or McpgovError where the ledger cannot be read."""
    head = context.rules().ruleset.head
    home, hooks = host.home(), LazyHooks()
    rows = [BudgetRow(data, home, hooks) for data in _list(head.get("budgets"))]
    limits = [LimitRow(data, home, hooks) for data in _list(head.get("limits"))]
    found, notes = _ledger(context) if rows else ([], ())
    calendar = Calendar(host.local_time, host.moment_of)
    shares = [share for row in rows for share in _shares(row, found, calendar, now)]
    return Standings(tuple(shares), tuple(limits), notes)


def _shares(row: BudgetRow, found: Iterable[Standing], calendar: Calendar, now: float) -> list[BudgetShare]:
    """Those that a call was counted in, or the one that all are."""
    period = calendar.period(row.per, now, "")
    mine = [
        each
        for each in found
        if (each.key == row.name or each.key.startswith(f"{row.name} "))
        and (each.period == period or (row.per == SESSION and each.period.startswith(f"{SESSION} ")))
    ]
    if not mine and row.each == "user" and row.per != SESSION:
        mine = [Standing(row.name, period, 0, 0, 0)]
    resets_at = calendar.resets_at(row.per, now)
    return [
        BudgetShare(
            row.name, each.key[len(row.name) + 1 :], row.per, row.unit, each.key, each.period, each.spent, each.held,
            row.limit + each.raised, each.raised, resets_at,
        )
        for each in sorted(mine, key=lambda each: (each.key, each.period))
    ]  # fmt: skip


def _ledger(context: Context) -> tuple[list[Standing], tuple[str, ...]]:
    def read(ledger: Ledger) -> list[Standing]:
        ledger.release_dead(_lives)
        return ledger.standing()

    path = context.places.ledger
    if not path.exists():
        return [], ()
    try:
        return with_ledger(context, read), ()
    except LedgerDamaged:
        aside = repair(path, context.places.journal)
        note = f"the ledger was damaged and is made anew from the journal; the damaged file is `{aside}`"
        return with_ledger(context, read), (note,)


def with_ledger(context: Context, do: Callable[[Ledger], list[Standing]]) -> list[Standing]:
    ledger = Ledger(str(context.places.ledger))
    try:
        return do(ledger)
    except LedgerDamaged:
        raise
    except LedgerAway as error:
        raise McpgovError(f"the ledger cannot be used: {error}", hint="mcpgov doctor") from None
    finally:
        ledger.close()


def _lives(pid: int, start: str) -> bool:
    """A pid that runs may be another process: then what the dead one held stays held until that ends too."""
    process = this_machine().look(pid)
    return process is not None and process.lives


def _list(value: object) -> list[dict[str, object]]:
    return value if isinstance(value, list) else []


def share_named(found: Standings, name: str, share: str | None) -> BudgetShare:
    """Raises McpgovError where no budget, or more than one, is meant."""
    named = [each for each in found.budgets if each.name == name]
    if not named:
        known = ", ".join(sorted({each.name for each in found.budgets})) or "none"
        raise McpgovError(f"there is no budget `{name}` in use", hint=f"budgets in use: {known}")
    chosen = [each for each in named if share is None or each.share == share]
    if len(chosen) != 1:
        shares = ", ".join(each.share or "(all)" for each in named)
        raise McpgovError(f"`{name}` is counted apart for several: say which", hint=f"--share, one of: {shares}")
    return chosen[0]


def now() -> float:
    return time.time()
