"""The ledger of this user: buckets and budgets in one SQLite file that all proxies share.

Law: all claims of a call are met in one transaction, or none is.
"""

from __future__ import annotations

import posix

from mcpgov.guards.ledger import plain_claims, tranches
from mcpgov.guards.ledger.buckets import Bucket, returned, taken
from mcpgov.guards.ledger.budget_states import BudgetState, BudgetStates
from mcpgov.guards.ledger.claims import (
    BudgetClaim,
    ClaimRefusal,
    Hold,
    LimitClaim,
    budget_refusal,
    exceeds,
    left_refusal,
    rate_refusal,
)
from mcpgov.guards.ledger.disk.accounts import LedgerAccounts, Standing, is_counted
from mcpgov.guards.ledger.disk.clocks import day_clock, process_start, steady_clock
from mcpgov.guards.ledger.disk.problems import LedgerAway
from mcpgov.guards.ledger.periods import SESSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from sqlite3 import Cursor

    from mcpgov.guards.ledger.claims import Claim, Warned

MOST_SESSIONS = 512
MOST_ENDED = 64  # calls that have ended and wait to be written
NEW_BUCKET = "INSERT INTO buckets (full, at, wall, key) VALUES (?, ?, ?, ?)"
BUCKET = "UPDATE buckets SET full = ?, at = ?, wall = ? WHERE key = ?"
HOLDS = (
    "INSERT INTO holds (id, key, period, amount, pid, start, made) VALUES (?, ?, ?, ?, ?, ?, ?) "
    "ON CONFLICT DO UPDATE SET amount = amount + excluded.amount"
)


class Ledger(LedgerAccounts):
    """Opened with the first claim."""

    def __init__(self, path: str, clock: Callable[[], int] = steady_clock, wall: Callable[[], int] = day_clock) -> None:
        super().__init__(path, clock, wall)
        self._ended: list[tuple[Hold, list[int | None]]] = []
        self._sessions: set[tuple[int, str]] = set()  # whose process the ledger knows, by the opening of the file
        self._process = (0, "")
        self._count = 0
        self._seen_lent = (0, True)  # the opening of the file, and whether anything of it was lent then

    def reserve(self, claims: Sequence[Claim], call: str = "") -> Hold | ClaimRefusal:
        """`call`: the number of its decision, by which the journal tells whether it was sent. Raises LedgerAway."""
        if len(claims) == 1:
            found = self._locked(self._reserve_plainly, claims[0], call)
            if found is not None:
                return found
        return self._within(self._reserve, claims, call)

    def _reserve_plainly(self, db: Cursor, claim: Claim, call: str) -> Hold | None:
        """None: it is no plain claim, or not met as one."""
        ended = self._ended
        if isinstance(claim, LimitClaim):
            if ended or not plain_claims.take(db, claim, self._clock(), self._wall()):
                return None
            return Hold(call, [], [], self._opened)
        if not claim.is_plain or self._seen_lent[1] or self._seen_lent[0] != self._opened:
            return None
        if ended and not plain_claims.settles(claim, ended):
            return None
        hold = Hold(self._name(call), [claim], [], self._opened)
        if not plain_claims.hold(db, claim, ended[0][0].id if ended else "", (hold.id, *self._process), self._wall()):
            return None
        ended.clear()
        return hold

    def _reserve(self, db: Cursor, claims: Sequence[Claim], call: str) -> Hold | ClaimRefusal:
        now, wall = self._clock(), self._wall()
        hold = Hold(call, [], [], self._opened)
        rows = BudgetStates(db)
        if self._ended:
            self._settle_ended(db, rows)
        for claim in claims:
            if isinstance(claim, LimitClaim):
                refusal = _take(db, claim, now, wall)
            else:
                refusal = self._hold(db, claim, hold, rows)
            if refusal is not None:
                return refusal  # and nothing of this is written
        if hold.budgets:
            self._keep(db, hold, call, wall)
        rows.write(wall)
        self._ended.clear()
        return hold

    def _hold(self, db: Cursor, claim: BudgetClaim, hold: Hold, rows: BudgetStates) -> ClaimRefusal | None:
        row = rows.row(claim.key, claim.period)
        refusal = self._beyond(db, claim, row.spent + row.held, claim.limit + row.raised)
        if refusal is None:
            row.hold(claim, hold, self._elsewhere(db, claim))
        return refusal

    def _keep(self, db: Cursor, hold: Hold, call: str, wall: int) -> None:
        hold.id = self._name(call)
        for claim in hold.budgets:
            db.execute(HOLDS, (hold.id, claim.key, claim.period, claim.amount, *self._process, wall))
            if claim.period.startswith(SESSION):
                self._keep_session(db, claim.period)

    def _name(self, call: str) -> str:
        """The id of a hold: of the call, and of the process that made it."""
        if not self._process[0]:
            self._process = (posix.getpid(), process_start())
        self._count += 1
        return f"{call}/{self._process[0]}-{self._process[1]}-{self._count}"

    def _keep_session(self, db: Cursor, period: str) -> None:
        """By its process it is told that a session has ended."""
        place = (self._opened, period)
        if place not in self._sessions:
            if len(self._sessions) >= MOST_SESSIONS:
                self._sessions.clear()
            self._sessions.add(place)
            db.execute("INSERT OR REPLACE INTO sessions VALUES (?, ?, ?)", (period, *self._process))

    def _beyond(self, db: Cursor, claim: BudgetClaim, used: int, limit: int) -> ClaimRefusal | None:
        if exceeds(claim, used, limit):
            return budget_refusal(claim, used, limit)
        # A budget that was shared in this period and is not any more: others may have spent the rest. Nothing is lent
        # while a policy that shares nothing is in force, so one look for each opening of the file is enough.
        if self._seen_lent[0] != self._opened:
            self._seen_lent = (self._opened, tranches.any_lent(db))
        lent = tranches.lent_here(db, claim.key, claim.period) if self._seen_lent[1] else None
        return left_refusal(claim, used, limit) if lent is not None and exceeds(claim, used, lent) else None

    def _elsewhere(self, db: Cursor, claim: BudgetClaim) -> int:
        """What other machines have spent of it."""
        return 0

    def now(self, wall: float) -> float:
        """By whose clock periods begin and end: the machine's. Raises LedgerAway."""
        return wall

    def look(self, claims: Sequence[Claim]) -> ClaimRefusal | None:
        """Would these be refused now? Nothing is reserved. Raises LedgerAway."""
        now, wall = self.clocks()
        claimed: dict[tuple[str, str], int] = {}
        for claim, state in zip(claims, self.stands(claims), strict=True):
            if isinstance(claim, LimitClaim):
                assert not isinstance(state, BudgetState)
                if (wait := taken(claim.rate, state, now, wall)[1]) > 0:
                    return rate_refusal(claim, wait)
                continue
            assert isinstance(state, BudgetState)
            place = (claim.key, claim.period)
            used, limit = state.spent + state.held + claimed.get(place, 0), claim.limit + state.raised
            if exceeds(claim, used, limit):
                return budget_refusal(claim, used, limit)
            claimed[place] = claimed.get(place, 0) + claim.amount
        return None

    def stands(self, claims: Sequence[Claim]) -> list[Bucket | BudgetState | None]:
        """The bucket of each limit, if it has one, and the state of each budget. Where there is no ledger none is made,
        and nothing is spent. Raises LedgerAway."""
        if not self.is_there():
            return [None if isinstance(claim, LimitClaim) else BudgetState() for claim in claims]

        def read(db: Cursor) -> list[Bucket | BudgetState | None]:
            rows = BudgetStates(db)
            return [
                _bucket(db, claim) if isinstance(claim, LimitClaim) else rows.row(claim.key, claim.period)
                for claim in claims
            ]

        return self._within(read)

    def give_back(self, claims: Sequence[LimitClaim]) -> None:
        """What these took of their rates did not happen. Raises LedgerAway."""
        self._within(self._give_back, claims)

    def _give_back(self, db: Cursor, claims: Sequence[LimitClaim]) -> None:
        now, wall = self._clock(), self._wall()
        for claim in claims:
            bucket = _bucket(db, claim)
            if bucket is not None:
                after = returned(claim.rate, bucket, now, wall)
                db.execute(BUCKET, (str(after.full), after.at, after.wall, claim.key))

    def settle(self, hold: Hold, charges: list[int | None]) -> list[Warned]:
        """The call has ended and costs this, an amount for each budget. A second time changes nothing. What reaches its
        warning with it. None: it said no price, and costs what was estimated.

        What costs as much as it held changes nothing for anybody else: it is written with the next claim, and should
        the process die before that, the hold counts as spent all the same.
        """
        self._ended.append((hold, charges))
        if len(self._ended) < MOST_ENDED:
            for claim, charge in zip(hold.budgets, charges, strict=True):
                if charge != claim.amount:
                    break
            else:
                return []
        return self._within(self._write_ended, hold.budgets)

    def _write_ended(self, db: Cursor, budgets: Sequence[BudgetClaim] = ()) -> list[Warned]:
        """`budgets`: of the call that has ended just now, which may be warned of."""
        rows = BudgetStates(db)
        warned: list[Warned] = []
        self._settle_ended(db, rows)
        for claim in budgets:
            rows.row(claim.key, claim.period).warn(claim, warned, self._elsewhere(db, claim))
        rows.write(self._wall())
        self._ended.clear()
        return warned

    def _settle_ended(self, db: Cursor, rows: BudgetStates) -> None:
        """INVARIANT: `_ended` is emptied by whoever commits."""
        for hold, charges in self._ended:
            is_held = db.execute("DELETE FROM holds WHERE id = ?", (hold.id,)).rowcount > 0
            for claim, charge in zip(hold.budgets, charges, strict=True):
                row = rows.row(claim.key, claim.period)
                if is_held:
                    row.held -= claim.amount
                # A ledger that was made anew knows no hold. It has this charge if that was on record in time.
                if is_held or (hold.opened != self._opened and not is_counted(db, hold.id, claim.key)):
                    row.spent += claim.amount if charge is None else charge
                    row.unpriced += charge is None

    def standing(self) -> list[Standing]:
        if self._ended:
            self._within(self._write_ended)
        return super().standing()

    def close(self) -> None:
        """Calls that have ended are written, if that can be done; if not, they count as spent all the same."""
        try:
            if self._ended:
                self._within(self._write_ended)
        except LedgerAway:
            self._ended.clear()
        self._drop()


def _take(db: Cursor, claim: LimitClaim, now: int, wall: int) -> ClaimRefusal | None:
    bucket = _bucket(db, claim)
    after, wait = taken(claim.rate, bucket, now, wall)
    if after is None:
        return rate_refusal(claim, wait)
    db.execute(NEW_BUCKET if bucket is None else BUCKET, (str(after.full), after.at, after.wall, claim.key))
    return None


def _bucket(db: Cursor, claim: LimitClaim) -> Bucket | None:
    row = db.execute("SELECT full, at, wall FROM buckets WHERE key = ?", (claim.key,)).fetchone()
    return Bucket(int(row[0]), row[1], row[2]) if row else None
