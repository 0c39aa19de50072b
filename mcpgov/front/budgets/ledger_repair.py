"""A damaged ledger made anew from the journal: every charge is on record.

Law: the damaged file is kept beside the new one. What calls on their way held is not in the journal, so it is lost
with the file; limits begin full.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from mcpgov import journal_reader
from mcpgov.atomic_file import file_identity
from mcpgov.guards.ledger.store import Ledger
from mcpgov.journal_reader import Damage

CHANGED = "budget changed"
HELD = b'"charges"'  # what both kinds of records have in their line


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
        for (key, period), (spent, raised, unpriced) in charges(journal).items():
            ledger.spend(key, period, spent, unpriced)
            if raised:
                ledger.change(key, period, raised=raised)
    finally:
        ledger.close()


def charges(journal: Path) -> dict[tuple[str, str], tuple[int, int, int]]:
    """What the journal says is spent, by how much a person has raised it, and how many calls said no price, by key and
    period."""
    spent: dict[tuple[str, str], int] = defaultdict(int)
    raised: dict[tuple[str, str], int] = defaultdict(int)
    unpriced: dict[tuple[str, str], int] = defaultdict(int)
    for piece in journal_reader.read(journal_reader.files(str(journal)), Damage(), HELD):
        for key, period, amount in _charges(piece.data.get("charges")):
            spent[key, period] += amount
            unpriced[key, period] += key in _keys(piece.data.get("unpriced"))
        if (change := _change(piece.data)) is not None:
            place, amount, reset = change
            if reset:
                spent[place] = raised[place] = unpriced[place] = 0
            raised[place] += amount
    return {place: (spent[place], raised[place], unpriced[place]) for place in {**spent, **raised}}


def _keys(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _charges(value: object) -> list[tuple[str, str, int]]:
    rows = value if isinstance(value, list) else []
    found = [row for row in rows if isinstance(row, list) and len(row) == 3]
    return [(row[0], row[1], row[2]) for row in found if isinstance(row[0], str) and type(row[2]) is int]


def change_note(key: str, period: str, *, raised: int = 0, reset: bool = False) -> dict[str, object]:
    """The record of what a person changed."""
    return {"action": CHANGED, "key": key, "period": period, "raised": raised, "reset": reset, "charges": []}


def _change(record: Mapping[str, object]) -> tuple[tuple[str, str], int, bool] | None:
    key, period, amount = record.get("key"), record.get("period"), record.get("raised")
    if not isinstance(key, str) or not isinstance(period, str) or type(amount) is not int:
        return None
    return (key, period), amount, record.get("reset") is True
