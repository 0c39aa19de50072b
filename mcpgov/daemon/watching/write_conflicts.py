"""Entries that another program keeps putting back. Pure: wraps and a clock in, places to leave alone out.

Laws: a war of writes ends by our giving way; giving way is remembered, told, and tried again later, more rarely.
WRAPPED -> bare again, wrapped again: one reversal. Three within a minute -> CONTESTED for ten minutes -> one try;
put back within a minute -> CONTESTED for an hour, and so on. A client that is used, and writes what it knew together
with what is new, is no enemy: that reversal does not count.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field

Place = tuple[str, ...]

MINUTE, HOUR = 60.0, 3600.0
LIMITS = (("within a minute", MINUTE, 3), ("within an hour", HOUR, 10))
HOLDS = (600.0, HOUR)


@dataclass(frozen=True, slots=True)
class Contested:
    file: str
    place: Place
    mark: str  # a digest of the original command line: arguments may hold secrets
    since: float
    until: float
    rounds: int
    reason: str


@dataclass(slots=True)
class _Entry:
    mark: str
    times: list[float] = field(default_factory=list)  # of reversals
    tried: float = 0.0
    left: Contested | None = None
    rounds: int = 0


class WriteConflicts:
    def __init__(self, kept: Iterable[object] = ()) -> None:
        self._entries: dict[tuple[str, Place], _Entry] = {}
        for row in kept:
            if (left := _read(row)) is not None:
                self._entries[left.file, left.place] = _Entry(left.mark, left=left, rounds=left.rounds)

    def wrapped(
        self, file: str, place: Place, argv: Sequence[str], now: float, *, used: bool = False
    ) -> Contested | None:
        """We have wrapped this entry; what is contested from now on. `used`: another entry has come with the change."""
        mark = hashlib.blake2b("\0".join(argv).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        entry = self._entries.get((file, place))
        if entry is None or entry.mark != mark:
            self._entries[file, place] = _Entry(mark)
            return None
        if entry.left is not None:  # CONTESTED -> WRAPPED: a try
            entry.left, entry.times, entry.tried = None, [], now
            return None
        if used:
            return None
        entry.times = [time for time in entry.times if 0 <= now - time < HOUR] + [now]
        reason = _too_often(entry, now)
        if not reason:
            return None
        hold = HOLDS[min(entry.rounds, len(HOLDS) - 1)]
        entry.rounds += 1
        entry.left = Contested(file, place, mark, now, now + hold, entry.rounds, reason)
        return entry.left

    def gone(self, file: str, place: Place) -> None:
        """The entry is not there any more: what comes later under this name is another one."""
        self._entries.pop((file, place), None)

    def left(self, file: str, now: float) -> dict[Place, Contested]:
        """What is to be left alone now."""
        found = (entry.left for (owner, _), entry in self._entries.items() if owner == file)
        return {left.place: left for left in found if left is not None and _holds(left, now)}

    def retry(self, file: str, now: float) -> float | None:
        """When the next contested entry of a file is tried again."""
        return min((left.until for left in self.left(file, now).values()), default=None)

    def reversals(self, file: str, now: float) -> int:
        """How often entries of a file were put back within the last hour."""
        times = (entry.times for (owner, _), entry in self._entries.items() if owner == file)
        return sum(0 <= now - time < HOUR for entry in times for time in entry)

    def rows(self, now: float) -> list[dict[str, object]]:
        """What outlives a restart."""
        kept = (entry.left for entry in self._entries.values() if entry.left is not None)
        return [asdict(left) for left in kept if _holds(left, now)]


def _too_often(entry: _Entry, now: float) -> str:
    if entry.rounds and 0 <= now - entry.tried < MINUTE:
        return "put back again"
    for words, span, limit in LIMITS:
        if sum(now - time < span for time in entry.times) >= limit:
            return f"put back {limit} times {words}"
    return ""


def _holds(left: Contested, now: float) -> bool:
    # A clock set back must not turn an hour into a year.
    return now < left.until <= now + HOUR


def _read(row: object) -> Contested | None:
    if not isinstance(row, dict):
        return None
    try:
        since, until, rounds = float(row["since"]), float(row["until"]), int(row["rounds"])
        texts = [row[key] for key in ("file", "mark", "reason")] + list(row["place"])
    except (KeyError, TypeError, ValueError):
        return None
    if not all(isinstance(text, str) for text in texts):
        return None
    file, mark, reason, *place = texts
    return Contested(file, tuple(place), mark, since, until, rounds, reason)
