"""Checks that the journal is as it was written: each session's records form a numbered hash chain. Leaf; reads only.

Law: a finding is something no proxy writes; traces of a full disk or of expired files are remarks. A truncated
session, a removed session or day, and a rewritten journal show only against the heads that the daemon stores apart.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from mcpgov import journal_reader
from mcpgov.errors import reason_of
from mcpgov.journal_heads import Head
from mcpgov.journal_reader import JournalPiece

CHANGED, MISSING, MOVED, REPEATED, DAMAGED, UNREADABLE, CUT, REMOVED = (
    "changed", "missing", "moved", "repeated", "damaged", "unreadable", "cut off", "removed",
)  # fmt: skip
TORN, REWOUND, OLDER = "torn", "rewound", "older"
FINDINGS = (CHANGED, MISSING, MOVED, REPEATED, DAMAGED, UNREADABLE, CUT, REMOVED)
WHO = ("session", "client", "server", "project")
SIZE = 16
MOST_GAPS = 1000


@dataclass(frozen=True, slots=True)
class Remark:
    """A remark about a record; `kind` decides whether it is a finding."""

    kind: str
    file: str
    line: int
    text: str
    session: str = ""
    seq: int = 0

    @property
    def is_finding(self) -> bool:
        return self.kind in FINDINGS


@dataclass(slots=True)
class _Gap:
    """Record numbers that were missing when the record after them was read."""

    first: int
    last: int
    file: str
    line: int
    kind: str = MISSING


class _Session:
    """One chain so far. `batch_*`: its end before the last write, to which a full disk sends a proxy back."""

    __slots__ = ("batch_chain", "batch_seq", "chain", "gaps", "seq", "time")

    def __init__(self, seq: int, chain: str) -> None:
        self.seq, self.chain = seq, chain
        self.batch_seq, self.batch_chain, self.time = seq, chain, -1.0
        self.gaps: list[_Gap] = []

    def go_on(self, seq: int, chain: str, time: float) -> None:
        if time != self.time:
            self.batch_seq, self.batch_chain, self.time = self.seq, self.chain, time
        self.seq, self.chain = seq, chain

    def fill(self, seq: int) -> bool:
        """Remove a number from the gaps; False if it was in none."""
        for at, gap in enumerate(self.gaps):
            if gap.first <= seq <= gap.last:
                parts = replace(gap, last=seq - 1), replace(gap, first=seq + 1)
                self.gaps[at : at + 1] = [part for part in parts if part.first <= part.last]
                return True
        return False


def digest(text: str) -> str:
    return hashlib.blake2b(text.encode("ascii"), digest_size=SIZE).hexdigest()


def seed(data: Iterable[tuple[str, object]]) -> str:
    """The start of a session's chain: a digest of client, server and project."""
    who = {key: value for key, value in data if key in WHO}
    return digest(json.dumps(who, sort_keys=True, separators=(",", ":")))


def link(before: str, body: bytes) -> str:
    return hashlib.blake2b(before.encode("ascii") + body, digest_size=SIZE).hexdigest()


class Verifier:
    """Reads files in order and yields remarks. `expired`: older files may have been deleted at the end of their time.

    `heads`: the last record of each session, by day, for the days whose files must still exist.
    """

    def __init__(self, *, expired: bool = False, heads: Mapping[str, Mapping[str, Head]] | None = None) -> None:
        self.records = 0
        self.files = 0
        self._sessions: dict[str, _Session] = {}
        self._expired = expired
        self._heads = heads or {}
        self._days: set[str] = set()
        # Per session the records that must exist: number -> digest, day.
        self._wanted: dict[str, dict[int, tuple[str, str]]] = {}
        for day, heads_of_day in self._heads.items():
            for session, head in heads_of_day.items():
                self._wanted.setdefault(session, {})[head.seq] = (head.chain, day)
        self._met: set[tuple[str, int, str]] = set()

    @property
    def sessions(self) -> int:
        return len(self._sessions)

    @property
    def unwatched(self) -> int:
        """Sessions without a head: a truncated end would not show."""
        return sum(session not in self._wanted for session in self._sessions)

    def check(self, path: str) -> Iterator[Remark]:
        self.files += 1
        self._days.add(os.path.basename(path)[:10])
        try:
            for piece in journal_reader.lines(path):
                if piece.kind == journal_reader.RECORD:
                    self.records += 1
                    yield from self._record(piece)
                elif piece.kind == journal_reader.TORN:
                    text = "half a line: the disk was full or the machine stopped; the record did not count"
                    yield Remark(TORN, path, piece.line, text)
                elif piece.kind == journal_reader.DAMAGED:
                    yield Remark(DAMAGED, path, piece.line, "this line is no record")
        except OSError as error:
            yield Remark(UNREADABLE, path, 0, f"cannot be read: {reason_of(error)}")

    def finish(self) -> Iterator[Remark]:
        """What is missing after every file has been read."""
        for name, state in self._sessions.items():
            for gap in state.gaps:
                which = f"records {gap.first} to {gap.last} are" if gap.last > gap.first else f"record {gap.first} is"
                text = f"{which} missing before this line"
                if gap.kind == OLDER:
                    text = f"the session began before the oldest file: {which} not there"
                yield Remark(gap.kind, gap.file, gap.line, text, name, gap.first)
        yield from self._against_heads()

    def _against_heads(self) -> Iterator[Remark]:
        gone = [day for day in self._heads if day not in self._days and self._heads[day]]
        for day in gone:
            count = len(self._heads[day])
            text = f"the day is gone: the daemon had seen records of {count} session{'s' if count > 1 else ''}"
            yield Remark(REMOVED, f"{day}.jsonl", 0, text)
        for session, wanted in self._wanted.items():
            for seq, (chain, day) in sorted(wanted.items()):
                if day not in gone and (session, seq, chain) not in self._met:
                    yield from self._not_met(session, seq, day)

    def _not_met(self, session: str, seq: int, day: str) -> Iterator[Remark]:
        state = self._sessions.get(session)
        file = f"{day}.jsonl"
        if state is None:
            yield Remark(
                REMOVED, file, 0, f"the session is gone: the daemon had seen {seq} records of it", session, seq
            )
        elif state.seq < seq:
            which = f"records {state.seq + 1} to {seq} are" if seq > state.seq + 1 else f"record {seq} is"
            yield Remark(CUT, file, 0, f"its end is cut off: {which} missing", session, state.seq + 1)
        elif not any(gap.first <= seq <= gap.last for gap in state.gaps):
            yield Remark(CHANGED, file, 0, "it is not the record that the daemon had seen", session, seq)

    def _record(self, piece: JournalPiece) -> Iterator[Remark]:
        name, seq = piece.text("session"), piece.number("seq") or 0
        closing = journal_reader.CLOSING.search(piece.raw)
        if closing is None:
            yield self._remark(DAMAGED, piece, "this record has no digest at its end")
            return
        chain, body = closing[1].decode("ascii"), piece.raw[: closing.start()]
        if seq in self._wanted.get(name, ()):
            self._met.add((name, seq, chain))
        state = self._sessions.get(name)
        if state is None:
            yield from self._first(piece, seq, chain, body)
            return
        if seq == state.seq + 1:
            if link(state.chain, body) != chain:
                yield self._remark(CHANGED, piece, "it, or the one before it, is not as it was written")
            state.go_on(seq, chain, piece.time)
        elif seq > state.seq:
            if len(state.gaps) < MOST_GAPS:
                state.gaps.append(_Gap(state.seq + 1, seq - 1, piece.file, piece.line))
            state.go_on(seq, chain, piece.time)
        elif state.fill(seq):
            yield self._remark(MOVED, piece, f"it stands after record {state.seq}")
        elif seq == state.batch_seq + 1 and piece.time != state.time and link(state.batch_chain, body) == chain:
            again = f"records {seq} to {state.seq}" if state.seq > seq else f"record {seq}"
            yield self._remark(REWOUND, piece, f"{again} before it did not count: the disk was full")
            state.seq, state.chain = state.batch_seq, state.batch_chain
            state.go_on(seq, chain, piece.time)
        else:
            yield self._remark(REPEATED, piece, f"its number was used before; the last one was {state.seq}")

    def _first(self, piece: JournalPiece, seq: int, chain: str, body: bytes) -> Iterator[Remark]:
        start = seed(piece.data.items())
        state = self._sessions[piece.text("session")] = _Session(0, start)
        if seq == 1 and link(start, body) != chain:
            yield self._remark(CHANGED, piece, "it is not as it was written")
        elif seq > 1:
            state.gaps.append(_Gap(1, seq - 1, piece.file, piece.line, OLDER if self._expired else MISSING))
        state.go_on(seq, chain, piece.time)

    def _remark(self, kind: str, piece: JournalPiece, text: str) -> Remark:
        return Remark(kind, piece.file, piece.line, text, piece.text("session"), piece.number("seq") or 0)
