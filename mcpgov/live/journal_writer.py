"""Writes the journal: one JSON line per event, appended before anything is forwarded.

Laws: a batch of records is one write(2) to a file opened for appending, so many proxies and all sessions of a process
share a file without torn lines. Each session's records form a hash chain: `chain` is the digest of the record before
and this record's text. A file that was removed, replaced or truncated is noticed no later than the next record, and
every session with records in it records that.
"""

from __future__ import annotations

import posix
import time
from _blake2 import blake2b
from _stat import S_ISREG

from mcpgov.core.json.values import dumps
from mcpgov.host import private_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

DAY = 86_400
CHECK = 1.0  # seconds between two checks whether the file is still at its path
LARGEST = 64 * 1024 * 1024
CHAIN_SIZE = 16
CHUNK = 1 << 16
# Records of answers are batched: so many, or after so many seconds. Records of requests are written at once.
MOST_LATE, LATEST = 64, 0.02
UNWRITTEN = "mcpgov: the journal cannot be written; governed calls are denied"
REMOVED, CUT = "the journal's file was removed, renamed or replaced", "the journal's file was cut"
_new_digest = blake2b(digest_size=CHAIN_SIZE).copy  # faster than the constructor


def digest_text(text: str) -> str:
    """A short digest, computed in chunks: encoding a long text as a whole would cost more than its digest."""
    digest = _new_digest()
    for at in range(0, len(text), CHUNK):
        digest.update(text[at : at + CHUNK].encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def day_name(now: float) -> str:
    year, month, day = time.gmtime(now)[:3]
    return f"{year:04}-{month:02}-{day:02}"


class JournalFile:
    """The file that all sessions of a process append to. `where` is a directory of daily files, or one file.

    `losses` counts how often it was removed or truncated; `lost`: what happened the last time.
    """

    def __init__(self, where: str, *, single: bool = False, keep_days: int = 0) -> None:
        self._where = self._path = where
        self._single = single
        self._keep = keep_days
        self._day = -1
        self._unwatched = False  # there is no change notification for the file
        self.fd = -1
        self.checked = self.until = 0.0
        self.torn = False  # the last write was incomplete
        self.at = -1  # the size of the file after our last record; -1: it is not a regular file
        self.losses = 0
        self.lost = ""

    def watched(self) -> tuple[str, ...]:
        """The directory to watch for the file; none if a link leads there: then the file is checked before records."""
        from os.path import realpath

        directory = (self._where.rpartition("/")[0] or "/") if self._single else self._where
        self._unwatched = not directory.startswith("/") or realpath(directory) != directory
        return () if self._unwatched else (directory,)

    def lose(self, how: str) -> None:
        self.losses += 1
        self.lost = how

    def open(self, now: float) -> None:
        """Ensure that the open file is the one at the path that readers use."""
        # A clock that was set back must not append to an earlier day's file: its records would be out of order.
        day = max(int(now // DAY), self._day)
        gone = self.fd >= 0 and not self._in_place()
        if gone and (self._single or day == self._day):  # an earlier day's file may have expired
            self.lose(REMOVED)
        if gone or self.fd < 0 or not self._fits(day):
            self._change(day)
        self.checked, self.until = now, now if self._unwatched else now + CHECK

    def close(self) -> None:
        if self.fd >= 0:
            posix.close(self.fd)
        self.fd, self.until = -1, 0.0

    def _change(self, day: int) -> None:
        # Non-blocking, so that a pipe put in its place is an error and does not hang.
        flags = posix.O_WRONLY | posix.O_APPEND | posix.O_CREAT | posix.O_CLOEXEC | posix.O_NOFOLLOW | posix.O_NONBLOCK
        if self._single:
            fd = posix.open(self._where, flags, 0o600)
        else:
            private_directory(self._where)
            fd, fresh = self._daily(day, flags)
            if fresh and self._keep:
                self._forget(day)
        if self.fd >= 0:
            posix.close(self.fd)
        self.fd, self._day = fd, day
        info = posix.fstat(fd)
        self.at = info.st_size if S_ISREG(info.st_mode) else -1

    def _in_place(self) -> bool:
        """Is the open file still the one at the path?"""
        opened = posix.fstat(self.fd)
        try:
            there = posix.stat(self._path)
        except OSError:
            return False  # removed or renamed
        return (there.st_dev, there.st_ino) == (opened.st_dev, opened.st_ino)

    def _fits(self, day: int) -> bool:
        """Is it today's file, and not too large?"""
        return self._single or (day == self._day and posix.fstat(self.fd).st_size < LARGEST)

    def _daily(self, day: int, flags: int) -> tuple[int, bool]:
        """Today's file, or its next part once that is too large; and whether we have created it."""
        part = 0
        while True:
            self._path = f"{self._where}/{day_name(day * DAY)}{f'.{part}' if part else ''}.jsonl"
            try:
                return posix.open(self._path, flags | posix.O_EXCL, 0o600), True
            except FileExistsError:
                fd = posix.open(self._path, flags, 0o600)
            if posix.fstat(fd).st_size < LARGEST:
                return fd, False
            posix.close(fd)
            part += 1

    def _forget(self, day: int) -> None:
        """Remove expired files, once a day, in the process that creates the day's first file."""
        oldest = day_name((day - self._keep) * DAY)
        for name in posix.listdir(self._where):
            if name.endswith(".jsonl") and name[:10] < oldest and name[4:5] == "-":
                try:
                    posix.unlink(f"{self._where}/{name}")
                except OSError:
                    continue


class Journal:
    """The records of one session, numbered and chained, in a file that the sessions of this process share."""

    def __init__(self, who: dict[str, str], file: JournalFile) -> None:
        self._file = file
        self._losses = file.losses
        self._chain = blake2b(dumps(who).encode(), digest_size=CHAIN_SIZE).hexdigest()
        self._who = dumps(who)[1:-1]
        self._seq = 0

    def watched(self) -> tuple[str, ...]:
        return self._file.watched()

    def recheck(self) -> None:
        """The file may have been removed or replaced: check before the next record."""
        self._file.until = 0.0

    def write(self, notes: Sequence[str], now: float = 0.0) -> bool:
        """True once every note is written. A note is the text of a JSON object without its braces."""
        now, file = now or time.time(), self._file
        try:
            if not file.checked <= now < file.until:
                file.open(now)
            if self._losses != file.losses and self._seq:
                notes = [self._loss_note(), *notes]
            raw, seq, chain = self._chained(notes, now)
            written = posix.write(file.fd, raw)
            at = file.at
            if at >= 0:
                file.at = posix.lseek(file.fd, 0, 1)  # the end of an appended text is the size of the file
        except OSError:
            return False
        if written != len(raw):
            # A full disk took a part: the next record begins on a new line, and these do not count as written.
            file.torn = True
            return False
        file.torn, self._losses = False, file.losses
        self._seq, self._chain = seq, chain
        if 0 <= file.at < at + written:
            file.lose(CUT)
            return self.write([], now)
        return True

    def _chained(self, notes: Sequence[str], now: float) -> tuple[bytes, int, str]:
        """The records as bytes, with the number and the chain of the last one."""
        moment = f"{int(now * 1e6)}"  # formatting a float takes longer
        front = f'{{"time":{moment[:-6]}.{moment[-6:]},{self._who},"seq":'
        chain, seq = self._chain, self._seq
        texts = ["\n" if self._file.torn else ""]
        for note in notes:
            seq += 1
            body = f"{front}{seq},{note}"
            link = _new_digest()
            link.update(f"{chain}{body}".encode())
            chain = link.hexdigest()
            texts.append(f'{body},"chain":"{chain}"}}\n')
        return "".join(texts).encode(), seq, chain

    def _loss_note(self) -> str:
        note = {"dir": "proxy", "method": "", "action": "broken", "why": self._file.lost, "records": self._seq}
        return dumps(note)[1:-1]
