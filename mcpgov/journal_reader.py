"""The journal read back: its files, lines and records. Leaf; never writes.

Law: files of any size are streamed; an unreadable line is counted and reported, never fatal.
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
from mcpgov.errors import reason_of

OPENING = b'{"time":'
CLOSING = re.compile(rb',"chain":"([0-9a-f]{32})"}\Z')
NAME = re.compile(r"(\d{4}-\d\d-\d\d)(?:\.(\d{1,9}))?\.jsonl")
LONGEST = 128 * 1024 * 1024
BLOCK = 1 << 16
# Seconds after midnight in which a proxy may still write into yesterday's file.
LATE = 60.0
# A torn line may be followed by another proxy's record on the same line: how many starts are tried.
MOST_TRIES = 32
# Kinds of lines: a record; half of one, as a full disk leaves it; an empty line; anything else.
RECORD, TORN, BLANK, DAMAGED = "record", "torn", "blank", "damaged"
VERDICTS = ("allow", "log", "redact", "prompt", "deny")
STOPPED = ("prompt", "deny")
ANSWERED = "answered"


@dataclass(slots=True)  # not frozen: there are millions of them
class JournalPiece:
    """A line of a file, or a part of one. `line` is 0 if lines were not counted."""

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
    return float(moment) if isinstance(moment := piece.data.get("time"), (int, float)) else 0.0


@dataclass(slots=True)
class Damage:
    """Counts of lines, and files, that could not be read."""

    torn: int = 0
    damaged: int = 0
    files: list[str] = field(default_factory=list)

    def note(self, piece: JournalPiece) -> None:
        self.torn += piece.kind == TORN
        self.damaged += piece.kind == DAMAGED

    @property
    def notes(self) -> list[str]:
        notes = [f"cannot read {problem}" for problem in self.files]
        for number, state in ((self.damaged, "damaged"), (self.torn, "half-written")):
            if number:
                notes.append(f"{number:,} {state} line{'' if number == 1 else 's'} left out")
        return [*notes[:-1], f"{notes[-1]}: `mcpgov audit verify` tells where"] if notes and not self.files else notes


def files(where: str, since: float | None = None, until: float | None = None) -> list[str]:
    """The journal's files, oldest first: a single file, or those of a directory whose day may contain the time span."""
    if not os.path.isdir(where):
        return [where] if os.path.lexists(where) else []
    first = _day(since - LATE) if since is not None else ""
    last = _day(until) if until is not None else "~"
    matches = [match for match in map(NAME.fullmatch, os.listdir(where)) if match and first <= match[1] <= last]
    return [os.path.join(where, match[0]) for match in sorted(matches, key=_age)]


def days(where: str) -> list[str]:
    """The days that the journal's files are of, oldest first."""
    names = (NAME.fullmatch(os.path.basename(path)) for path in files(where))
    return list(dict.fromkeys(match[1] for match in names if match))


def in_order(paths: Sequence[str]) -> list[str]:
    """Sorted by day and part if all names have them (a shell's glob puts part 1 before part 0), else as given."""
    unique = list(dict.fromkeys(paths))
    ages = {path: _age(match) for path in unique if (match := NAME.fullmatch(os.path.basename(path)))}
    return sorted(unique, key=ages.__getitem__) if len(ages) == len(unique) else unique


def _age(match: re.Match[str]) -> tuple[str, int]:
    return match[1], int(match[2] or 0)


def _day(moment: float) -> str:
    """The day in a file's name; times outside the calendar are clamped to its ends."""
    return time.strftime("%Y-%m-%d", time.gmtime(min(max(moment, 0.0), 253_402_300_799.0)))


def pieces(file: str, line: int, raw: bytes) -> list[JournalPiece]:
    """The parts of one line: a record, or half of one that another proxy's record may follow."""
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
    # A torn record lacks its end; a record with an end that does not parse was tampered with.
    return [JournalPiece(file, line, DAMAGED if CLOSING.search(raw) else TORN, raw)]


def _parse(raw: bytes) -> dict[str, object] | None:
    try:
        value = json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    kinds = [type(value.get(key)) for key in ("time", "session", "seq")] if isinstance(value, dict) else []
    return value if kinds in ([float, str, int], [int, str, int]) else None


def lines(path: str, holding: bytes = b"") -> Iterator[JournalPiece]:
    """Every piece of a file, in order; with `holding`, only of lines that contain it. Raises OSError."""
    with open_plain(path) as file:
        number = 0
        while raw := file.readline(LONGEST):
            number += 1
            if holding in raw:
                yield from pieces(path, number, raw.rstrip(b"\n"))
            while len(raw) == LONGEST and not raw.endswith(b"\n"):
                raw = file.readline(LONGEST)


def lines_back(path: str, end: int | None = None, holding: bytes = b"") -> Iterator[JournalPiece]:
    """Every piece of a file, last first, starting before byte `end`. Raises OSError."""
    with open_plain(path) as file:
        at = os.fstat(file.fileno()).st_size if end is None else end
        rest: list[bytes] = []  # blocks of a line whose beginning has not been read yet, last first
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
            # A line over the limit counts as damaged anyway: only its beginning is kept.
            if size + len(head) > LONGEST:
                rest, size = [], 0
            rest.append(head)
            size += len(head)
        if holding in (raw := b"".join(reversed(rest))):
            yield from reversed(pieces(path, 0, raw))


def read(paths: Sequence[str], damage: Damage, holding: bytes = b"") -> Iterator[JournalPiece]:
    """Every record, oldest first; with `holding`, only from lines that contain it."""
    for _, parts in groupby(paths, key=_same_day):
        streams = [_records(path, lines(path, holding), damage) for path in parts]
        yield from heapq.merge(*streams, key=by_time)


def read_back(
    paths: Sequence[str], damage: Damage, ends: Mapping[str, int] | None = None, holding: bytes = b""
) -> Iterator[JournalPiece]:
    """Every record, newest first; `ends`: byte offsets to start from in files that still grow."""
    ends = ends or {}
    for _, parts in groupby(reversed(paths), key=_same_day):
        streams = [_records(path, lines_back(path, ends.get(path), holding), damage) for path in parts]
        yield from heapq.merge(*streams, key=by_time, reverse=True)


def _same_day(path: str) -> str:
    """Group key: the parts of one day overlap in time and are merged; any other file is its own group."""
    match = NAME.fullmatch(os.path.basename(path))
    return f"{os.path.dirname(path)}/{match[1]}" if match else path


def _records(path: str, pieces_read: Iterable[JournalPiece], damage: Damage) -> Iterator[JournalPiece]:
    try:
        for piece in pieces_read:
            if piece.kind == RECORD:
                yield piece
            else:
                damage.note(piece)
    except OSError as error:
        damage.files.append(f"`{path}`: {reason_of(error)}")


class Follower:
    """Records added to the journal from now on, across days and parts."""

    def __init__(self, where: str, damage: Damage) -> None:
        self._where = where
        self._damage = damage
        self.ends = {path: _last_end(path) for path in files(where)}

    def poll(self) -> list[JournalPiece]:
        """The records since the last poll, oldest first."""
        present = files(self._where)
        self.ends = {path: self.ends.get(path, 0) for path in present}
        out: list[JournalPiece] = []
        for path in present:
            if _size(path) != self.ends[path]:  # most days are over
                out += _records(path, self._added(path), self._damage)
        return sorted(out, key=by_time)

    def _added(self, path: str) -> Iterator[JournalPiece]:
        with open_plain(path) as file:
            if os.fstat(file.fileno()).st_size < self.ends[path]:
                self.ends[path] = 0  # the file was truncated
            file.seek(self.ends[path])
            while (raw := file.readline(LONGEST)).endswith(b"\n"):
                self.ends[path] += len(raw)
                yield from pieces(path, 0, raw[:-1])


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return -1


def _last_end(path: str) -> int:
    """Offset behind the last complete line: the rest may still be completed."""
    try:
        with open_plain(path) as file:
            at = os.fstat(file.fileno()).st_size
            while at > 0:
                start = max(0, at - BLOCK)
                file.seek(start)
                newline = file.read(at - start).rfind(b"\n")
                if newline >= 0:
                    return start + newline + 1
                at = start
    except OSError:
        pass
    return 0
