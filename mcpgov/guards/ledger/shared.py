"""The ledger of a machine that shares its limits and budgets with others through an engine.

Laws: a call is met from what the lender has taken from the engine for this machine, in one local transaction without a
network. Where that is not enough the lender is woken and waited for, PATIENT at most; then the call is refused, or
cannot be checked. Periods follow the engine's clock: a machine whose own is wrong counts in the same period as others.
"""

from __future__ import annotations

import time

from mcpgov.guards.ledger import lender_call, tranches
from mcpgov.guards.ledger.claims import BudgetClaim, ClaimRefusal, Hold, LimitClaim, rate_refusal, shared_refusal
from mcpgov.guards.ledger.disk.clocks import day_clock, steady_clock, this_start
from mcpgov.guards.ledger.disk.problems import LedgerAway
from mcpgov.guards.ledger.store import Ledger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from sqlite3 import Cursor

    from mcpgov.guards.ledger.claims import Claim, Warned
    from mcpgov.guards.ledger.tranches import Shortage

PATIENT = 0.1  # seconds
MICRO = 1_000_000
LOOK = 10 * MICRO  # between two looks at how far the engine's clock is ahead


class Shortfall:
    """Nothing is reserved; what is missing is wanted of the lender. `down`: why the engine cannot be asked."""

    __slots__ = ("down", "short")

    def __init__(self, short: list[Shortage], down: str) -> None:
        self.short = short
        self.down = down


class SharedLedger(Ledger):
    """`store`: which engine; `socket`: of the lender."""

    def __init__(
        self,
        path: str,
        store: str,
        socket: str,
        clock: Callable[[], int] = steady_clock,
        wall: Callable[[], int] = day_clock,
    ) -> None:
        super().__init__(path, clock, wall)
        self._store = store
        self._socket = socket
        self._wakes = False
        self._boot = this_start()
        self._ahead: tuple[int, int, str] | None = None
        self._looked = 0

    def now(self, wall: float) -> float:
        """The engine's time, in seconds since the epoch. Raises LedgerAway where it was never reached."""
        if self._ahead is None or not 0 <= self._clock() - self._looked < LOOK:
            self._ahead, self._looked = self._within(self._read_ahead), self._clock()
        if self._ahead is None:
            lender_call.wait(self._socket, PATIENT)
            self._ahead = self._within(self._read_ahead)
        if self._ahead is None:
            raise LedgerAway(self._within(self._down) or "the budget store was never reached")
        ahead, wall_ahead, boot = self._ahead
        same_start = boot and boot == self._boot
        return (self._clock() + ahead if same_start else self._wall() + wall_ahead) / MICRO

    def _read_ahead(self, db: Cursor) -> tuple[int, int, str] | None:
        query = "SELECT ahead, wall_ahead, boot FROM engines WHERE store = ? AND ahead IS NOT NULL"
        row: tuple[int, int, str] | None = db.execute(query, (self._store,)).fetchone()
        return row

    def reserve(self, claims: Sequence[Claim], call: str = "") -> Hold | ClaimRefusal:
        """Raises LedgerAway."""
        end = time.monotonic() + PATIENT
        while True:
            self._wakes = False
            found = self._within(self._try, claims, call)
            if not isinstance(found, Shortfall):
                if self._wakes:
                    lender_call.wake(self._socket)
                return found
            self._out_of(found)
            if time.monotonic() >= end:
                raise LedgerAway(f"the budget store has not answered in {PATIENT:g} s", _claims(found))
            if lender_call.wait(self._socket, end - time.monotonic()) is None:
                raise LedgerAway("the service that reaches the budget store does not run", _claims(found))

    def _try(self, db: Cursor, claims: Sequence[Claim], call: str) -> Hold | ClaimRefusal | Shortfall:
        now, wall = self._clock(), self._wall()
        short = tranches.shortages(db, self._store, claims, now, wall)
        if not short:
            found = self._reserve(db, claims, call)
            if isinstance(found, Hold):
                self._wakes = tranches.use(db, self._store, claims, now)
            return found
        if (refusal := _refusal(short)) is not None:
            return refusal
        for each in short:
            if each.wait < 0:
                tranches.want(db, self._store, each.claim, each.need)
        return Shortfall(short, self._down(db))

    def _beyond(self, db: Cursor, claim: BudgetClaim, used: int, limit: int) -> ClaimRefusal | None:
        """What is lent decides: a person may have forgiven what stands in the row here."""
        return None if tranches.is_shared(claim) and not claim.unnamed else super()._beyond(db, claim, used, limit)

    def _down(self, db: Cursor) -> str:
        row = db.execute("SELECT down, why FROM engines WHERE store = ?", (self._store,)).fetchone()
        if row is None or not row[0]:
            return ""
        since = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(row[0] / MICRO))
        return f"the budget store is not reached since {since} ({row[1]})"

    def _out_of(self, found: Shortfall) -> None:
        """While it is known to be away nobody waits for it; the lender is told that it is asked for."""
        if found.down:
            lender_call.wake(self._socket)
            raise LedgerAway(found.down, _claims(found))

    def look(self, claims: Sequence[Claim]) -> ClaimRefusal | None:
        """What is not lent yet may be by then."""

        def read(db: Cursor) -> list[Shortage]:
            return tranches.shortages(db, self._store, claims, *self.clocks())

        refusal = _refusal(self._within(read))
        return refusal or super().look([claim for claim in claims if not tranches.is_shared(claim)])

    def _give_back(self, db: Cursor, claims: Sequence[LimitClaim]) -> None:
        super()._give_back(db, claims)
        tranches.give_back(db, self._store, claims)

    def settle(self, hold: Hold, charges: list[int | None]) -> list[Warned]:
        warned = super().settle(hold, charges)
        pairs = zip(hold.budgets, charges, strict=True)
        changed = [tranches.place_of(claim) for claim, charge in pairs if charge not in (None, claim.amount)]
        wakes = self._within(lambda db: tranches.mark(db, self._store, changed)) if changed else False
        if wakes:
            lender_call.wake(self._socket)
        return warned

    def _elsewhere(self, db: Cursor, claim: BudgetClaim) -> int:
        return tranches.spent_elsewhere(db, self._store, claim)


def _claims(found: Shortfall) -> list[Claim]:
    return [each.claim for each in found.short]


def _refusal(short: list[Shortage]) -> ClaimRefusal | None:
    """The engine has said that it has no more."""
    for each in short:
        if each.wait >= 0:
            if isinstance(each.claim, LimitClaim):
                return rate_refusal(each.claim, each.wait)
            return shared_refusal(each.claim, each.spent, each.claim.limit + each.raised, each.out)
    return None
