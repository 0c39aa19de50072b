"""The journal read back: its files, its lines, its records. Leaf; reads and never writes.

Law: files are streamed, whatever their size; a line that cannot be read is counted and told, never fatal.
"""

from __future__ import annotations

import heapq
import json
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from mcpgov.atomic_file import open_plain

OPENING = b'{"time":'
CLOSING = re.compile(rb',"chain":"([0-9a-f]{32})"}\Z')
NAME = re.compile(r"(\d{4}-\d\d-\d\d)(?:\.(\d{1,9}))?\.jsonl")
LONGEST = 128 * 1024 * 1024
BLOCK = 1 << 16
# Seconds a proxy may go on with yesterday's file.
LATE = 60.0
# Where half a line and another proxy's record share a line, the record begins at one of these many places.
MOST_TRIES = 32
# How a line is: a record; half of one, as a full disk leaves it; nothing; or something else.
RECORD, TORN, BLANK, DAMAGED = "record", "torn", "blank", "damaged"
VERDICTS = ("allow", "log", "redact", "prompt", "deny")
STOPPED = ("prompt", "deny")
ANSWERED = "answered"


@dataclass(slots=True)  # not frozen: there are millions of them
class JournalPiece:
    """A line of a file, or what of it belongs together. `line` is 0 where lines were not counted."""

    file: str
    line: int
    kind: str
    raw: bytes
    data: Mapping[str, object] = field(default_factory=dict)

    def text(self, key: str) -> str:
        value = self.data.get(key)
        return value if isinstance(value, str) else ""

    def number(self, key: str) -> int | None:
        value = self.data.get(key)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    @property
    def time(self) -> float:
        return by_time(self)


def by_time(piece: JournalPiece) -> float:
    return float(found) if isinstance(found := piece.data.get("time"), (int, float)) else 0.0


@dataclass(slots=True)
class Damage:
    """What could not be read."""

    torn: int = 0
    damaged: int = 0
    files: list[str] = field(default_factory=list)

    def note(self, piece: JournalPiece) -> None:
        self.torn += piece.kind == TORN
        self.damaged += piece.kind == DAMAGED

    @property
    def notes(self) -> list[str]:
        out = [f"cannot read {problem}" for problem in self.files]
        for number, what in ((self.damaged, "damaged"), (self.torn, "half-written")):
            if number:
                out.append(f"{number:,} {what} line{'' if number == 1 else 's'} left out")
        return [*out[:-1], f"{out[-1]}: `mcpgov audit verify` tells where"] if out and not self.files else out


def files(where: str, since: float | None = None, until: float | None = None) -> list[str]:
    """The journal's files, oldest first: one file, or those of a directory whose day may hold the time asked for."""
    if not os.path.isdir(where):
        return [where] if os.path.lexists(where) else []
    first = _day(since - LATE) if since is not None else ""
    last = _day(until) if until is not None else "~"
    found = [match for match in map(NAME.fullmatch, os.listdir(where)) if match and first <= match[1] <= last]
    return [os.path.join(where, match[0]) for match in sorted(found, key=_age)]


def in_order(paths: Sequence[str]) -> list[str]:
    """Files as given, or by day and part where all are named so: a shell puts part 1 before part 0."""
    unique = list(dict.fromkeys(paths))
    ages = {path: _age(match) for path in unique if (match := NAME.fullmatch(os.path.basename(path)))}
    return sorted(unique, key=ages.__getitem__) if len(ages) == len(unique) else unique


def _age(match: re.Match[str]) -> tuple[str, int]:
    return match[1], int(match[2] or 0)


def _day(moment: float) -> str:
    """The day a file is named by; times beyond the calendar are its ends."""
    return time.strftime("%Y-%m-%d", time.gmtime(min(max(moment, 0.0), 253_402_300_799.0)))


def pieces(file: str, line: int, raw: bytes) -> list[JournalPiece]:
    """What one line holds: at most half a record and, glued to it by another proxy, a whole one."""
    if not raw.strip():
        return [JournalPiece(file, line, BLANK, b"")]
    data = _parse(raw)
    if data is not None:
        return [JournalPiece(file, line, RECORD, raw, data)]
    at = raw.find(OPENING, 1)
    begun = raw[: len(OPENING) if at < 0 else min(at, len(OPENING))]
    if not OPENING.startswith(begun) or len(raw) >= LONGEST:
        return [JournalPiece(file, line, DAMAGED, raw)]
    for _ in range(MOST_TRIES):
        data = _parse(raw[at:]) if at > 0 else None
        if data is not None:
            return [JournalPiece(file, line, TORN, raw[:at]), JournalPiece(file, line, RECORD, raw[at:], data)]
        at = raw.find(OPENING, at + 1) if at > 0 else -1
    # Half a record has no end; one that has an end and cannot be read was tampered with.
    return [JournalPiece(file, line, DAMAGED if CLOSING.search(raw) else TORN, raw)]


def _parse(raw: bytes) -> dict[str, object] | None:
    try:
        found = json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    kinds = [type(found.get(key)) for key in ("time", "session", "seq")] if isinstance(found, dict) else []
    return found if kinds in ([float, str, int], [int, str, int]) else None


def lines(path: str, holding: bytes = b"") -> Iterator[JournalPiece]:
    """Every piece of a file, in order; of the lines that hold some text, if that is given. Raises OSError."""
    with open_plain(path) as file:
        number = 0
        while raw := file.readline(LONGEST):
            number += 1
            if holding in raw:
                yield from pieces(path, number, raw.rstrip(b"\n"))
            while len(raw) == LONGEST and not raw.endswith(b"\n"):
                raw = file.readline(LONGEST)


def lines_back(path: str, end: int | None = None, holding: bytes = b"") -> Iterator[JournalPiece]:
    """Every piece of a file, the last first, from the byte `end` on. Raises OSError."""
    with open_plain(path) as file:
        at = os.fstat(file.fileno()).st_size if end is None else end
        rest: list[bytes] = []  # the blocks of a line whose beginning is not yet read, last first
        size = 0
        while at > 0:
            start = max(at - BLOCK, 0)
            file.seek(start)
            head, *whole = file.read(at - start).split(b"\n")
            at = start
            if whole:
                whole[-1] += b"".join(reversed(rest))
                rest, size = [], 0
                for raw in reversed(whole):
                    if holding in raw:
                        yield from reversed(pieces(path, 0, raw))
            # A line over the limit is damaged in any case: its beginning alone is kept.
            if size + len(head) > LONGEST:
                rest, size = [], 0
            rest.append(head)
            size += len(head)
        if holding in (raw := b"".join(reversed(rest))):
            yield from reversed(pieces(path, 0, raw))


def read(paths: Sequence[str], damage: Damage, holding: bytes = b"") -> Iterator[JournalPiece]:
    """Every record, oldest first; of the lines that hold some text, if that is given."""
    for _, parts in groupby(paths, key=_same_day):
        streams = [_records(path, lines(path, holding), damage) for path in parts]
        yield from heapq.merge(*streams, key=by_time)


def read_back(
    paths: Sequence[str], damage: Damage, ends: Mapping[str, int] | None = None, holding: bytes = b""
) -> Iterator[JournalPiece]:
    """Every record, newest first; `ends` says where to begin in a file that still grows."""
    ends = ends or {}
    for _, parts in groupby(reversed(paths), key=_same_day):
        streams = [_records(path, lines_back(path, ends.get(path), holding), damage) for path in parts]
        yield from heapq.merge(*streams, key=by_time, reverse=True)


def _same_day(path: str) -> str:
    """Parts of one day are written at the same time; any other file stands alone."""
    match = NAME.fullmatch(os.path.basename(path))
    return f"{os.path.dirname(path)}/{match[1]}" if match else path


def _records(path: str, found: Iterable[JournalPiece], damage: Damage) -> Iterator[JournalPiece]:
    try:
        for piece in found:
            if piece.kind == RECORD:
                yield piece
            else:
                damage.note(piece)
    except OSError as error:
        damage.files.append(f"`{path}`: {(error.strerror or str(error)).lower()}")


class Follower:
    """What is added to the journal from now on, across days and parts."""

    def __init__(self, where: str, damage: Damage) -> None:
        self._where = where
        self._damage = damage
        self.ends = {path: _last_end(path) for path in files(where)}

    def poll(self) -> list[JournalPiece]:
        """The records since the last look, oldest first."""
        present = files(self._where)
        self.ends = {path: self.ends.get(path, 0) for path in present}
        out: list[JournalPiece] = []
        for path in present:
            out += _records(path, self._added(path), self._damage)
        return sorted(out, key=by_time)

    def _added(self, path: str) -> Iterator[JournalPiece]:
        with open_plain(path) as file:
            if os.fstat(file.fileno()).st_size < self.ends[path]:
                self.ends[path] = 0  # somebody began it anew
            file.seek(self.ends[path])
            while (raw := file.readline(LONGEST)).endswith(b"\n"):
                self.ends[path] += len(raw)
                yield from pieces(path, 0, raw[:-1])


def _last_end(path: str) -> int:
    """Where the last whole line of a file ends: half a line may still become a whole one."""
    try:
        with open_plain(path) as file:
            at = os.fstat(file.fileno()).st_size
            while at > 0:
                start = max(0, at - BLOCK)
                file.seek(start)
                found = file.read(at - start).rfind(b"\n")
                if found >= 0:
                    return start + found + 1
                at = start
    except OSError:
        pass
    return 0
