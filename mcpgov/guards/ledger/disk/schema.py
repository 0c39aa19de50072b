"""The tables of the ledger's file, and how an older one is brought up to date.

Law: a version only adds; a file of a newer one is left alone.
"""

from __future__ import annotations

from mcpgov.guards.ledger import tranches
from mcpgov.guards.ledger.disk.problems import LedgerNewer, damaged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

VERSION = 4
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
    tranches.SCHEMA,
    """
    ALTER TABLE budgets ADD COLUMN unpriced INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE sessions (period TEXT PRIMARY KEY, pid INTEGER NOT NULL, start TEXT NOT NULL) WITHOUT ROWID;
    """,
    # Of a ledger that was made anew: calls whose charge it has, so that who was on the way then does not add it.
    "CREATE TABLE counted (call TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (call, key)) WITHOUT ROWID;",
)  # one text a version: a ledger of version N gets what stands behind it

TABLES = ("buckets", "budgets", "changes", "counted", "engines", "holds", "sessions", "tranches")


def migrate(db: Connection, *, is_new: bool = False) -> None:
    """Bring an older ledger to this version, in one transaction. `is_new`: an empty file is to become one; any other
    that names no version is not ours, and is left as it is."""
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version > VERSION:
        raise LedgerNewer(f"it was written by a newer mcpgov (version {version}, known: {VERSION})")
    if version < 1 and not is_new:
        raise damaged("it has no tables of ours")
    if version < VERSION:
        steps = "".join(SCHEMA[version:])
        db.executescript(f"BEGIN IMMEDIATE; {steps} PRAGMA user_version = {VERSION}; COMMIT;")
    found = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not found.issuperset(TABLES):  # else only who needs that one is told of it, and nobody mends it
        raise damaged("a table is missing")
