"""The end of the journal: the last calls that were stopped, and how long deciding takes. Reads only.

Law: a look costs the same however large the journal is.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field

from mcpgov import journal_reader
from mcpgov.daemon.status.model import Denial
from mcpgov.journal_reader import JournalPiece
from mcpgov.policy_cache import Signature, signature

MOST_DENIALS = 5
MOST_FILES = 3  # the parts that proxies may be writing to, around midnight
FAR = 4 * 1024 * 1024  # bytes in which a stopped call is looked for
NEAR = 512 * 1024  # bytes whose records are all read
RESUMED = "resumed"  # it was asked about, and a person let it pass
ENDS = (*journal_reader.STOPPED, RESUMED)
STOPS = tuple(f'"action":"{action}"'.encode("ascii") for action in ENDS)


@dataclass(frozen=True, slots=True)
class TailSummary:
    """`sessions` and `servers`: the median of their decision times, in µs."""

    denials: tuple[Denial, ...] = ()
    sessions: dict[str, int] = field(default_factory=dict)
    servers: dict[tuple[str, str], int] = field(default_factory=dict)

    def p50(self, session: str, server: str, client: str) -> int | None:
        return self.sessions.get(session, self.servers.get((server, client)))


class Tail:
    """One journal; what was seen is kept until something is added."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._files: Signature | None = None
        self._seen = TailSummary()

    def look(self) -> TailSummary:
        try:
            paths = journal_reader.files(self._where)[-MOST_FILES:]
        except OSError:
            paths = []
        found = signature(paths)
        if found != self._files:
            self._seen, self._files = _read(paths), found
        return self._seen


def _read(paths: list[str]) -> TailSummary:
    stopped: list[JournalPiece] = []
    told: set[str] = set()  # decisions whose end is known
    sessions: dict[str, list[int]] = {}
    servers: dict[tuple[str, str], list[int]] = {}
    for path in reversed(paths):
        for at, block in enumerate(_blocks(path)):
            stopped += _stopped(path, block, told)
            for piece in _whole(path, block) if at == 0 else ():
                us = piece.number("us")
                if us is not None and piece.text("action") in journal_reader.VERDICTS:
                    sessions.setdefault(piece.text("session"), []).append(us)
                    servers.setdefault((piece.text("server"), piece.text("client")), []).append(us)
            if len(stopped) >= MOST_DENIALS:
                break
    stopped.sort(key=journal_reader.by_time, reverse=True)
    return TailSummary(
        tuple(map(_denial, stopped[:MOST_DENIALS])),
        {session: _median(times) for session, times in sessions.items()},
        {server: _median(times) for server, times in servers.items()},
    )


def _blocks(path: str) -> Iterator[bytes]:
    """The last lines, block by block from the end: one large block would stay in the daemon's memory.

    Half a line at the very beginning is no record and does no harm.
    """
    try:
        # A pipe planted in the journal's place must not hold us up.
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return
    try:
        end = os.fstat(fd).st_size
        first, rest = max(0, end - FAR), b""
        while end > first:
            start = max(first, end - NEAR)
            data = os.pread(fd, end - start, start) + rest
            # A line that begins in the block before belongs to that one.
            cut = (data.find(b"\n") + 1 or len(data)) if start > first else 0
            rest, end = data[:cut], start
            yield data[cut:]
    except OSError:
        return
    finally:
        os.close(fd)


def _stopped(path: str, data: bytes, told: set[str]) -> Iterator[JournalPiece]:
    """The last calls that were stopped, newest first. A call that was asked about is what became of it."""
    end, found = len(data), 0
    while found < MOST_DENIALS:
        at = max(data.rfind(words, 0, end) for words in STOPS)
        if at < 0:
            return
        start, stop = data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at)
        end = start
        for piece in journal_reader.pieces(path, 0, data[start : stop if stop >= 0 else len(data)]):
            action, decision = piece.text("action"), piece.text("decision")
            if piece.kind != journal_reader.RECORD or action not in ENDS or decision in told:
                continue
            told |= {decision} if decision else set()
            if action != RESUMED:
                found += 1
                yield piece


def _whole(path: str, data: bytes) -> Iterator[JournalPiece]:
    for raw in data.split(b"\n"):
        if b'"us":' in raw:
            yield from (piece for piece in journal_reader.pieces(path, 0, raw) if piece.kind == journal_reader.RECORD)


def _denial(piece: JournalPiece) -> Denial:
    uris = piece.data.get("uris")
    named = piece.text("tool") or piece.text("prompt") or (str(uris[0]) if isinstance(uris, list) and uris else "")
    rule = piece.text("rule") or ("(pin)" if piece.text("kind") == "pin" else "(default)")
    what = named or piece.text("method")
    return Denial(piece.time, piece.text("server"), what, rule, piece.text("decision"), piece.text("action"))


def _median(times: list[int]) -> int:
    """The smallest that half of them do not exceed."""
    return sorted(times)[(len(times) - 1) // 2]
