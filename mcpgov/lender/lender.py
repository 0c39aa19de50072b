"""The lender: goes through the rows of the local ledger, and to the engine for what is wanted.

Laws: what calls wait for is asked for at once, what was spent is told within REPORT, and while nothing is spent nothing
is done. An engine that does not answer is left alone for a while (`breaker`); nobody waits for it meanwhile. A ledger
that was replaced or removed under it is entered again.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from mcpgov.guards.ledger.disk.problems import LedgerAway, LedgerDamaged
from mcpgov.lender.breaker import EngineBreaker
from mcpgov.lender.engine_requests import SECOND, Change, EngineError, TrancheAnswer, TrancheRequest
from mcpgov.lender.lender_ledger import LenderLedger, TrancheRow

REPORT = 1.0  # seconds until what was spent is told to the engine
TRY_AGAIN = 0.05  # seconds after which a ledger that was in use is read again
TRY_DAMAGED = 1.0  # seconds after which one is that somebody has to make anew
DAY = 86400.0


class Engine(Protocol):
    """All of them raise EngineError."""

    def open(self) -> int: ...
    def lend(self, request: TrancheRequest) -> TrancheAnswer: ...
    def change(self, change: Change) -> None: ...
    def close(self) -> None: ...


class Lender:
    """`connect`: the engine, for the name that this machine has there."""

    def __init__(
        self,
        ledger: LenderLedger,
        connect: Callable[[str], Engine],
        lease: int,
        clock: Callable[[], float] = time.monotonic,
        say: Callable[[str], None] = lambda _text: None,
    ) -> None:
        self._ledger, self._connect, self._lease, self._clock, self._say = ledger, connect, lease, clock, say
        self._engine: Engine | None = None
        self._breaker = EngineBreaker()
        self._ahead = 0  # microseconds by which the engine's clock is ahead of ours
        self._report_at: float | None = None
        self._lease_at: float | None = None
        self._again_at: float | None = None
        self._problem = ""  # of the ledger, that was told

    # --- time

    def due(self) -> float | None:
        """Seconds until there is something to do without being woken."""
        now = self._clock()
        moments = [at - now for at in (self._report_at, self._lease_at, self._again_at) if at is not None]
        if self._breaker.down:  # what is told or given back waits for the engine, too
            moments = [each for each in (self._breaker.due(now),) if each is not None]
        return max(0.0, min(moments)) if moments else None

    def work(self, *, asked: bool) -> None:
        """Everything that there is to do now. `asked`: a call waits for it."""
        now = self._clock()
        self._again_at = None
        try:
            if self._breaker.may_try(now, asked=asked) and self._reach():
                self._rounds()
            self._answer_changes()
            self._problem = ""
        except LedgerAway as problem:
            if str(problem) != self._problem:
                self._problem = str(problem)
                self._say(f"the ledger cannot be used: {problem}")
            is_damaged = isinstance(problem, LedgerDamaged)
            self._again_at = self._clock() + (TRY_DAMAGED if is_damaged else TRY_AGAIN)

    def _reach(self) -> bool:
        if self._engine is not None and not self._ledger.is_entered():
            self._say("the ledger is another file: this machine is entered in it again")
            engine, self._engine = self._engine, None
            engine.close()
        if self._engine is not None:
            return True
        try:
            self._engine = self._connect(self._ledger.host())
            now = self._engine.open()
        except EngineError as problem:
            self._lost(problem)
            return False
        if self._breaker.down:
            self._say("the engine is reached again")
        self._breaker.reached()
        self._ledger.reached(now)
        self._ahead = now - self._ledger.clocks()[0]
        self._ledger.forget_old()
        return True

    def _lost(self, problem: EngineError) -> None:
        if not self._breaker.down:
            self._say(f"the engine is not reached: {problem}")
        self._breaker.failed(self._clock(), lasting=problem.lasting)
        self._ledger.not_reached(problem)
        engine, self._engine = self._engine, None
        if engine is not None:
            engine.close()

    # --- rounds

    def _rounds(self) -> None:
        """Rows that calls wait for; those that are due to be told; those whose lease ends."""
        now = self._clock()
        told = self._report_at is not None and now >= self._report_at
        rows = self._ledger.rows()
        for row in rows:
            if not self._serve(row, told=told):
                return
        if told:
            self._report_at = None
        if self._report_at is None and any(row.dirty and not row.wanted for row in rows) and not told:
            self._report_at = now + REPORT
        self._plan_leases(rows)

    def _serve(self, row: TrancheRow, *, told: bool) -> bool:
        """False: the engine is away."""
        if row.wanted:
            return self._request(row)
        if row.dirty and told:
            return self._request(row, wants=False)
        if row.lent > row.used and self._ends(row):
            return self._give(row)
        return True

    def _ends(self, row: TrancheRow) -> bool:
        """Does nobody need what is lent here any more: the period is over, or the lease nearly is."""
        clock, _ = self._ledger.clocks()
        over = bool(row.ends) and clock + self._ahead > row.ends * SECOND
        return over or (not row.count and clock - row.at >= row.lease - row.lease // 100)

    def _request(self, row: TrancheRow, *, give: int = 0, wants: bool = True) -> bool:
        assert self._engine is not None
        began, wall = self._ledger.clocks()
        request = row.request(self._lease, wall, give=give, wants=wants)
        try:
            answer = self._engine.lend(request)
        except EngineError as problem:
            self._lost(problem)
            return False
        self._ahead = answer.now - self._ledger.clocks()[0]
        self._ledger.answered(row, request, answer, began)
        return True

    def _give(self, row: TrancheRow) -> bool:
        amount = self._ledger.take_back(row)
        return not amount or self._request(row, give=amount, wants=False)

    def _plan_leases(self, rows: list[TrancheRow]) -> None:
        clock, _ = self._ledger.clocks()
        ends = [row.at + row.lease - row.lease // 100 - clock for row in rows if row.lent > row.used and not row.count]
        ends += [row.ends * SECOND - clock - self._ahead for row in rows if row.lent > row.used and row.ends]
        self._lease_at = self._clock() + min(DAY, max(1.0, min(ends) / SECOND)) if ends else None

    # --- people, and the end

    def _answer_changes(self) -> None:
        for change in self._ledger.changes():
            if self._engine is None:
                self._ledger.changed(change, "the budget store is not reached")
                continue
            try:
                if not change.only_looks:
                    self._engine.change(change)
            except EngineError as problem:
                self._lost(problem)
                self._ledger.changed(change, f"the budget store is not reached: {problem}")
                continue
            if self._look(change):
                self._ledger.changed(change)

    def _look(self, change: Change) -> bool:
        """What the engine says of the changed row; of all rows after a look."""
        for row in self._ledger.rows() if change.only_looks else [self._ledger.row_of(change)]:
            if self._engine is None or not self._request(row, wants=False):
                self._ledger.changed(change, "the budget store is not reached")
                return False
        return True

    def close(self) -> None:
        """The orderly end: what was not spent goes back."""
        try:
            if self._engine is not None:
                for row in self._ledger.rows():
                    if row.lent > row.used and not self._give(row):
                        break
        except LedgerAway as problem:
            self._say(f"the ledger cannot be used: {problem}")
        if self._engine is not None:
            self._engine.close()
            self._engine = None
        self._ledger.close()
