"""A damaged ledger made anew from the journal, and what was kept of days that are gone: every charge is on record.

Laws: the damaged file is kept beside the new one. What calls on their way held is not in the journal, so it is lost
with the file; they are charged when they end, and the new one knows which charges it has. Limits begin full.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mcpgov import journal_reader
from mcpgov.atomic_file import file_identity, read_json
from mcpgov.front.budgets.recorded_spending import Place, RecordedSpending
from mcpgov.front.budgets.spending_checkpoint import SpendingCheckpoint
from mcpgov.guards.ledger.store import Ledger
from mcpgov.places import Places


@dataclass(frozen=True, slots=True)
class Repaired:
    """`aside`: where the damaged file is now; `unknown`: what the new one may lack, in words."""

    aside: Path
    unknown: str


def repair(places: Places, keep_days: int, now: float) -> Repaired:
    """Until the new file is whole, proxies find the damaged one, and deny."""
    path = places.ledger
    aside = path.with_name(f"{path.name}.damaged-{time.strftime('%Y%m%d-%H%M%S')}")
    damaged, new = file_identity(path), path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        found = recorded(places, keep_days, now)
        # What may lack something would take that back from an engine: to it this is another machine then.
        _rebuild(new, found.spending, {} if found.since else read_json(places.ledger_hosts))
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
    return Repaired(aside, found.unknown())


def recorded(places: Places, keep_days: int, now: float) -> SpendingCheckpoint:
    """What is spent, by what was kept of the journal and by the journal itself."""
    found = SpendingCheckpoint.load(places.ledger_spending)
    if found.lacks(places.journal, keep_days, now):
        days = journal_reader.days(str(places.journal))
        found.since = days[0] if days else time.strftime("%Y-%m-%d", time.gmtime(now))
    found.read_on(places.journal, again=True)
    return found


def _rebuild(path: Path, found: RecordedSpending, hosts: Mapping[str, object]) -> None:
    ledger = Ledger(str(path))
    try:
        ledger.probe()  # a ledger that nothing was spent of is a ledger too
        ledger.keep_hosts({store: host for store, host in hosts.items() if isinstance(host, str)})
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
    found = SpendingCheckpoint()
    found.read_on(journal)
    return found.spending.rows()
