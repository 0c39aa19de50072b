"""The lender's side of the local ledger: which requests the engine is to get, and what its answers change.

Laws: what goes back to the engine is taken out of the local rows first, so that nothing is counted twice. Only one
lender works on a ledger. An answer sets what is lent to what the engine says, so a lost one is made good by the next.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mcpgov.atomic_file import read_json, write_json
from mcpgov.guards.ledger.disk.clocks import day_clock, steady_clock, this_start
from mcpgov.guards.ledger.disk.ledger_file import PAUSE
from mcpgov.guards.ledger.store import Ledger
from mcpgov.guards.ledger.tranches import holds_lease, in_use
from mcpgov.lender.engine_requests import SECOND, TOKEN_LEASE, Change, EngineError, TrancheAnswer, TrancheRequest

if TYPE_CHECKING:
    from sqlite3 import Cursor

REMEMBERED = SECOND  # for how long an engine that has no more is not asked again
FORGOTTEN = 40 * 86400 * SECOND  # after which the rows of a period that is over are removed
COLUMNS = "key, period, lent, used, most, count, span, ends, at, wall, lease, wanted, least, grain, dirty, number"


@dataclass(frozen=True, slots=True)
class TrancheRow:
    """A row of `tranches`, with what is used of it."""

    key: str
    period: str
    lent: int
    used: int
    most: int
    count: int
    span: int
    ends: int
    at: int
    wall: int
    lease: int
    wanted: int
    least: int
    grain: int
    dirty: bool
    number: int

    def request(self, lease: int, wall: int, *, give: int = 0, wants: bool = True) -> TrancheRequest:
        """`wall`: by which a request whose answer is never heard has a lower number than the next."""
        want, least = (self.wanted, self.least) if wants else (0, 0)
        return TrancheRequest(
            self.key, self.period, self.lent, self.used, self.most, give, least, want, self.grain, self.count,
            self.span, self.ends, TOKEN_LEASE if self.count else lease, max(self.number + 1, wall),
        )  # fmt: skip


class LenderLedger(Ledger):
    """`store`: the engine that the rows are of; `address`: for people. `lease`: of a tranche, in microseconds."""

    _longest_pause = PAUSE  # proxies wait for what the lender writes, so it asks for the lock more often

    def __init__(
        self,
        path: str,
        store: str,
        lease: int,
        address: str = "",
        clock: Callable[[], int] = steady_clock,
        wall: Callable[[], int] = day_clock,
    ) -> None:
        super().__init__(path, clock, wall)
        self._store, self._lease, self._address, self._boot = store, lease, address, this_start()

    def host(self) -> str:
        """Who this machine is to the engine: a name made with the ledger, since a ledger that begins from nothing would
        take back what was spent. One that was made anew, and knows what was spent, has kept the name."""

        def find(db: Cursor) -> str:
            given = (self._store, os.urandom(8).hex(), self._address)
            db.execute(
                "INSERT INTO engines (store, host, address) VALUES (?, ?, ?) "
                "ON CONFLICT DO UPDATE SET address = excluded.address",
                given,
            )
            name: str = db.execute("SELECT host FROM engines WHERE store = ?", (self._store,)).fetchone()[0]
            return name

        name = self._within(find)
        self._keep_name(name)
        return name

    def _keep_name(self, name: str) -> None:
        """Beside the ledger, for one that is made anew."""
        path = Path(f"{self._path}.hosts.json")
        names = read_json(path)
        if names.get(self._store) != name:
            with contextlib.suppress(OSError):  # a full disk: with the next connection
                write_json(path, {**names, self._store: name})

    def is_entered(self) -> bool:
        """Does this very file say that the engine was reached? One that was made since does not."""
        query = "SELECT 1 FROM engines WHERE store = ? AND reached > 0"
        return self._within(lambda db: db.execute(query, (self._store,)).fetchone() is not None)

    # --- what is to be done

    def rows(self) -> list[TrancheRow]:
        """Every row of this engine. What is lent and not used of one whose lease has ended is void."""
        now, wall = self._clock(), self._wall()

        def read(db: Cursor) -> list[TrancheRow]:
            found = db.execute(f"SELECT {COLUMNS} FROM tranches WHERE store = ?", (self._store,)).fetchall()
            return [self._seen(db, TrancheRow(*row), now, wall) for row in found]

        return self._within(read)

    def _seen(self, db: Cursor, row: TrancheRow, now: int, wall: int) -> TrancheRow:
        used = row.used if row.count else in_use(db, row.key, row.period)[0]
        lent = row.lent
        if lent > used and not holds_lease(row.at, row.wall, row.lease, now, wall):
            lent = used
            self._set(db, row, lent)
        return TrancheRow(row.key, row.period, lent, used, *(getattr(row, name) for name in TrancheRow.__slots__[4:]))

    def _set(self, db: Cursor, row: TrancheRow, lent: int) -> None:
        where = (lent, row.key, row.period, self._store)
        db.execute("UPDATE tranches SET lent = ? WHERE key = ? AND period = ? AND store = ?", where)

    def take_back(self, row: TrancheRow) -> int:
        """What is lent and not used goes out of the local row: so much may be given back."""

        def take(db: Cursor) -> int:
            where = (row.key, row.period, self._store)
            found = db.execute("SELECT lent, used FROM tranches WHERE key = ? AND period = ? AND store = ?", where)
            lent, tokens = found.fetchone()
            used = tokens if row.count else in_use(db, row.key, row.period)[0]
            if lent > used and lent == row.lent:
                self._set(db, row, used)
                return int(lent - used)
            return 0

        return self._within(take)

    # --- what the engine said

    def answered(self, row: TrancheRow, request: TrancheRequest, answer: TrancheAnswer, began: int) -> None:
        """`began`: the clock when the request was sent, from which the lease counts."""
        now, wall = self._clock(), self._wall()
        lacks = bool(request.want) and not answer.granted and answer.lent == request.lent
        until = now + min(REMEMBERED, answer.wait or REMEMBERED) if lacks else 0
        others = answer.spent - request.spent
        out = answer.total - answer.spent - (answer.lent - request.spent)

        def write(db: Cursor) -> None:
            db.execute(
                "UPDATE tranches SET lent = ?, last = CASE WHEN ? THEN ? ELSE last END, at = ?, wall = ?, lease = ?, "
                "wanted = max(0, wanted - ?), empty = ?, empty_until = ?, wait = ?, others = ?, out = ?, hosts = ?, "
                "dirty = 0, number = ? WHERE key = ? AND period = ? AND store = ?",
                (
                    answer.lent, answer.granted, answer.granted, began, wall, request.lease, request.want,
                    request.least if lacks else 0, until, answer.wait, others, max(0, out), answer.hosts,
                    max(request.number, answer.number), row.key,
                    row.period, self._store,
                ),
            )  # fmt: skip
            if not row.count:
                db.execute(
                    "INSERT INTO budgets (key, period, raised, seen) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
                    "warned = CASE WHEN raised = excluded.raised THEN warned ELSE 0 END, raised = excluded.raised",
                    (row.key, row.period, answer.raised, wall),
                )

            self._reached(db, answer.now)

        self._within(write)

    def reached(self, engine_now: int) -> None:
        self._within(lambda db: self._reached(db, engine_now))

    def _reached(self, db: Cursor, engine_now: int) -> None:
        now, wall = self._clock(), self._wall()
        db.execute(
            "UPDATE engines SET ahead = ?, wall_ahead = ?, boot = ?, reached = ?, down = 0, why = '', hint = '' "
            "WHERE store = ?",
            (engine_now - now, engine_now - wall, self._boot, wall, self._store),
        )

    def not_reached(self, problem: EngineError) -> None:
        given = (self._wall(), str(problem), problem.hint, self._store)
        self._within(
            lambda db: db.execute(
                "UPDATE engines SET down = CASE WHEN down THEN down ELSE ? END, why = ?, hint = ? WHERE store = ?",
                given,
            )
        )

    def forget_old(self) -> None:
        before = (self._wall() - FORGOTTEN) // SECOND
        self._within(
            lambda db: db.execute(
                "DELETE FROM tranches WHERE ends > 0 AND ends < ? AND store = ?", (before, self._store)
            )
        )

    # --- what a person asks

    def changes(self) -> list[Change]:
        query = "SELECT id, key, period, raised, reset, ends FROM changes WHERE done = 0"
        rows = self._within(lambda db: db.execute(query).fetchall())
        return [
            Change(ident, key, period, raised, bool(reset), ends) for ident, key, period, raised, reset, ends in rows
        ]

    def row_of(self, change: Change) -> TrancheRow:
        """The row that a person has changed at the engine. One of which nothing was claimed here is made, so that this
        machine hears how it stands; its limit comes with the first claim."""
        columns, given = "key, period, store, most, count, span, ends", (change.key, change.period, self._store)
        new = f"INSERT OR IGNORE INTO tranches ({columns}) VALUES (?, ?, ?, 0, 0, 0, ?)"
        self._within(lambda db: db.execute(new, (*given, change.ends)))
        return next(row for row in self.rows() if (row.key, row.period) == (change.key, change.period))

    def changed(self, change: Change, why: str = "") -> None:
        """`why`: it was not done."""
        given = (why, change.id)
        self._within(lambda db: db.execute("UPDATE changes SET done = 1, why = ? WHERE id = ?", given))
