"""What stands in the ledger, for people and for the daemon: budgets, buckets, holds; raised, counted anew, given back.

Law: what a process held that died counts as spent, unless the journal proves that its call was not sent.
"""

from __future__ import annotations

from mcpgov.guards.ledger.amounts import COUNTED, LARGEST
from mcpgov.guards.ledger.buckets import Bucket
from mcpgov.guards.ledger.budget_states import BudgetStates
from mcpgov.guards.ledger.disk import schema
from mcpgov.guards.ledger.disk.ledger_file import LedgerFile
from mcpgov.guards.ledger.periods import SESSION

ENDED = "ended"  # in the place of a process's start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from sqlite3 import Cursor


class Standing:
    """What is spent of a budget in one period; `held`: by calls on their way, or whose end is not written yet;
    `raised`: by a person; `unpriced`: how many calls said no price."""

    __slots__ = ("held", "key", "period", "raised", "spent", "unpriced")

    def __init__(self, key: str, period: str, spent: int, held: int, raised: int, unpriced: int = 0) -> None:
        self.key = key
        self.period = period
        self.spent = spent
        self.held = held
        self.raised = raised
        self.unpriced = unpriced


class SessionPeriod:
    """A session that budgets were counted in, and the process it was in; pid 0: that is not known, or it has left it.
    `made`: when it was last counted, in microseconds since the epoch."""

    __slots__ = ("made", "period", "pid", "start")

    def __init__(self, period: str, pid: int, start: str, made: int) -> None:
        self.period = period
        self.pid = pid
        self.start = start
        self.made = made


class HeldAmount:
    """What a call of a process holds of one budget. `made`: microseconds since the epoch."""

    __slots__ = ("amount", "id", "key", "made", "period", "pid", "start")

    def __init__(self, ident: str, key: str, period: str, amount: int, pid: int, start: str, made: int) -> None:
        self.id = ident
        self.key = key
        self.period = period
        self.amount = amount
        self.pid = pid
        self.start = start
        self.made = made

    @property
    def call(self) -> str:
        return call_of(self.id)


class _NotRecorded(Exception):
    """So nothing of the transaction is written."""


class LedgerAccounts(LedgerFile):
    def standing(self) -> list[Standing]:
        def read(db: Cursor) -> list[tuple[str, str, int, int, int, int]]:
            return db.execute("SELECT key, period, spent, held, raised, unpriced FROM budgets").fetchall()

        return [Standing(*row) for row in self._within(read)]

    def sessions(self) -> list[SessionPeriod]:
        """Every session that a budget has a row of."""
        query = f"""
            SELECT period, coalesce(pid, 0), coalesce(start, ''), max(seen) FROM budgets LEFT JOIN sessions
            USING (period) WHERE period >= '{SESSION} ' AND period < '{SESSION}!' GROUP BY period
        """
        return [SessionPeriod(*row) for row in self._within(lambda db: db.execute(query).fetchall())]

    def end_session(self, period: str) -> None:
        """Its process goes on without it."""
        left = ("UPDATE sessions SET pid = 0, start = ? WHERE period = ?", (ENDED, period))
        self._within(lambda db: db.execute(*left))

    def forget_sessions(self, periods: Iterable[str]) -> None:
        gone = [(period,) for period in periods]

        def write(db: Cursor) -> None:
            for table in ("budgets", "sessions"):
                db.executemany(f"DELETE FROM {table} WHERE period = ?", gone)

        if gone:
            self._within(write)

    def buckets(self) -> dict[str, Bucket]:
        """The buckets of limits, by key."""

        def read(db: Cursor) -> list[tuple[str, str, int, int]]:
            return db.execute("SELECT key, full, at, wall FROM buckets").fetchall()

        return {key: Bucket(int(full), at, wall) for key, full, at, wall in self._within(read)}

    def holds(self) -> list[HeldAmount]:
        """What calls on their way hold, and what dead processes have left."""

        def read(db: Cursor) -> list[tuple[str, str, str, int, int, str, int]]:
            return db.execute("SELECT id, key, period, amount, pid, start, made FROM holds").fetchall()

        return [HeldAmount(*row) for row in self._within(read)]

    def release(
        self,
        dead: Sequence[HeldAmount],
        unsent: Callable[[HeldAmount], bool],
        record: Callable[[Sequence[HeldAmount]], bool] = lambda _spent: True,
    ) -> int:
        """What dead processes held is spent, but what was certainly never sent returns. How many returned.

        `record`: what is spent, before it is; False: that is not on record, so everything stays held for now.
        """

        def write(db: Cursor) -> int:
            rows, spent, count = BudgetStates(db), [], 0
            for held in dead:
                if db.execute("DELETE FROM holds WHERE id = ? AND key = ?", (held.id, held.key)).rowcount < 1:
                    continue  # somebody else was faster
                row = rows.row(held.key, held.period)
                row.held -= held.amount
                if unsent(held):
                    count += 1
                else:
                    row.spent += held.amount
                    spent.append(held)
            if spent and not record(spent):
                raise _NotRecorded
            rows.write(self._wall())
            return count

        try:
            return self._within(write)
        except _NotRecorded:
            return 0

    def change(self, key: str, period: str, *, raised: int = 0, reset: bool = False) -> None:
        """A person allows more in this period, or counts anew."""

        def write(db: Cursor) -> None:
            db.execute(
                "INSERT OR IGNORE INTO budgets (key, period, seen) VALUES (?, ?, ?)", (key, period, self._wall())
            )
            if reset:  # calls on their way count for the time before
                db.execute("DELETE FROM holds WHERE key = ? AND period = ?", (key, period))
            raises = f"raised = min(raised + ?, {LARGEST}), warned = 0"
            new = "spent = 0, held = 0, raised = 0, warned = 0, unpriced = 0" if reset else raises
            given = (key, period) if reset else (min(raised, LARGEST), key, period)
            db.execute(f"UPDATE budgets SET {new} WHERE key = ? AND period = ?", given)
            if reset:  # a person lets this machine count for itself
                db.execute("DELETE FROM tranches WHERE key = ? AND period = ?", (key, period))

        self._within(write)

    def spend(self, key: str, period: str, amount: int, unpriced: int = 0) -> None:
        """An amount that calls cost, from the journal; `unpriced`: how many of them said no price."""
        row = (key, period, min(amount, COUNTED), self._wall(), unpriced)
        self._within(
            lambda db: db.execute(
                "INSERT INTO budgets (key, period, spent, seen, unpriced) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE "
                f"SET spent = min(spent + excluded.spent, {COUNTED}), unpriced = unpriced + excluded.unpriced",
                row,
            )
        )

    def count(self, calls: Iterable[tuple[str, str]]) -> None:
        """What these calls cost of these budgets stands here, whoever is still to settle it."""
        rows = list(calls)
        self._within(lambda db: db.executemany("INSERT OR IGNORE INTO counted (call, key) VALUES (?, ?)", rows))

    def keep_hosts(self, hosts: Mapping[str, str]) -> None:
        """`hosts`: who this machine is to each engine. What it has spent stands here, so it is who it was."""
        rows = list(hosts.items())
        self._within(lambda db: db.executemany("INSERT OR IGNORE INTO engines (store, host) VALUES (?, ?)", rows))

    def probe(self) -> None:
        """Can anything be written? Raises LedgerAway."""
        self._within(lambda db: db.execute(f"PRAGMA user_version = {schema.VERSION}"))


def is_counted(db: Cursor, hold: str, key: str) -> bool:
    """`hold`: its id."""
    return db.execute("SELECT 1 FROM counted WHERE call = ? AND key = ?", (call_of(hold), key)).fetchone() is not None


def call_of(hold: str) -> str:
    """The number of the call's decision; empty where it was not told."""
    return hold.partition("/")[0]
