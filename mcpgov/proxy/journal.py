"""The record: one JSON line per event, appended before anything is forwarded.

Law: a batch of records is one write(2) to a file opened for appending, so many proxies share a file without torn
lines. Each session's records form a hash chain: `chain` is the digest of the one before and this record's text.
"""

from __future__ import annotations

import os
import time
from _blake2 import blake2b
from _json import encode_basestring_ascii, make_encoder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

DAY = 86_400
LARGEST = 64 * 1024 * 1024
CHAIN_SIZE = 16


def _refuse(value: object) -> object:
    raise TypeError(f"{type(value).__name__} cannot be recorded")


_encode = make_encoder(None, _refuse, encode_basestring_ascii, None, ":", ",", False, False, True)


def dumps(value: object) -> str:
    return "".join(_encode(value, 0))


def digest(value: object) -> str:
    """A short fingerprint of a JSON value, whatever the order of its keys."""
    made = blake2b(digest_size=CHAIN_SIZE)
    _feed(value, made)
    return made.hexdigest()


def _feed(value: object, made: blake2b) -> None:
    if isinstance(value, str):
        raw = value.encode("utf-8", "surrogatepass")
        made.update(b"s%d:" % len(raw))
        made.update(raw)
    elif isinstance(value, dict):
        made.update(b"{%d" % len(value))
        for key in sorted(value):
            _feed(key, made)
            _feed(value[key], made)
    elif isinstance(value, list):
        made.update(b"[%d" % len(value))
        for item in value:
            _feed(item, made)
    else:
        text = getattr(value, "text", None)
        made.update(b"n" + (text if isinstance(text, str) else repr(value)).encode())


def day_name(now: float) -> str:
    year, month, day = time.gmtime(now)[:3]
    return f"{year:04}-{month:02}-{day:02}"


class Journal:
    """Appends records. `where` is a directory of daily files, or one file."""

    def __init__(self, where: str, who: dict[str, str], *, single: bool = False, keep_days: int = 0) -> None:
        self._where = where
        self._single = single
        self._keep = keep_days
        self._fd = -1
        self._day = -1
        self._torn = False
        self._chain = blake2b(dumps(who).encode(), digest_size=CHAIN_SIZE).hexdigest()
        self._who = dumps(who)[1:-1]
        self._seq = 0

    def write(self, notes: Sequence[dict[str, object]]) -> bool:
        """True once every note is on record."""
        now = time.time()
        before = self._seq, self._chain
        lines = [self._line(note, now) for note in notes]
        data = ("\n" if self._torn else "") + "".join(lines)
        try:
            self._open(now)
            raw = data.encode("ascii")
            written = os.write(self._fd, raw)
        except OSError:
            self._seq, self._chain = before
            return False
        if written != len(raw):
            # A full disk took half a line: the next one starts afresh, and these never happened.
            self._torn = True
            self._seq, self._chain = before
            return False
        self._torn = False
        return True

    def _line(self, note: dict[str, object], now: float) -> str:
        self._seq += 1
        body = f'{{"time":{now:.6f},{self._who},"seq":{self._seq},{dumps(note)[1:]}'
        chain = blake2b(f"{self._chain}{body}".encode(), digest_size=CHAIN_SIZE).hexdigest()
        self._chain = chain
        return f'{body[:-1]},"chain":"{chain}"}}\n'

    def _open(self, now: float) -> None:
        day = int(now // DAY)
        if self._fd >= 0 and (self._single or day == self._day):
            return
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        if self._single:
            fd = os.open(self._where, flags, 0o600)
        else:
            os.makedirs(self._where, mode=0o700, exist_ok=True)
            fd, fresh = self._daily(now, flags)
            if fresh and self._keep:
                self._forget(now)
        if self._fd >= 0:
            os.close(self._fd)
        self._fd, self._day = fd, day

    def _daily(self, now: float, flags: int) -> tuple[int, bool]:
        """Today's file, or its next part once that has grown large; and whether we were the first to open it."""
        part = 0
        while True:
            name = f"{self._where}/{day_name(now)}{f'.{part}' if part else ''}.jsonl"
            try:
                return os.open(name, flags | os.O_EXCL, 0o600), True
            except FileExistsError:
                fd = os.open(name, flags, 0o600)
            if os.fstat(fd).st_size < LARGEST:
                return fd, False
            os.close(fd)
            part += 1

    def _forget(self, now: float) -> None:
        """Files older than the days to keep are taken away, once a day, by whoever opens the day's first file."""
        oldest = day_name(now - self._keep * DAY)
        for name in os.listdir(self._where):
            if name.endswith(".jsonl") and name[:10] < oldest and name[4:5] == "-":
                try:
                    os.unlink(f"{self._where}/{name}")
                except OSError:
                    continue
