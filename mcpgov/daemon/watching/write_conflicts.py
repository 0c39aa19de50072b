"""Entries that another program keeps unwrapping. Pure: our wraps and a clock in, entries to leave alone out.

Laws: in a conflict of writes mcpgov gives way; that is remembered, reported, and retried later, with longer pauses.
WRAPPED -> unwrapped by another program and wrapped again: one reversal. Three within a minute -> CONTESTED for ten
minutes -> one retry; unwrapped again within a minute -> CONTESTED for an hour, and so on. A client in use that writes
its old state together with a new entry is not in conflict with us: such a reversal does not count.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

Place = tuple[str, ...]

MINUTE, HOUR = 60.0, 3600.0
LIMITS = (("within a minute", MINUTE, 3), ("within an hour", HOUR, 10))
PAUSES = (600.0, HOUR)


@dataclass(frozen=True, slots=True)
class Contested:
    file: str
    place: Place
    mark: str  # a digest of the original command line: arguments may hold secrets; the key in the file is `mark`
    since: float
    until: float
    rounds: int
    reason: str


@dataclass(slots=True)
class _WrapHistory:
    mark: str
    reversals: list[float] = field(default_factory=list)  # times
    retried: float = 0.0
    conflict: Contested | None = None
    rounds: int = 0


class WriteConflicts:
    """`rows`: what an earlier daemon has written."""

    def __init__(self, rows: Iterable[object] = ()) -> None:
        self._entries: dict[tuple[str, Place], _WrapHistory] = {}
        for row in rows:
            if (kept := _read(row)) is not None:
                self._entries[kept.file, kept.place] = _WrapHistory(kept.mark, conflict=kept, rounds=kept.rounds)

    def wrapped(
        self, file: str, place: Place, argv: Sequence[str], now: float, *, client_in_use: bool = False
    ) -> Contested | None:
        """We have wrapped this entry. Returns the conflict if it is contested from now on.

        `client_in_use`: another entry was added in the same change.
        """
        mark = hashlib.blake2b("\0".join(argv).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        entry = self._entries.get((file, place))
        if entry is None or entry.mark != mark:
            self._entries[file, place] = _WrapHistory(mark)
            return None
        if entry.conflict is not None:  # CONTESTED -> WRAPPED: a retry
            entry.conflict, entry.reversals, entry.retried = None, [], now
            return None
        if client_in_use:
            return None
        entry.reversals = [time for time in entry.reversals if 0 <= now - time < HOUR] + [now]
        reason = _too_often(entry, now)
        if not reason:
            return None
        pause = PAUSES[min(entry.rounds, len(PAUSES) - 1)]
        entry.rounds += 1
        entry.conflict = Contested(file, place, mark, now, now + pause, entry.rounds, reason)
        return entry.conflict

    def forget(self, file: str, place: Place) -> None:
        """The entry no longer exists: a later one of the same name is another entry."""
        self._entries.pop((file, place), None)

    def contested(self, file: str, now: float) -> dict[Place, Contested]:
        """The entries of a file to leave alone now."""
        conflicts = (entry.conflict for (owner, _), entry in self._entries.items() if owner == file)
        return {found.place: found for found in conflicts if found is not None and _holds(found, now)}

    def retry(self, file: str, now: float) -> float | None:
        """When the next contested entry of a file is wrapped again."""
        return min((conflict.until for conflict in self.contested(file, now).values()), default=None)

    def rows(self, now: float) -> list[dict[str, object]]:
        """What is written to disk for the next daemon."""
        conflicts = (entry.conflict for entry in self._entries.values() if entry.conflict is not None)
        return [asdict(conflict) for conflict in conflicts if _holds(conflict, now)]


def _too_often(entry: _WrapHistory, now: float) -> str:
    if entry.rounds and 0 <= now - entry.retried < MINUTE:
        return "put back again"
    for span_text, span, limit in LIMITS:
        if sum(now - time < span for time in entry.reversals) >= limit:
            return f"put back {limit} times {span_text}"
    return ""


def _holds(conflict: Contested, now: float) -> bool:
    # A clock that was set back must not turn an hour into a year.
    return now < conflict.until <= now + HOUR


def _read(row: Any) -> Contested | None:
    """A row of `rows()` as JSON gives it back; None for anything else."""
    try:
        file, mark, reason, *place = texts = [row[key] for key in ("file", "mark", "reason")] + list(row["place"])
        times = float(row["since"]), float(row["until"])
        conflict = Contested(file, tuple(place), mark, *times, int(row["rounds"]), reason)
    except (KeyError, TypeError, ValueError):
        return None
    return conflict if all(isinstance(text, str) for text in texts) else None
