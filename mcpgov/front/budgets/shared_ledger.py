"""Budgets that are shared through an engine, at the command line: how that does, and what a person changes there.

Law: this process never speaks with the engine. It asks the lender through the local ledger, and waits a moment.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcpgov.errors import McpgovError
from mcpgov.front.context import Context
from mcpgov.guards.ledger import lender_call
from mcpgov.guards.ledger.disk.clocks import day_clock, steady_clock
from mcpgov.guards.ledger.disk.problems import LedgerAway
from mcpgov.guards.ledger.engine_state import EngineState, LentRow, engine_state
from mcpgov.guards.ledger.store import Ledger
from mcpgov.ledger_address import masked_address

if TYPE_CHECKING:
    from sqlite3 import Cursor

MICRO = 1_000_000
PATIENCE = 3.0  # seconds
NOT_REACHED = "the budget store is not reached: nothing was changed"


@dataclass(frozen=True, slots=True)
class SharedView:
    """`engine`: its address without the password; `runs`: whether the lender does; `state`: None: never heard of."""

    engine: str
    runs: bool
    state: EngineState | None

    @property
    def reached(self) -> bool:
        return self.runs and self.state is not None and bool(self.state.reached) and not self.state.down

    @property
    def ahead(self) -> float:
        return self.state.ahead / MICRO if self.state is not None else 0.0

    def row(self, key: str, period: str) -> LentRow | None:
        rows = self.state.rows if self.state is not None else []
        return next((row for row in rows if (row.key, row.period) == (key, period)), None)


def shared_view(context: Context) -> SharedView | None:
    """None: nothing is shared. What the engine says is asked for first."""
    lender = context.lender()
    if not lender:
        return None
    runs = True
    try:
        request(context, "", "")
    except McpgovError:
        runs = lender_call.wake(lender[1])
    state = engine_state(str(context.places.ledger), lender[0], steady_clock(), day_clock())
    return SharedView(masked_address(str(context.settings.ledger)), runs, state)


def request(
    context: Context, key: str, period: str, *, raised: int = 0, reset: bool = False, ends: float | None = None
) -> None:
    """A change of the shared row, or with neither only a look. Raises McpgovError where it was not done."""
    ident, (_, socket) = os.urandom(8).hex(), context.lender()
    ledger = ChangeLedger(str(context.places.ledger))
    try:
        ledger.ask(ident, key, period, raised, reset, int(ends or 0))
        end = time.monotonic() + PATIENCE
        while (done := ledger.outcome(ident)) is None and time.monotonic() < end:
            if lender_call.wait(socket, end - time.monotonic()) is None:
                break
        done = ledger.outcome(ident) if done is None else done
        # INVARIANT: a change that was not done here and now is not done later.
        if done is None and ledger.withdraw(ident):
            raise McpgovError(NOT_REACHED, hint="mcpgov daemon start; mcpgov status")
        if done:
            raise McpgovError(f"{done}: nothing was changed", hint="mcpgov status")
        ledger.withdraw(ident)
    except LedgerAway as error:
        raise McpgovError(f"the ledger cannot be used: {error}", hint="mcpgov doctor") from None
    finally:
        ledger.close()


class ChangeLedger(Ledger):
    """What a person asks of the lender, in the local ledger."""

    def ask(self, ident: str, key: str, period: str, raised: int, reset: bool, ends: int) -> None:
        row = (ident, key, period, raised, int(reset), ends)
        columns = "id, key, period, raised, reset, ends"
        self._within(lambda db: db.execute(f"INSERT INTO changes ({columns}) VALUES (?, ?, ?, ?, ?, ?)", row))

    def outcome(self, ident: str) -> str | None:
        """ "" it was done, else why it was not; None: nothing has happened yet."""

        def read(db: Cursor) -> str | None:
            row = db.execute("SELECT why FROM changes WHERE id = ? AND done = 1", (ident,)).fetchone()
            return None if row is None else str(row[0])

        return self._within(read)

    def withdraw(self, ident: str) -> bool:
        def delete(db: Cursor) -> bool:
            return db.execute("DELETE FROM changes WHERE id = ?", (ident,)).rowcount > 0

        return self._within(delete)
