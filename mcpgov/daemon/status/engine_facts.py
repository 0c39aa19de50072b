"""The engine that limits and budgets are shared through, as a status shows it; and what is wrong with it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mcpgov import reason_codes as codes
from mcpgov.guards.ledger import lender_call
from mcpgov.guards.ledger.amounts import shown
from mcpgov.guards.ledger.disk.clocks import day_clock, steady_clock
from mcpgov.guards.ledger.engine_state import EngineState, engine_state

MICRO = 1_000_000
REACHED, AWAY, STARTING, NO_LENDER = "reached", "not-reached", "starting", "lender-not-running"


@dataclass(frozen=True, slots=True)
class EngineStatus:
    """`engine`: its address without the password; `since`: since when it is away, seconds since the epoch.

    `left`: what is enforced here without it, in words, by budget.
    """

    engine: str
    state: str
    since: float | None = None
    why: str = ""
    hint: str = ""
    left: tuple[str, ...] = ()


def engine_status(
    head: Mapping[str, object], ledger: str, wake: Callable[[str], bool] = lender_call.wake
) -> EngineStatus | None:
    """`head`: of the compiled policy. None: nothing is shared."""
    lender = head.get("lender")
    if not isinstance(lender, list) or len(lender) != 2:
        return None
    runs = wake(str(lender[1]))
    found = engine_state(ledger, str(lender[0]), steady_clock(), day_clock())
    if found is None:
        return EngineStatus("", STARTING if runs else NO_LENDER)
    state = NO_LENDER if not runs else AWAY if found.down else REACHED if found.reached else STARTING
    since = found.down / MICRO if found.down else None
    return EngineStatus(found.address, state, since, found.why, found.hint, _left(found))


def _left(found: EngineState) -> tuple[str, ...]:
    return tuple(f"{row.key}: {shown(row.left)}" for row in found.rows if row.left)


def engine_problem(status: EngineStatus) -> tuple[str, str, str] | None:
    """What is wrong, what to type, and the code."""
    here = f"; lent to this machine: {', '.join(status.left)}" if status.left else "; nothing is lent to this machine"
    if status.state == NO_LENDER:
        text = f"the service that reaches the budget store does not run{here}"
        return text, "mcpgov daemon restart", codes.BUDGET_STORE_AWAY
    if status.state != AWAY:
        return None
    since = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(status.since))
    text = f"the budget store {status.engine} is not reached since {since}: {status.why}{here}"
    return text, status.hint or "start it, or correct `ledger` in settings.toml", codes.BUDGET_STORE_AWAY
