"""A connection to the ledger's file, which is made where there is none.

Law: a file gets the ledger's name when it has its tables, so an empty one, or one without tables, was never ours: it is
damaged. Whoever calls holds the ledger's lock.
"""

from __future__ import annotations

import posix
from _stat import S_ISREG

from mcpgov.guards.ledger.disk.problems import LedgerAway, damaged
from mcpgov.guards.ledger.disk.schema import migrate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

CHECKPOINT = 8000  # pages of the log: writing it back waits for the disk, with the lock held
PATIENCE = 2.0  # seconds
LEFT_BY_SQLITE = ("-journal", "-wal", "-shm")


def is_made(path: str) -> bool:
    """INVARIANT: the file is not opened here. To close it would take away the locks that SQLite holds on it for another
    ledger of this process, and others would delete the log that is in use."""
    try:
        info = posix.lstat(path)
    except FileNotFoundError:
        return False
    if not S_ISREG(info.st_mode):
        raise LedgerAway("it is no file")
    if not info.st_size:
        raise damaged("it is empty")
    return True


def make(path: str) -> None:
    """A new file is private, and SQLite gives its other files the same mode."""
    new = f"{path}.new"
    for leftover in ("", *LEFT_BY_SQLITE):
        _remove(new + leftover)
    flags = posix.O_RDWR | posix.O_CREAT | posix.O_EXCL | posix.O_CLOEXEC
    posix.close(posix.open(new, flags, 0o600))
    opened(new, is_new=True).close()
    for leftover in LEFT_BY_SQLITE:  # the log of a file that was removed would be read into this one
        _remove(path + leftover)
    posix.rename(new, path)


def _remove(path: str) -> None:
    try:
        posix.unlink(path)
    except FileNotFoundError:
        return


def opened(path: str, *, is_new: bool = False) -> Connection:
    from _sqlite3 import connect  # `sqlite3` itself costs a dozen modules more

    # A process that ends writes back its log without our lock: SQLite waits for that.
    connection: Connection = connect(path, isolation_level=None, timeout=PATIENCE)
    try:
        if is_new:
            connection.execute("PRAGMA page_size = 1024")  # a commit writes whole pages
        migrate(connection, is_new=is_new)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT}")
    except BaseException:
        connection.close()
        raise
    return connection
