"""The ledger's file: opened with the first use, one transaction at a time.

Laws: a file lock stands before each transaction, because SQLite's own waiting is unfair under load (p99 197 ms, with
the lock 2 ms). Nothing waits longer than PATIENCE. A file that was replaced or removed is nobody's ledger any more.
"""

from __future__ import annotations

import posix
import time
from fcntl import LOCK_EX, LOCK_NB, LOCK_UN, flock

from mcpgov.guards.ledger.claims import ClaimRefusal
from mcpgov.guards.ledger.disk.clocks import day_clock, steady_clock
from mcpgov.guards.ledger.disk.connection import PATIENCE, is_made, make, opened
from mcpgov.guards.ledger.disk.problems import LedgerAway, damaged, is_foreign, problem_of
from mcpgov.host import private_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from sqlite3 import Cursor
    from typing import TypeVar

    T = TypeVar("T")

PAUSE, LONGEST_PAUSE = 0.0002, 0.002  # seconds; whoever looks seldom waits for ever under load
_PATH_ONLY = getattr(posix, "O_PATH", 0)  # to close such a handle takes no lock away, unlike any other of the file
SETTLED = 50_000_000  # nanoseconds: of two changes within one tick of the file system's clock the second is not seen


class LedgerFile:
    """`clock`, `wall`: microseconds, of the machine's start and of the epoch."""

    _longest_pause = LONGEST_PAUSE

    def __init__(self, path: str, clock: Callable[[], int] = steady_clock, wall: Callable[[], int] = day_clock) -> None:
        self._path = path
        self._clock = clock
        self._wall = wall
        self._db: Cursor | None = None
        self._lock = self._folder = self._handle = -1
        self._file_name = path.rpartition("/")[2]
        self._file = (0, 0)
        self._changed = -1  # when the file itself, or a name of it, was last changed; -1: it may be changing
        self._opened = 0

    def clocks(self) -> tuple[int, int]:
        """Since the machine's start, and since the epoch."""
        return self._clock(), self._wall()

    def is_there(self) -> bool:
        return identity_at(self._path) != (0, 0)

    def close(self) -> None:
        self._drop()

    def _drop(self) -> None:
        db, self._db = self._db, None
        if db is not None:
            db.connection.close()
        for handle in (self._lock, self._folder, self._handle):
            if handle >= 0:
                posix.close(handle)
        self._lock = self._folder = self._handle = self._changed = -1

    def _within(self, do: Callable[..., T], *given: object) -> T:
        """One transaction under the lock, `do(cursor, *given)`; a refusal changes nothing."""
        result: T = self._locked(_transaction, do, given)
        return result

    def _locked(self, do: Callable[..., T], *given: object) -> T:
        """The same without a transaction: each statement is one."""
        try:
            self._acquire()
            try:
                return do(self._db or self._connect(), *given)
            finally:
                flock(self._lock, LOCK_UN)
        except OSError as error:
            raise LedgerAway(error.strerror or str(error)) from None
        except Exception as error:
            raise self._problem(error) from None

    def _problem(self, error: Exception) -> Exception:
        """What an error of SQLite means; any other is itself."""
        import _sqlite3

        if isinstance(error, _sqlite3.OperationalError):
            if is_foreign(str(error)):
                self._drop()
            return problem_of(str(error))
        if isinstance(error, _sqlite3.DatabaseError):
            self._drop()
            return damaged(str(error))
        return error

    def _acquire(self) -> None:
        """The lock, and with it the file that is the ledger now. Raises LedgerAway.

        INVARIANT: which file it is, is looked up under the lock, because whoever replaces it holds the lock.
        """
        if self._lock < 0:
            self._open_lock()
        try:
            flock(self._lock, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            self._wait_for_lock()
        if self._db is None or (self._changed >= 0 and posix.fstat(self._handle).st_ctime_ns == self._changed):
            return
        if not self._is_file():
            self._drop()
            self._acquire()

    def _is_file(self) -> bool:
        """Does our name still lead to the file that is open? Asked again when the file, or a name of it, has changed:
        looking a name up costs a process that has slept as much as a statement, walking from the root more still."""
        try:
            info = posix.stat(self._file_name, dir_fd=self._folder)
        except OSError:
            return False
        settled = self._handle >= 0 and time.time_ns() - info.st_ctime_ns > SETTLED
        self._changed = info.st_ctime_ns if settled else -1
        return (info.st_dev, info.st_ino) == self._file and info.st_size > 0

    def _wait_for_lock(self) -> None:
        end, pause = time.monotonic() + PATIENCE, PAUSE
        while True:
            time.sleep(pause)
            try:
                flock(self._lock, LOCK_EX | LOCK_NB)
                return
            except BlockingIOError:
                if time.monotonic() > end:
                    raise LedgerAway(f"it is in use for more than {PATIENCE:g} s") from None
            pause = min(pause * 1.5, self._longest_pause)

    def _open_lock(self) -> None:
        folder = self._path.rpartition("/")[0]
        private_directory(folder)
        self._folder = posix.open(folder, posix.O_RDONLY | posix.O_DIRECTORY | posix.O_CLOEXEC)
        flags = posix.O_RDWR | posix.O_CREAT | posix.O_CLOEXEC | posix.O_NOFOLLOW | posix.O_NONBLOCK
        self._lock = posix.open(f"{self._path}.lock", flags, 0o600)

    def _connect(self) -> Cursor:
        if not is_made(self._path):
            make(self._path)
        db = opened(self._path).cursor()  # one for all: making them costs as much as a statement
        if _PATH_ONLY:
            self._handle = posix.open(self._file_name, _PATH_ONLY | posix.O_CLOEXEC, dir_fd=self._folder)
        self._db, self._file = db, identity_at(self._path)
        self._opened += 1
        return db


def _transaction(db: Cursor, do: Callable[..., T], given: tuple[object, ...]) -> T:
    db.execute("BEGIN IMMEDIATE")
    try:
        result = do(db, *given)
        db.execute("ROLLBACK" if isinstance(result, ClaimRefusal) else "COMMIT")
        return result
    except BaseException:
        if db.connection.in_transaction:
            db.execute("ROLLBACK")
        raise


def identity_at(path: str) -> tuple[int, int]:
    try:
        info = posix.stat(path)
    except OSError:
        return 0, 0
    return info.st_dev, info.st_ino
