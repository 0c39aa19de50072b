"""Counts of records by action, server and tool, with durations. Pure.

Law: memory grows with the number of names, not of records; durations keep three digits.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from mcpgov.journal_reader import ANSWERED, STOPPED, VERDICTS, JournalPiece

MOST_OPEN = 100_000
MOST_NAMES = 10_000
OTHERS = "(others)"
PROMPT, DENY, RESUMED = "prompt", "deny", "resumed"
Name = TypeVar("Name")
T = TypeVar("T")


def rounded(us: int) -> int:
    """Keep the first three digits: they bound the number of distinct values."""
    if -1000 < us < 1000:
        return us
    size: int = 10 ** (len(str(abs(us))) - 3)
    return us // size * size


class Spread:
    """Counts of rounded durations in µs."""

    __slots__ = ("_counts", "total")

    def __init__(self) -> None:
        self._counts: dict[int, int] = {}
        self.total = 0

    def add(self, value: int) -> None:
        self._counts[value] = self._counts.get(value, 0) + 1
        self.total += 1

    def at(self, percent: int) -> int | None:
        """The percentile: the smallest value that this share of durations does not exceed."""
        left = -(-self.total * percent // 100)
        for value in sorted(self._counts):
            left -= self._counts[value]
            if left <= 0:
                return value
        return None

    @property
    def data(self) -> dict[str, int | None]:
        return {"p50": self.at(50), "p99": self.at(99)}


class AuditCounts:
    """The counts of one action, server or tool."""

    __slots__ = ("calls", "decided", "errors", "round_trip", "stopped")

    def __init__(self) -> None:
        self.calls = self.stopped = self.errors = 0
        self.decided = Spread()
        self.round_trip = Spread()

    @property
    def data(self) -> dict[str, object]:
        return {
            "calls": self.calls,
            "denied": self.stopped,
            "errors": self.errors,
            "decision_us": self.decided.data,
            "round_trip_us": self.round_trip.data,
        }


class Stats:
    """Totals over records. A call is a record with a verdict; its answer adds the round trip.

    INVARIANT: what callers report of themselves is counted apart, and as nothing else.
    """

    def __init__(self) -> None:
        self.records = self.reported = 0
        self.first = self.last = 0.0
        self.total = AuditCounts()
        self.actions: dict[str, int] = {}
        self.verdicts: dict[str, AuditCounts] = {}
        self.servers: dict[str, AuditCounts] = {}
        self.tools: dict[tuple[str, str], AuditCounts] = {}
        self._open: dict[str, tuple[AuditCounts, ...]] = {}
        self._held: dict[str, tuple[AuditCounts, ...]] = {}  # calls that wait for a person

    def add(self, piece: JournalPiece) -> None:
        if is_reported(piece):
            self.reported += 1
            return
        self.records += 1
        self.first = min(self.first or piece.time, piece.time)
        self.last = max(self.last, piece.time)
        action, us = piece.text("action"), piece.number("us")
        _count(self.actions, action)
        if us is None and (held := self._held.pop(piece.text("decision"), ())):
            self._ended(piece, action, held)
            return
        if action not in VERDICTS:
            return
        tallies = self._tallies(piece, action)
        value = rounded(us or 0)
        for tally in tallies:
            tally.stopped += action in STOPPED
            # A verdict without a decision time belongs to an answer: its call has been counted.
            if us is not None:
                tally.calls += 1
                tally.decided.add(value)
        if us is not None and action != DENY:
            keep(self._held if action == PROMPT else self._open, piece.text("decision"), tallies)

    def _ended(self, piece: JournalPiece, action: str, held: tuple[AuditCounts, ...]) -> None:
        """A held call was counted as stopped; a person's yes lets it pass after all."""
        if action == RESUMED:
            for tally in held:
                tally.stopped -= 1
            keep(self._open, piece.text("decision"), held)

    def answer(self, piece: JournalPiece) -> None:
        """An answer counts if its call did, even if the filter does not match it."""
        took = piece.number("round_trip_us")
        tallies = self._open.pop(piece.text("decision"), ())
        value = rounded(took or 0)
        for tally in tallies:
            tally.errors += piece.data.get("error") is True
            if took is not None:
                tally.round_trip.add(value)

    def _tallies(self, piece: JournalPiece, action: str) -> tuple[AuditCounts, ...]:
        server = piece.text("server")
        if server not in self.servers and len(self.servers) >= MOST_NAMES:
            server = OTHERS
        name = server, piece.text("tool") or piece.text("method")
        if name not in self.tools and len(self.tools) >= MOST_NAMES:
            name = OTHERS, OTHERS
        return self.total, _of(self.verdicts, action), _of(self.servers, server), _of(self.tools, name)


def keep(table: dict[str, T], key: str, value: T) -> None:
    """Memory does not grow with the journal."""
    table[key] = value
    if len(table) > MOST_OPEN:
        del table[next(iter(table))]


def _of(tallies: dict[Name, AuditCounts], name: Name) -> AuditCounts:
    found = tallies.get(name)
    if found is None:
        found = tallies[name] = AuditCounts()
    return found


def _count(counts: dict[str, int], name: str) -> None:
    name = name if name in counts or len(counts) < MOST_NAMES else OTHERS
    counts[name] = counts.get(name, 0) + 1


def is_reported(piece: JournalPiece) -> bool:
    """Does somebody say this of itself (`reportAction`), and nobody else has seen it?"""
    return piece.data.get("reported") is True


def is_answer(piece: JournalPiece) -> bool:
    return "round_trip_us" in piece.data or piece.text("action") == ANSWERED


def bar(value: int, most: int, room: int) -> str:
    """A bar in steps of an eighth; any value above zero is visible."""
    eighths = value * room * 8 // most if most else 0
    eighths = max(eighths, 1) if value else 0
    return "█" * (eighths // 8) + ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")[eighths % 8]


def busiest(names: Iterable[tuple[str, AuditCounts]]) -> list[tuple[str, AuditCounts]]:
    return sorted(names, key=lambda item: (-item[1].calls, -item[1].stopped, item[0]))
