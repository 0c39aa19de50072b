"""The guard of rate limits and budgets: claims before a call is sent, settles when it has ended.

Laws: what is not met denies the call before anybody sees it; a call that a person is asked about claims when it is
sent. Without the ledger each limit's own `when_down` decides, and that is on record. Every charge is on record, so that
the ledger can be made anew from the journal.
"""

from __future__ import annotations

import time

from mcpgov.core.decision import DENY, Decision
from mcpgov.core.rules.path_matching import Reader
from mcpgov.core.rules.rule import Setting
from mcpgov.core.session.guard import Guard
from mcpgov.core.session.open_requests import DENIED, UNRECORDED, WITHDRAWN
from mcpgov.guards.ledger.amounts import shown
from mcpgov.guards.ledger.claims import ClaimRefusal, away
from mcpgov.guards.ledger.periods import Calendar
from mcpgov.guards.ledger.rows import BudgetRow, LedgerRow, LimitRow
from mcpgov.guards.ledger.store import Ledger, LedgerAway
from mcpgov.host import local_time, moment_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mcpgov.core.rules.call import Call
    from mcpgov.core.session.effects import Note
    from mcpgov.core.world import World
    from mcpgov.guards.ledger.claims import BudgetClaim, Claim, Hold

NOT_SENT = (DENIED, UNRECORDED, WITHDRAWN)
ALLOW_DOWN = "allow"


class HeldCall:
    """What a call that is on its way holds. `charges`: what it costs, once its answer is known."""

    __slots__ = ("charges", "hold", "rows")

    def __init__(self, hold: Hold, rows: list[BudgetRow]) -> None:
        self.hold = hold
        self.rows = rows
        self.charges: list[int] | None = None


class LedgerGuard(Guard):
    """`wall`: seconds since the epoch."""

    def __init__(
        self,
        rows: list[LedgerRow],
        ledger: Ledger,
        world: World,
        calendar: Calendar,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._rows = rows
        self._ledger = ledger
        self._world = world
        self._calendar = calendar
        self._wall = wall
        self._held: dict[Call, HeldCall] = {}
        self._notes: list[Note] = []

    def check(self, call: Call, *, sends: bool) -> Decision | None:
        rows, claims = self._claims(call)
        if not claims or call in self._held:
            return None
        try:
            if not sends:
                return _denied(self._ledger.look(claims))
            found = self._ledger.reserve(claims)
        except LedgerAway as problem:
            return self._down(rows, claims, str(problem))
        if isinstance(found, ClaimRefusal):
            return _denied(found)
        self._warn(found)
        if found.budgets:
            self._held[call] = HeldCall(found, [row for row in rows if isinstance(row, BudgetRow)])
        return None

    def _claims(self, call: Call) -> tuple[list[LedgerRow], list[Claim]]:
        rows: list[LedgerRow] = []
        claims: list[Claim] = []
        setting = Setting(Reader(self._world), "", call.server)
        now = self._wall()
        for row in self._rows:
            if not row.counts(call, setting):
                continue
            if isinstance(row, LimitRow):
                claim: Claim | None = row.claim(call)
            else:
                assert isinstance(row, BudgetRow)
                claim = row.claim(call, self._calendar, now, call.session)
            if claim is not None:
                rows.append(row)
                claims.append(claim)
        return rows, claims

    def _down(self, rows: list[LedgerRow], claims: list[Claim], why: str) -> Decision | None:
        """The ledger is away: the first that does not allow that denies."""
        for row, claim in zip(rows, claims, strict=True):
            if row.when_down != ALLOW_DOWN:
                return _denied(away(claim, why))
        names = [row.name for row in rows]
        self._notes.append({"action": "unchecked", "limits": names, "why": why})
        return None

    def _warn(self, hold: Hold) -> None:
        for claim, used in hold.warned:
            told = {"budget": claim.name, "spent": shown(used), "limit": shown(claim.limit), "period": claim.period}
            self._notes.append({"action": "warned", **told})

    def scan(self, call: Call, result: object, *, is_error: bool) -> Decision | None:
        held = self._held.get(call)
        if held is not None:
            pairs = zip(held.rows, held.hold.budgets, strict=True)
            held.charges = [row.charge(claim, result, is_error=is_error) for row, claim in pairs]
        return None

    def settle(self, call: Call, outcome: str) -> None:
        held = self._held.pop(call, None)
        if held is None:
            return
        charges = self._charges(held, outcome)
        try:
            self._ledger.settle(held.hold, charges)
        except LedgerAway as problem:
            # Its hold stays, and counts as spent when this process is gone.
            self._notes.append({"action": "unsettled", "why": str(problem)})
        if outcome not in NOT_SENT or held.charges is not None:
            self._notes.append({"action": "charged", "charges": _charged(held.hold.budgets, charges)})

    def _charges(self, held: HeldCall, outcome: str) -> list[int]:
        if held.charges is not None:  # its answer came, even if nobody gets to see it
            return held.charges
        if outcome in NOT_SENT:
            return [0] * len(held.rows)
        # Sent, and how it ended nobody knows.
        pairs = zip(held.rows, held.hold.budgets, strict=True)
        return [0 if row.success_only else claim.amount for row, claim in pairs]

    def take_notes(self) -> list[Note]:
        notes, self._notes = self._notes, []
        return notes


def _charged(budgets: list[BudgetClaim], charges: list[int]) -> list[list[object]]:
    """As `budget repair` reads it back: key, period, micro-units."""
    return [[claim.key, claim.period, charge] for claim, charge in zip(budgets, charges, strict=True)]


def _denied(refusal: ClaimRefusal | None) -> Decision | None:
    if refusal is None:
        return None
    return Decision(DENY, refusal.name, refusal.kind, refusal.message, "", data=refusal.data)


def make(heads: list[dict[str, object]], world: World) -> LedgerGuard:
    """`heads`: of the policies in force; each names its limits, its budgets and the ledger's file."""
    from mcpgov.guards.hooks import LazyHooks

    hooks, path = LazyHooks(), ""
    rows: list[LedgerRow] = []
    for head in heads:
        for key, kind in (("limits", LimitRow), ("budgets", BudgetRow)):
            found = head.get(key) or []
            assert isinstance(found, list)
            rows += [kind(data, world.home, hooks) for data in found]
        path = path or str(head.get("ledger") or "")
    if not path:
        raise ValueError("the policy names no ledger")
    return LedgerGuard(rows, Ledger(path), world, Calendar(local_time, moment_of))
