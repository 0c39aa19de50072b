"""The guard of rate limits and budgets: claims before a call is sent, settles when it has ended.

Laws: what is not met denies the call before anybody sees it; a call that a person is asked about claims when it is
sent. Without the ledger each limit's own `when_down` decides, and that is on record. Every charge is on record, so that
the ledger can be made anew from the journal.
"""

from __future__ import annotations

import time

from mcpgov.core.decision import DENY, Decision
from mcpgov.core.rules.path_matching import Reader
from mcpgov.core.session.guard import Guard
from mcpgov.core.session.open_requests import DENIED, UNRECORDED, WITHDRAWN
from mcpgov.guards.ledger.amounts import shown
from mcpgov.guards.ledger.budget_states import BudgetState
from mcpgov.guards.ledger.claims import BudgetClaim, ClaimRefusal, LimitClaim, away
from mcpgov.guards.ledger.disk.problems import LedgerAway
from mcpgov.guards.ledger.periods import SESSION, Calendar
from mcpgov.guards.ledger.rows import CALL, QUESTION, BudgetRow, LedgerRow, LimitRow
from mcpgov.guards.ledger.store import Ledger
from mcpgov.host import local_time, moment_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mcpgov.core.rules.call import Call
    from mcpgov.core.session.effects import Note
    from mcpgov.core.world import World
    from mcpgov.guards.ledger.claims import Claim, Hold, Warned

NOT_SENT = (DENIED, UNRECORDED, WITHDRAWN)
ALLOW_DOWN = "allow"
MOST_NAMES = 512


class CallReservation:
    """What a call that is on its way holds. `usual`: what it costs whatever the answer says, if that is so. `charges`:
    what it costs, once its answer is known; None of one where the answer names no price."""

    __slots__ = ("charges", "hold", "rows", "usual")

    def __init__(self, hold: Hold, rows: list[BudgetRow], usual: UsualCharges | None) -> None:
        self.hold = hold
        self.rows = rows
        self.usual = usual
        self.charges: list[int | None] | None = None


class UsualCharges:
    """What calls of some names cost whatever their answers say, and what is put on record of that."""

    __slots__ = ("charges", "note")

    def __init__(self, claims: list[BudgetClaim]) -> None:
        self.charges: list[int | None] = [claim.amount for claim in claims]
        self.note: Note = {"action": "charged", "charges": _charged(claims, self.charges)}


class Counting:
    """The rows that count calls of some names, each with every operation that it counts them as. `by_names`: what they
    claim depends on nothing else of a call; then it is kept for the second it was worked out in. `claiming`: the row of
    each claim; `budgets`: of those the budgets."""

    __slots__ = ("budgets", "by_names", "claiming", "claims", "rows", "second", "usual")

    def __init__(self, rows: list[tuple[LedgerRow, str]]) -> None:
        self.rows = rows
        self.by_names = not any(isinstance(row, BudgetRow) and row.claims_by_values for row, _ in rows)
        self.second = -1
        self.keep([], [])

    def keep(self, rows: list[LedgerRow], claims: list[Claim]) -> None:
        self.claiming = rows
        self.claims = claims
        self.budgets = [row for row in rows if isinstance(row, BudgetRow)]
        self.usual: UsualCharges | None = None
        if self.budgets and all(row.is_always_charged for row in self.budgets):
            self.usual = UsualCharges([claim for claim in claims if isinstance(claim, BudgetClaim)])


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
        self._held: dict[Call, CallReservation] = {}
        self._questions: dict[Call, list[LimitClaim]] = {}  # taken for a question that is open
        self.notes: list[Note] = []
        # Which rows count calls of these names; a project is a path, and links on it may change.
        self._counting: dict[tuple[str, ...], Counting] = {}
        self._repeats = not any(row.reads_project for row in rows)
        self._reads_operation = any(row.reads_operation for row in rows)

    def concerns(self, call: Call) -> bool:
        reader = Reader(self._world)
        return any(row.may_count(call, reader) for row in self._rows)

    def reads_values(self, call: Call) -> bool:
        reader = Reader(self._world)
        return any(row.reads_values and row.may_count(call, reader) for row in self._rows)

    def check(self, call: Call, *, sends: bool) -> Decision | None:
        """The usual call in one function, without the many small ones below: a process that has slept finds each of
        them in no cache, which takes longer than what it does."""
        if call in self._held:
            return None
        names = (CALL, call.server, call.client, call.project, call.method, call.tool or "")
        counting = self._counting.get(names) if sends and not self._reads_operation else None
        if counting is None or not counting.claims:
            return self._claim(call, CALL, sends=sends)
        try:
            if counting.second != int(self._ledger.now(self._wall())):
                return self._claim(call, CALL, sends=sends)
            found = self._ledger.reserve(counting.claims, call.number)
        except LedgerAway as problem:
            return self._down(call, counting.claiming, counting.claims, problem, sends=sends)
        if isinstance(found, ClaimRefusal):
            return _denied(found)
        if found.warned:
            self._warn(found.warned)
        if found.budgets:
            self._held[call] = CallReservation(found, counting.budgets, counting.usual)
        return None

    def hears_the_end(self, call: Call) -> bool:
        return call in self._held or call in self._questions

    def asks(self, call: Call) -> Decision | None:
        return self._claim(call, QUESTION, sends=True)

    def unasked(self, call: Call) -> None:
        """A question that nobody got to see counts for nothing."""
        claims = self._questions.pop(call, None)
        if claims:
            try:
                self._ledger.give_back(claims)
            except LedgerAway as problem:
                self.notes.append({"action": "unsettled", "why": str(problem)})

    def _claim(self, call: Call, on: str, *, sends: bool) -> Decision | None:
        counting = self._rows_of(call, on)
        if not counting.rows:
            return None
        try:
            now = self._ledger.now(self._wall())
        except LedgerAway as problem:
            return self._down(call, *self._claims(call, counting, self._wall()), problem, sends=sends)
        return self._meet(call, *self._claims(call, counting, now), sends=sends)

    def _meet(self, call: Call, rows: list[LedgerRow], claims: list[Claim], *, sends: bool) -> Decision | None:
        if not claims:
            return None
        try:
            if not sends:
                return _denied(self._ledger.look(claims))
            found = self._ledger.reserve(claims, call.number)
        except LedgerAway as problem:
            return self._down(call, rows, claims, problem, sends=sends)
        if isinstance(found, ClaimRefusal):
            return _denied(found)
        if found.warned:
            self._warn(found.warned)
        if rows[0].on == QUESTION:
            self._questions[call] = [claim for claim in claims if isinstance(claim, LimitClaim)]
        if found.budgets:
            self._held[call] = CallReservation(found, [row for row in rows if isinstance(row, BudgetRow)], None)
        return None

    def _claims(self, call: Call, counting: Counting, now: float) -> tuple[list[LedgerRow], list[Claim]]:
        """Those of rows that claim anything of this call."""
        if counting.second == int(now):
            return counting.claiming, counting.claims
        rows: list[LedgerRow] = []
        claims: list[Claim] = []
        for row, operation in counting.rows:
            if isinstance(row, LimitRow):
                claim: Claim | None = row.claim(call, operation)
            else:
                assert isinstance(row, BudgetRow)
                claim = row.claim(call, operation, self._calendar, now, call.session)
            if claim is not None:
                rows.append(row)
                claims.append(claim)
        if counting.by_names:
            counting.keep(rows, claims)
            counting.second = int(now)
        return rows, claims

    def _rows_of(self, call: Call, on: str) -> Counting:
        """`on`: what happens to the call, that a limit may count."""
        operations = (call.operation, *call.other_operations) if self._reads_operation else ()
        names = (on, call.server, call.client, call.project, call.method, call.tool or "", *operations)
        counting = self._counting.get(names)
        if counting is None:
            reader = Reader(self._world)
            asked = [row for row in self._rows if row.on == on]
            counting = Counting([(row, each) for row in asked for each in row.counted_as(call, reader)])
            if self._repeats:
                if len(self._counting) >= MOST_NAMES:
                    self._counting.clear()
                self._counting[names] = counting
        return counting

    def _down(
        self, call: Call, rows: list[LedgerRow], claims: list[Claim], problem: LedgerAway, *, sends: bool
    ) -> Decision | None:
        """Some claims cannot be checked: the first whose row does not allow that denies. The others are met."""
        kept: tuple[list[LedgerRow], list[Claim]] = ([], [])
        names: list[str] = []
        for row, claim in zip(rows, claims, strict=True):
            if problem.claims is not None and claim not in problem.claims:
                kept[0].append(row)
                kept[1].append(claim)
            elif row.when_down != ALLOW_DOWN:
                return _denied(away(claim, str(problem)))
            elif row.name not in names:
                names.append(row.name)
        if names:
            self.notes.append({"action": "unchecked", "limits": names, "why": str(problem)})
        return self._meet(call, *kept, sends=sends)

    def _warn(self, warned: list[Warned]) -> None:
        for each in warned:
            claim = each.claim
            told = {"budget": claim.name, "spent": shown(each.used), "limit": shown(each.allowed)}
            whose = {"share": claim.share} if claim.share else {}
            self.notes.append({"action": "warned", **told, **whose, "period": claim.period})

    def answered(self, call: Call, answer: object, *, is_error: bool) -> None:
        held = self._held.get(call)
        if held is None:
            return
        if held.usual is not None:
            held.charges = held.usual.charges
            return
        pairs = zip(held.rows, held.hold.budgets, strict=True)
        held.charges = [row.charge(claim, answer, is_error=is_error) for row, claim in pairs]

    def session_ended(self, session: str) -> None:
        if not any(isinstance(row, BudgetRow) and row.per == SESSION for row in self._rows):
            return
        try:
            if self._ledger.is_there():
                self._ledger.end_session(f"{SESSION} {session}")
        except LedgerAway:
            return  # the end of the process tells it; other conversations go on

    def settle(self, call: Call, outcome: str) -> None:
        self._questions.pop(call, None)
        held = self._held.pop(call, None)
        if held is None:
            return
        usual = held.usual if held.charges is not None else None
        charges = usual.charges if usual is not None else self._charges(held, outcome)
        try:
            warned = self._ledger.settle(held.hold, charges)
            if warned:
                self._warn(warned)
        except LedgerAway as problem:
            # Its hold stays, and counts as spent when this process is gone.
            self.notes.append({"action": "unsettled", "why": str(problem)})
        if usual is not None:
            self.notes.append(usual.note)
        elif outcome not in NOT_SENT or held.charges is not None:
            note: Note = {"action": "charged", "charges": _charged(held.hold.budgets, charges)}
            unpriced = [claim.key for claim, charge in zip(held.hold.budgets, charges, strict=True) if charge is None]
            self.notes.append({**note, "unpriced": unpriced} if unpriced else note)

    def _charges(self, held: CallReservation, outcome: str) -> list[int | None]:
        if held.charges is not None:  # its answer came, even if nobody gets to see it
            return held.charges
        if outcome in NOT_SENT:
            return [0] * len(held.rows)
        # Sent, and how it ended nobody knows.
        return [row.usual_charge(claim) for row, claim in zip(held.rows, held.hold.budgets, strict=True)]

    def explain(self, call: Call) -> list[dict[str, object]]:
        from mcpgov.guards.ledger.explain import of_absence, of_budget, of_limit

        rows, claims = self._claims(call, self._rows_of(call, CALL), self._wall())
        try:
            stands, clocks = self._ledger.stands(claims), self._ledger.clocks()
        except LedgerAway as problem:
            pairs = zip(rows, claims, strict=True)
            return [of_absence(claim, str(problem), denies=row.when_down != ALLOW_DOWN) for row, claim in pairs]
        told: list[dict[str, object]] = []
        for claim, state in zip(claims, stands, strict=True):
            if isinstance(claim, LimitClaim):
                assert not isinstance(state, BudgetState)
                told.append(of_limit(claim, state, *clocks))
            else:
                assert isinstance(state, BudgetState)
                told.append(of_budget(claim, state.spent + state.held, claim.limit + state.raised))
        return told


def _charged(budgets: list[BudgetClaim], charges: list[int | None]) -> list[list[object]]:
    """As `ledger_repair` reads it back: key, period, micro-units."""
    pairs = zip(budgets, charges, strict=True)
    return [[claim.key, claim.period, claim.amount if charge is None else charge] for claim, charge in pairs]


def _denied(refusal: ClaimRefusal | None) -> Decision | None:
    if refusal is None:
        return None
    return Decision(DENY, refusal.name, refusal.kind, refusal.message, "", data=refusal.data)


def make(heads: list[dict[str, object]], world: World) -> LedgerGuard:
    """`heads`: of the policies in force; each names its limits, its budgets and the ledger's file."""
    from mcpgov.guards.hooks import LazyHooks

    hooks, path, lender = LazyHooks(), "", None
    rows: list[LedgerRow] = []
    for head in heads:
        for key, kind in (("limits", LimitRow), ("budgets", BudgetRow)):
            found = head.get(key) or []
            assert isinstance(found, list)
            rows += [kind(data, world.home, hooks) for data in found]
        path = path or str(head.get("ledger") or "")
        lender = lender or head.get("lender")
    if not path:
        raise ValueError("the policy names no ledger")
    return LedgerGuard(rows, open_ledger(path, lender), world, Calendar(local_time, moment_of, time.tzset))


def open_ledger(path: str, lender: object) -> Ledger:
    """`lender`: the engine and the socket of the lender, where limits and budgets are shared with other machines."""
    if not isinstance(lender, list):
        return Ledger(path)
    from mcpgov.guards.ledger.shared import SharedLedger

    store, socket = map(str, lender)
    return SharedLedger(path, store, socket)
