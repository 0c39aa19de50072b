"""The ledger as it stands at this moment, for `status` and `doctor`: who asks late is told no less.

Laws: a policy that counts nothing opens nothing. No lock is taken and nobody is waited for, so that the daemon may
look; what only a write can find out (a full disk) is left to the last report. What is spent is never an old number.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from mcpgov import host
from mcpgov.daemon.status.ledger_facts import (
    AWAY,
    DAMAGED,
    GOOD,
    NEWER,
    REBUILT,
    RECENT,
    BudgetLine,
    LedgerStatus,
    ledger_status,
)
from mcpgov.guards.ledger.disk.clocks import day_clock, steady_clock
from mcpgov.guards.ledger.disk.problems import LedgerAway, LedgerDamaged, LedgerNewer, damaged, problem_of
from mcpgov.guards.ledger.engine_state import engine_state, read_only
from mcpgov.guards.ledger.periods import SESSION, Calendar

if TYPE_CHECKING:
    from sqlite3 import Connection

    from mcpgov.guards.ledger.disk.accounts import SessionPeriod, Standing

MICRO = 1_000_000
PATIENCE = 0.05  # seconds; nobody keeps a reader waiting, but for a moment after a crash
BUSY = "locked"
BUDGETS = "SELECT key, period, spent, held, raised FROM budgets"
SESSIONS = f"""
    SELECT period, coalesce(pid, 0), coalesce(start, ''), max(seen) FROM budgets LEFT JOIN sessions USING (period)
    WHERE period >= '{SESSION} ' AND period < '{SESSION}!' GROUP BY period
"""


def ledger_now(
    head: Mapping[str, object], ledger: str, report: Mapping[str, object], now: float
) -> LedgerStatus | None:
    """`head`: of the compiled policy; `report`: the last one. None: nothing is counted, or nothing was counted yet."""
    budgets, limits = _rows(head, "budgets"), _rows(head, "limits")
    if not (budgets or limits) or not os.path.lexists(ledger):
        return None
    last = ledger_status(report) or LedgerStatus()
    today = host.local_day(last.time) == host.local_day(now)
    known = LedgerStatus(now, last.engine, limits=len(limits), refused=last.refused if today else 0)
    try:
        lines = _lines(head, budgets, ledger, now)
    except LedgerDamaged as error:
        return replace(known, health=DAMAGED, why=str(error))
    except LedgerNewer as error:
        return replace(known, health=NEWER, why=str(error))
    except LedgerAway as error:
        return last if BUSY in str(error) else replace(known, health=AWAY, why=str(error))
    stays = last.health == AWAY or (last.health == REBUILT and now - last.time < RECENT)
    told = (last.health, last.why, last.lacks) if stays else (GOOD, "", "")
    return replace(known, budgets=lines, health=told[0], why=told[1], lacks=told[2])


def _lines(
    head: Mapping[str, object], budgets: list[dict[str, object]], ledger: str, now: float
) -> tuple[BudgetLine, ...]:
    # Only where something is counted: the daemon keeps what it has loaded.
    from mcpgov.daemon.status.budget_shares import shares_of
    from mcpgov.guards.hooks import LazyHooks
    from mcpgov.guards.ledger.rows import BudgetRow

    found, lender = read_standings(ledger), head.get("lender")
    shared = None
    if isinstance(lender, list) and lender:
        shared = engine_state(ledger, str(lender[0]), steady_clock(), day_clock())
    lent = {(row.key, row.period): row for row in shared.rows} if shared is not None else {}
    now += shared.ahead / MICRO if shared is not None else 0.0
    calendar, hooks = Calendar(host.local_time, host.moment_of, time.tzset), LazyHooks()
    rows = [BudgetRow(data, host.home(), hooks) for data in budgets]
    shares = [share for row in rows for share in shares_of(row, found, calendar, now)]
    return tuple(share.with_others(lent.get((share.key, share.period))).line for share in shares)


def _rows(head: Mapping[str, object], key: str) -> list[dict[str, object]]:
    found = head.get(key)
    return found if isinstance(found, list) else []


def read_standings(path: str) -> list[Standing]:
    """Every budget, without those of sessions that have ended. Raises LedgerAway."""
    import _sqlite3

    try:
        db: Connection = _sqlite3.connect(read_only(path), uri=True, timeout=PATIENCE)
        try:
            return _read(db, path)
        finally:
            db.close()
    except _sqlite3.OperationalError as error:
        raise problem_of(str(error)) from None
    except _sqlite3.DatabaseError as error:
        raise damaged(str(error)) from None


def _read(db: Connection, path: str) -> list[Standing]:
    from mcpgov.guards.ledger.disk.accounts import SessionPeriod, Standing
    from mcpgov.guards.ledger.disk.schema import VERSION

    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version > VERSION:
        raise LedgerNewer(f"it was written by a newer mcpgov (version {version}, known: {VERSION})")
    if not version:
        raise damaged("it is empty" if not os.stat(path).st_size else "it has no tables of ours")
    found = [Standing(*row) for row in db.execute(BUDGETS)]
    # A ledger of an older version does not know its sessions; the next call brings it up to date.
    sessions = [SessionPeriod(*row) for row in db.execute(SESSIONS)] if version == VERSION else []
    alive = _alive(sessions) if sessions else set()
    return [each for each in found if not each.period.startswith(f"{SESSION} ") or each.period in alive]


def _alive(sessions: list[SessionPeriod]) -> set[str]:
    from mcpgov.daemon.processes.budget_holders import is_over
    from mcpgov.daemon.processes.process_table import this_machine

    machine, now = this_machine(), day_clock()
    return {each.period for each in sessions if not is_over(each, machine, now)}
