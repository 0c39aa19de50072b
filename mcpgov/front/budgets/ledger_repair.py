"""A damaged ledger made anew from the journal: every charge is on record.

Laws: the damaged file is kept beside the new one. What calls on their way held is not in the journal, so it is lost
with the file; they are charged when they end, and the new one knows which charges it has. Limits begin full.
"""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

from mcpgov import journal_reader
from mcpgov.atomic_file import file_identity
from mcpgov.front.budgets.recorded_spending import Place, RecordedSpending
from mcpgov.guards.ledger.store import Ledger
from mcpgov.journal_reader import Damage

HELD = b'"charges"'  # what all such records have in their line


def repair(path: Path, journal: Path) -> Path:
    """Where the damaged file is now. Until the new one is whole, proxies find the damaged one, and deny."""
    aside = path.with_name(f"{path.name}.damaged-{time.strftime('%Y%m%d-%H%M%S')}")
    damaged, new = file_identity(path), path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        _rebuild(new, journal)
        with open(f"{path}.lock", "ab") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if file_identity(path) == damaged:  # else somebody else was faster
                os.replace(path, aside)
                for leftover in (f"{path}-wal", f"{path}-shm"):
                    Path(leftover).unlink(missing_ok=True)
                os.replace(new, path)
    finally:
        for leftover in (str(new), f"{new}-wal", f"{new}-shm", f"{new}.lock"):
            Path(leftover).unlink(missing_ok=True)
    return aside


def _rebuild(path: Path, journal: Path) -> None:
    ledger = Ledger(str(path))
    try:
        ledger.probe()  # a ledger that nothing was spent of is a ledger too
        found = recorded(journal)
        ledger.count(found.calls())
        for (key, period), (spent, raised, unpriced) in found.rows().items():
            ledger.spend(key, period, spent, unpriced)
            if raised:
                ledger.change(key, period, raised=raised)
    finally:
        ledger.close()


def charges(journal: Path) -> dict[Place, tuple[int, int, int]]:
    """What the journal says is spent, by how much a person has raised it, and how many calls said no price, by key and
    period."""
    return recorded(journal).rows()


def recorded(journal: Path) -> RecordedSpending:
    found = RecordedSpending()
    for piece in journal_reader.read(journal_reader.files(str(journal)), Damage(), HELD):
        found.add(piece.data)
    return found
