"""The budgets and limits of the policy in use, each with what stands in the ledger now."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from shlex import quote
from typing import TypeVar

from mcpgov import host
from mcpgov.daemon.status.budget_shares import BudgetShare, share_at, shares_of
from mcpgov.errors import McpgovError
from mcpgov.front.budgets.ledger_repair import Repaired, repair
from mcpgov.front.budgets.orphaned_holds import ended_sessions, release_orphaned
from mcpgov.front.budgets.shared_ledger import SharedView, shared_view
from mcpgov.front.budgets.spending_checkpoint import keep_checkpoint
from mcpgov.front.context import Context
from mcpgov.guards.hooks import LazyHooks
from mcpgov.guards.ledger.buckets import Bucket
from mcpgov.guards.ledger.disk.accounts import Standing
from mcpgov.guards.ledger.disk.problems import LedgerAway, LedgerDamaged
from mcpgov.guards.ledger.periods import SESSION, Calendar
from mcpgov.guards.ledger.rows import NOBODY, USER, BudgetRow, LimitRow, key_of
from mcpgov.guards.ledger.store import Ledger

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Standings:
    budgets: tuple[BudgetShare, ...]
    limits: tuple[LimitRow, ...]
    notes: tuple[str, ...] = ()
    rebuilt: Repaired | None = None  # the ledger was damaged, and was replaced just now
    buckets: Mapping[str, Bucket] = field(default_factory=dict)
    clocks: tuple[int, int] = (0, 0)
    shared: SharedView | None = None
    rows: tuple[BudgetRow, ...] = ()  # the budgets of the policy, also where nothing was counted
    now: float = 0.0  # by the clock that periods follow


def standings(context: Context, now: float) -> Standings:
    """Raises PolicyError, or McpgovError where the ledger cannot be read."""
    head = context.rules().ruleset.head
    home, hooks = host.home(), LazyHooks()
    rows = [BudgetRow(data, home, hooks) for data in _list(head.get("budgets"))]
    limits = [LimitRow(data, home, hooks) for data in _list(head.get("limits"))]
    shared = shared_view(context) if rows or limits else None
    found, rebuilt = _ledger(context) if rows or limits else (Contents(), None)
    calendar = Calendar(host.local_time, host.moment_of)
    now += shared.ahead if shared is not None else 0.0
    shares = [share for row in rows for share in shares_of(row, found.budgets, calendar, now)]
    if shared is not None:
        shares = [share.with_others(shared.row(share.key, share.period)) for share in shares]
    notes = (_told(rebuilt),) if rebuilt is not None else ()
    known = (found.buckets, found.clocks, shared, tuple(rows), now)
    return Standings(tuple(shares), tuple(limits), notes, rebuilt, *known)


def _told(rebuilt: Repaired) -> str:
    lacks = f"; {rebuilt.unknown}" if rebuilt.unknown else ""
    return f"the ledger was damaged and is made anew from the journal; the damaged file is `{rebuilt.aside}`{lacks}"


def counts_apart(row: BudgetRow) -> bool:
    """Has it shares that can be named before anything is counted? A session's id tells nobody until then."""
    return row.each != USER and row.per != SESSION


def uncounted(found: Standings, row: BudgetRow, share: str) -> BudgetShare:
    """A share, by the name that `--share` takes, in which no call was counted yet."""
    calendar = Calendar(host.local_time, host.moment_of)
    key, period = key_of(row.name, "" if share == NOBODY else share), calendar.period(row.per, found.now, "")
    return share_at(row, Standing(key, period, 0, 0, 0), calendar.resets_at(row.per, found.now))


@dataclass(frozen=True, slots=True)
class Contents:
    """What is in the ledger."""

    budgets: Sequence[Standing] = ()
    buckets: Mapping[str, Bucket] = field(default_factory=dict)
    clocks: tuple[int, int] = (0, 0)


def _ledger(context: Context) -> tuple[Contents, Repaired | None]:
    """With what became of the damaged one, if it had to be made anew."""

    def read(ledger: Ledger) -> Contents:
        release_orphaned(ledger, context.places.journal)
        keep_checkpoint(context, ledger, now())
        ended = ended_sessions(ledger)
        standing = [each for each in ledger.standing() if each.period not in ended]
        return Contents(standing, ledger.buckets(), ledger.clocks())

    if not context.places.ledger.exists():
        return Contents(), None
    try:
        return with_ledger(context, read), None
    except LedgerDamaged:
        repaired = repair(context.places, context.settings.audit_keep_days, now())
        return with_ledger(context, read), repaired


def with_ledger(context: Context, do: Callable[[Ledger], T]) -> T:
    ledger = Ledger(str(context.places.ledger))
    try:
        return do(ledger)
    except LedgerDamaged:
        raise
    except LedgerAway as error:
        raise McpgovError(f"the ledger cannot be used: {error}", hint="mcpgov doctor") from error
    finally:
        ledger.close()


def _list(value: object) -> list[dict[str, object]]:
    return value if isinstance(value, list) else []


def share_named(found: Standings, name: str, share: str | None) -> BudgetShare:
    """Raises McpgovError where no budget, or more than one, is meant."""
    known = sorted({row.name for row in found.rows})
    if name not in known:
        listed = ", ".join(known) or "none"
        raise McpgovError(f"there is no budget `{name}` in use", hint=f"budgets in use: {listed}")
    named = [each for each in found.budgets if each.name == name]
    if not named:
        per_session = all(row.per == SESSION for row in found.rows if row.name == name)
        where = "a session that goes on" if per_session else "this period"
        raise McpgovError(f"nothing of `{name}` is spent in {where}, so there is nothing to change")
    chosen = [each for each in named if share is None or each.share == share]
    if len(chosen) != 1:
        if [each.share for each in named] == [""]:
            raise McpgovError(f"`{name}` is counted for all calls together, not for `{share}`", hint="no --share")
        which = "for several: say which" if share is None else f"and not for `{share}`"
        shares = ", ".join(quote(each.share) for each in named)
        raise McpgovError(f"`{name}` is counted apart {which}", hint=f"--share, one of: {shares}")
    return chosen[0]


def now() -> float:
    return time.time()
