"""What the journal says is spent, up to where it was read, kept beside the ledger: the journal's days are deleted, and
budgets of a month or of all time outlive them.

Laws: it names how far each file was read, so no record counts twice; whoever makes the ledger anew goes on from there.
It names only what is on the disk by now, so a power cut takes nothing away below it.
"""

from __future__ import annotations

import contextlib
import heapq
import math
import os
import time
from collections.abc import Generator, Iterator, Sequence
from datetime import date, timedelta
from hashlib import blake2b
from itertools import groupby
from pathlib import Path
from typing import BinaryIO

from mcpgov import journal_reader
from mcpgov.atomic_file import open_plain, read_json, write_json
from mcpgov.errors import reason_of
from mcpgov.front.budgets.recorded_spending import RecordedSpending
from mcpgov.front.context import Context
from mcpgov.guards.ledger.disk.accounts import Standing
from mcpgov.guards.ledger.store import Ledger
from mcpgov.journal_reader import LONGEST, RECORD, Damage, JournalPiece

HELD = b'"charges"'  # what all records of charges and changes have in their line
FORMAT = 1
LAG = 120.0  # seconds after which a line of the journal is on the disk
HOUR = 3600.0
TAIL = 256  # bytes by which a file is known again: the end of a record is like no other
Added = tuple[JournalPiece, bool]


class SpendingCheckpoint:
    """`since`: before that day more may have been spent than is known; "": all is known. `damage`: of what was read."""

    def __init__(self) -> None:
        self.spending = RecordedSpending()
        self.since = ""
        self.damage = Damage()
        self._read: dict[str, tuple[int, str]] = {}  # of each file: its end, and what stands there

    # --- in its file

    @classmethod
    def load(cls, path: Path) -> SpendingCheckpoint:
        """What is no checkpoint of ours is none: then the journal alone tells."""
        found, data = cls(), read_json(path)
        try:
            if data.get("format") == FORMAT:
                found.spending = RecordedSpending.from_data(data["spending"])
                files = data["files"]
                assert isinstance(files, dict)
                found._read = {str(name): (int(end), str(mark)) for name, (end, mark) in files.items()}
                return found
        except (KeyError, TypeError, ValueError, AssertionError):
            pass
        return cls()

    def save(self, path: Path, now: float) -> None:
        files = {name: [end, mark] for name, (end, mark) in self._read.items()}
        data = {"format": FORMAT, "files": files}
        data["spending"] = self.spending.as_data(_day(now))
        if data != read_json(path):
            write_json(path, data)

    # --- the journal

    def lacks(self, journal: Path, keep_days: int, now: float) -> bool:
        """May days be gone of which it knows nothing?"""
        days = journal_reader.days(str(journal))
        if self._read:
            return max(self._read)[:10] not in days
        kept = date.fromisoformat(_day(now)) - timedelta(days=max(keep_days - 1, 0))
        return not days or days[0] <= kept.isoformat()

    def read_on(self, journal: Path, until: float = math.inf, *, again: bool = False) -> None:
        """Every record that was not read yet, of before `until`. `again`: others as well, for the calls they name."""
        paths = journal_reader.files(str(journal))
        names = {os.path.basename(path) for path in paths}
        self._read = {name: seen for name, seen in self._read.items() if name in names}
        for day, parts in groupby(paths, key=lambda path: os.path.basename(path)[:10]):
            streams = [self._records(path, until, again=again) for path in parts]
            for piece, is_new in heapq.merge(*streams, key=lambda each: each[0].time):
                if is_new:
                    self.spending.add(piece.data, day)
                else:
                    self.spending.keep_call(piece.data)

    def _records(self, path: str, until: float, *, again: bool) -> Iterator[Added]:
        name = os.path.basename(path)
        try:
            with open_plain(path) as file:
                seen, mark = self._read.get(name, (0, ""))
                if mark != _mark(file, seen):
                    seen = 0  # another file of that name
                file.seek(0 if again else seen)
                end = yield from _lines(path, file, seen, until, self.damage)
                self._read[name] = (end, _mark(file, end))
        except OSError as error:
            self.damage.files.append(f"`{path}`: {reason_of(error)}")

    # --- what the journal does not know

    def lift(self, standing: Sequence[Standing], now: float) -> None:
        """What a ledger that is whole has beyond that: of days that are gone."""
        for each in standing:
            self.spending.at_least(each, _day(now))

    def unknown(self) -> str:
        """What cannot be known, in words."""
        told = [f"what was spent before {self.since} may not be on record"] if self.since else []
        return "; ".join([*told, *self.damage.notes])


def keep_checkpoint(context: Context, ledger: Ledger, now: float) -> None:
    """Raises LedgerAway."""
    places, found = context.places, SpendingCheckpoint.load(context.places.ledger_spending)
    lacks = found.lacks(places.journal, context.settings.audit_keep_days, now)
    # INVARIANT: the ledger is read first. What it has by then the journal has as well, or its day is gone.
    standing = ledger.standing() if lacks else []
    found.read_on(places.journal, math.inf if lacks else now - LAG)
    found.lift(standing, now)
    with contextlib.suppress(OSError):  # a full disk: later
        found.save(places.ledger_spending, now)


def _lines(path: str, file: BinaryIO, seen: int, until: float, damage: Damage) -> Generator[Added, None, int]:
    """Returns where the first line begins that is too young."""
    end = file.tell()
    while (raw := file.readline(LONGEST)).endswith(b"\n"):
        if HELD in raw:
            found = journal_reader.pieces(path, 0, raw[:-1])
            # A time far ahead is of a clock that was set back since.
            if end >= seen and any(until < piece.time < until + HOUR for piece in found):
                break
            for piece in found:
                if piece.kind == RECORD:
                    yield piece, end >= seen
                else:
                    damage.note(piece)
        end += len(raw)
    return end


def _mark(file: BinaryIO, end: int) -> str:
    if not end:
        return ""
    file.seek(max(0, end - TAIL))
    return blake2b(file.read(min(TAIL, end)), digest_size=16).hexdigest()


def _day(now: float) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(now))
