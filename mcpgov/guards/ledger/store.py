"""The ledger of this user: buckets and budgets in one SQLite file that all proxies share.

Laws: all claims of a call are met in one transaction, or none is. A file lock stands before each transaction, because
SQLite's own waiting is unfair under load (p99 197 ms, with the lock 2 ms). Nothing waits longer than PATIENCE.
What was reserved by a process that died counts as spent: nobody can tell that its call was not sent.
"""

from __future__ import annotations

import fcntl
import posix
import time

from mcpgov.guards.ledger.buckets import Bucket, taken
from mcpgov.guards.ledger.claims import BudgetClaim, ClaimRefusal, Hold, LimitClaim, budget_refusal, rate_refusal
from mcpgov.host import private_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from sqlite3 import Connection
    from typing import TypeVar

    from mcpgov.guards.ledger.claims import Claim

    T = TypeVar("T")

PATIENCE = 2.0  # seconds
PAUSE, LONGEST_PAUSE = 0.0002, 0.01
VERSION = 1
SCHEMA = (
    """
    CREATE TABLE buckets (key TEXT PRIMARY KEY, full TEXT NOT NULL, at INTEGER NOT NULL, wall INTEGER NOT NULL)
        WITHOUT ROWID;
    CREATE TABLE budgets (
        key TEXT NOT NULL, period TEXT NOT NULL, spent INTEGER NOT NULL DEFAULT 0, held INTEGER NOT NULL DEFAULT 0,
        raised INTEGER NOT NULL DEFAULT 0, warned INTEGER NOT NULL DEFAULT 0, seen INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (key, period)
    ) WITHOUT ROWID;
    CREATE TABLE holds (
        id TEXT NOT NULL, key TEXT NOT NULL, period TEXT NOT NULL, amount INTEGER NOT NULL,
        pid INTEGER NOT NULL, start TEXT NOT NULL, made INTEGER NOT NULL, PRIMARY KEY (id, key)
    ) WITHOUT ROWID;
    """,
)  # one text a version: a ledger of version N gets what stands behind it


class LedgerAway(Exception):
    """The ledger cannot be used now: why."""


class LedgerDamaged(LedgerAway):
    """The file is no ledger any more; `mcpgov budget` rebuilds it from the journal."""


class Standing:
    """What is spent of a budget in one period; `held`: by calls on their way; `raised`: by a person."""

    __slots__ = ("held", "key", "period", "raised", "spent")

    def __init__(self, key: str, period: str, spent: int, held: int, raised: int) -> None:
        self.key = key
        self.period = period
        self.spent = spent
        self.held = held
        self.raised = raised


def steady_clock() -> int:
    """Microseconds since the machine started, asleep or not; the same in every process."""
    return time.clock_gettime_ns(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)) // 1000


def day_clock() -> int:
    return time.time_ns() // 1000


def process_start() -> str:
    """When this process started, as the system has it: a pid alone may be another's later."""
    try:
        with open("/proc/self/stat", "rb") as file:
            return file.read(4096).rpartition(b")")[2].split()[19].decode()
    except (OSError, IndexError):
        return ""


class Ledger:
    """Opened with the first claim. `clock`, `wall`: microseconds, of the machine's start and of the epoch."""

    def __init__(self, path: str, clock: Callable[[], int] = steady_clock, wall: Callable[[], int] = day_clock) -> None:
        self._path = path
        self._clock = clock
        self._wall = wall
        self._db: Connection | None = None
        self._lock = -1
        self._file = (0, 0)
        self._process = (0, "")
        self._count = 0

    # --- calls

    def reserve(self, claims: Sequence[Claim]) -> Hold | ClaimRefusal:
        """Raises LedgerAway."""
        return self._within(lambda db: self._reserve(db, claims))

    def _reserve(self, db: Connection, claims: Sequence[Claim]) -> Hold | ClaimRefusal:
        now, wall = self._clock(), self._wall()
        buckets: list[tuple[str, str, int, int]] = []
        budgets: list[BudgetClaim] = []
        for claim in claims:
            if isinstance(claim, LimitClaim):
                row = db.execute("SELECT full, at, wall FROM buckets WHERE key = ?", (claim.key,)).fetchone()
                after, wait = taken(claim.rate, Bucket(int(row[0]), row[1], row[2]) if row else None, now, wall)
                if after is None:
                    return rate_refusal(claim, wait)
                buckets.append((claim.key, str(after.full), after.at, after.wall))
            else:
                budgets.append(claim)
        if (refusal := self._refuses(db, budgets)) is not None:
            return refusal
        db.executemany("INSERT OR REPLACE INTO buckets VALUES (?, ?, ?, ?)", buckets)
        return self._hold(db, budgets, wall)

    def _refuses(self, db: Connection, budgets: Sequence[BudgetClaim]) -> ClaimRefusal | None:
        """Two budgets of one key are two claims on the same row."""
        claimed: dict[tuple[str, str], int] = {}
        for claim in budgets:
            spent, held, raised, _ = _row(db, claim)
            place = (claim.key, claim.period)
            used, limit = spent + held + claimed.get(place, 0), claim.limit + raised
            if used + claim.amount > limit or (claim.open_end and used >= limit):
                return budget_refusal(claim, used, limit)
            claimed[place] = claimed.get(place, 0) + claim.amount
        return None

    def _hold(self, db: Connection, budgets: list[BudgetClaim], wall: int) -> Hold:
        if not self._process[0]:
            self._process = (posix.getpid(), process_start())
        self._count += 1
        hold = Hold(f"{self._process[0]}-{self._process[1]}-{self._count}", budgets, [])
        for claim in budgets:
            spent, held, raised, warned = _row(db, claim)
            used = spent + held + claim.amount
            warns = bool(claim.warn) and not warned and used >= claim.warn + raised
            if warns:
                hold.warned.append((claim, used))
            db.execute(
                "INSERT INTO budgets (key, period, held, warned, seen) VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT DO UPDATE SET held = held + excluded.held, "
                "warned = max(warned, excluded.warned), seen = excluded.seen",
                (claim.key, claim.period, claim.amount, int(warns), wall),
            )
            db.execute(
                "INSERT INTO holds VALUES (?, ?, ?, ?, ?, ?, ?) "
                "ON CONFLICT DO UPDATE SET amount = amount + excluded.amount",
                (hold.id, claim.key, claim.period, claim.amount, *self._process, wall),
            )
        return hold

    def look(self, claims: Sequence[Claim]) -> ClaimRefusal | None:
        """Would these be refused now? Nothing is reserved. Raises LedgerAway."""
        found = self._within(lambda db: self._reserve(db, claims), keep=False)
        return found if isinstance(found, ClaimRefusal) else None

    def settle(self, hold: Hold, charges: Sequence[int]) -> None:
        """The call has ended and costs this, an amount for each budget. A second time changes nothing."""
        self._within(lambda db: self._settle(db, hold, charges))

    def _settle(self, db: Connection, hold: Hold, charges: Sequence[int]) -> None:
        rows = db.execute("SELECT key, period, amount FROM holds WHERE id = ?", (hold.id,)).fetchall()
        db.execute("DELETE FROM holds WHERE id = ?", (hold.id,))
        for key, period, amount in rows:
            owed = [charge for claim, charge in zip(hold.budgets, charges, strict=True) if claim.key == key]
            change = (amount, sum(owed), key, period)
            db.execute("UPDATE budgets SET held = held - ?, spent = spent + ? WHERE key = ? AND period = ?", change)

    # --- people

    def standing(self) -> list[Standing]:
        rows = self._within(lambda db: db.execute("SELECT key, period, spent, held, raised FROM budgets").fetchall())
        return [Standing(*row) for row in rows]

    def release_dead(self, lives: Callable[[int, str], bool]) -> int:
        """What dead processes held is spent; how many holds. `lives(pid, start)` tells of a process."""

        def release(db: Connection) -> int:
            known: dict[tuple[int, str], bool] = {}
            count = 0
            for ident, key, period, amount, pid, start in db.execute(
                "SELECT id, key, period, amount, pid, start FROM holds"
            ).fetchall():
                if (pid, start) not in known:
                    known[pid, start] = lives(pid, start)
                if known[pid, start]:
                    continue
                count += 1
                db.execute("DELETE FROM holds WHERE id = ? AND key = ?", (ident, key))
                db.execute(
                    "UPDATE budgets SET held = held - ?, spent = spent + ? WHERE key = ? AND period = ?",
                    (amount, amount, key, period),
                )
            return count

        return self._within(release)

    def change(self, key: str, period: str, *, raised: int = 0, reset: bool = False) -> None:
        """A person allows more in this period, or counts anew."""

        def write(db: Connection) -> None:
            db.execute(
                "INSERT OR IGNORE INTO budgets (key, period, seen) VALUES (?, ?, ?)", (key, period, self._wall())
            )
            new = "spent = 0, raised = 0, warned = 0" if reset else "raised = raised + ?, warned = 0"
            given = (key, period) if reset else (raised, key, period)
            db.execute(f"UPDATE budgets SET {new} WHERE key = ? AND period = ?", given)

        self._within(write)

    def spend(self, key: str, period: str, amount: int) -> None:
        """An amount that a call cost, from the journal."""
        row = (key, period, amount, self._wall())
        self._within(
            lambda db: db.execute(
                "INSERT INTO budgets (key, period, spent, seen) VALUES (?, ?, ?, ?) "
                "ON CONFLICT DO UPDATE SET spent = spent + excluded.spent",
                row,
            )
        )

    # --- the file

    def close(self) -> None:
        db, self._db = self._db, None
        if db is not None:
            db.close()
        if self._lock >= 0:
            posix.close(self._lock)
        self._lock = -1

    def _within(self, do: Callable[[Connection], T], *, keep: bool = True) -> T:
        """One transaction under the lock; a refusal changes nothing."""
        import _sqlite3  # `sqlite3` itself costs a dozen modules more

        try:
            self._follow()
            self._acquire()
            try:
                db = self._db if self._db is not None else self._connect(_sqlite3.connect)
                return _transaction(db, do, keep=keep)
            finally:
                fcntl.flock(self._lock, fcntl.LOCK_UN)
        except _sqlite3.OperationalError as error:
            raise LedgerAway(str(error)) from None
        except _sqlite3.DatabaseError as error:
            self.close()
            raise LedgerDamaged(f"its file is damaged ({error}); run: mcpgov budget") from None
        except OSError as error:
            raise LedgerAway(error.strerror or str(error)) from None

    def _follow(self) -> None:
        """The file may have been replaced or removed: then what we have open is nobody's ledger."""
        if self._db is not None and _identity(self._path) != self._file:
            self.close()
        if self._lock < 0:
            private_directory(self._path.rpartition("/")[0])
            flags = posix.O_RDWR | posix.O_CREAT | posix.O_CLOEXEC | posix.O_NOFOLLOW | posix.O_NONBLOCK
            self._lock = posix.open(f"{self._path}.lock", flags, 0o600)

    def _acquire(self) -> None:
        """Raises LedgerAway: somebody holds the lock and does not go on."""
        end, pause = time.monotonic() + PATIENCE, PAUSE
        while True:
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if time.monotonic() > end:
                    raise LedgerAway(f"it is in use for more than {PATIENCE:g} s") from None
            time.sleep(pause)
            pause = min(pause * 1.5, LONGEST_PAUSE)

    def _connect(self, connect: Callable[..., Connection]) -> Connection:
        flags = posix.O_RDWR | posix.O_CREAT | posix.O_CLOEXEC | posix.O_NOFOLLOW | posix.O_NONBLOCK
        posix.close(posix.open(self._path, flags, 0o600))  # SQLite gives its other files the same mode
        # A process that ends writes back its log without our lock: SQLite waits for that.
        db = connect(self._path, isolation_level=None, timeout=PATIENCE)
        try:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")
            _migrate(db)
        except BaseException:
            db.close()
            raise
        self._db, self._file = db, _identity(self._path)
        return db


def _transaction(db: Connection, do: Callable[[Connection], T], *, keep: bool) -> T:
    db.execute("BEGIN IMMEDIATE")
    try:
        result = do(db)
        db.execute("COMMIT" if keep and not isinstance(result, ClaimRefusal) else "ROLLBACK")
        return result
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _migrate(db: Connection) -> None:
    """Bring an older ledger to this version, in one transaction."""
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version > VERSION:
        raise LedgerAway(f"it was written by a newer mcpgov (version {version}, known: {VERSION})")
    if version < VERSION:
        steps = "".join(SCHEMA[version:])
        db.executescript(f"BEGIN IMMEDIATE; {steps} PRAGMA user_version = {VERSION}; COMMIT;")


def _row(db: Connection, claim: BudgetClaim) -> tuple[int, int, int, int]:
    """spent, held, raised, warned"""
    query = "SELECT spent, held, raised, warned FROM budgets WHERE key = ? AND period = ?"
    found: tuple[int, int, int, int] | None = db.execute(query, (claim.key, claim.period)).fetchone()
    return found or (0, 0, 0, 0)


def _identity(path: str) -> tuple[int, int]:
    try:
        info = posix.stat(path)
    except OSError:
        return 0, 0
    return info.st_dev, info.st_ino
