"""The record: one JSON line per event, appended before anything is forwarded.

Laws: a batch of records is one write(2) to a file opened for appending, so many proxies and all sessions of a process
share a file without torn lines. Each session's records form a hash chain: `chain` is the digest of the one before and
this record's text. A file that was taken away, replaced or cut is noticed no later than the next record, and every
session that has records in it says so.
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
CHECK = 1.0  # seconds between two looks at whether the file is still the one to write to
LARGEST = 64 * 1024 * 1024
CHAIN_SIZE = 16
PIECE = 1 << 16
REMOVED, CUT = "the journal's file was removed, renamed or replaced", "the journal's file was cut"
_fresh = blake2b(digest_size=CHAIN_SIZE).copy  # making one anew costs more


def digest_text(text: str) -> str:
    """A short fingerprint, taken piece by piece: a copy of a long text would cost more than its digest."""
    made = _fresh()
    for at in range(0, len(text), PIECE):
        made.update(text[at : at + PIECE].encode("utf-8", "surrogatepass"))
    return made.hexdigest()


def day_name(now: float) -> str:
    year, month, day = time.gmtime(now)[:3]
    return f"{year:04}-{month:02}-{day:02}"


class JournalFile:
    """The file that all sessions of a process append to. `where` is a directory of daily files, or one file.

    `losses` counts how often it was taken away or cut, `lost` says how the last time.
    """

    def __init__(self, where: str, *, single: bool = False, keep_days: int = 0) -> None:
        self._where = self._path = where
        self._single = single
        self._keep = keep_days
        self._day = -1
        self._alone = False  # nobody tells what becomes of the file
        self.fd = -1
        self.checked = self.until = 0.0
        self.torn = False  # the last text was written in half
        self.at = -1  # where the file ended after our last record; -1: it is none that has an end
        self.losses = 0
        self.lost = ""

    def watched(self) -> tuple[str, ...]:
        """The directory whose names tell what becomes of the file; none where a link leads there: then we look."""
        from os.path import realpath

        found = (self._where.rpartition("/")[0] or "/") if self._single else self._where
        self._alone = not found.startswith("/") or realpath(found) != found
        return () if self._alone else (found,)

    def lose(self, how: str) -> None:
        self.losses += 1
        self.lost = how

    def open(self, now: float) -> None:
        """See to it that the file to write to is the one where readers look."""
        # A clock that is set back does not make an earlier day's file grow: its records would stand out of order.
        day = max(int(now // DAY), self._day)
        gone = self.fd >= 0 and not self._in_place()
        if gone and (self._single or day == self._day):  # of an earlier day it may have been forgotten
            self.lose(REMOVED)
        if gone or self.fd < 0 or not self._fits(day):
            self._change(day)
        self.checked, self.until = now, now if self._alone else now + CHECK

    def close(self) -> None:
        if self.fd >= 0:
            posix.close(self.fd)
        self.fd, self.until = -1, 0.0

    def _change(self, day: int) -> None:
        # Without blocking, so that a pipe planted in our place is an error and not a wait.
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
        found = posix.fstat(fd)
        self.at = found.st_size if S_ISREG(found.st_mode) else -1

    def _in_place(self) -> bool:
        """Is the open file still where readers look?"""
        found = posix.fstat(self.fd)
        try:
            there = posix.stat(self._path)
        except OSError:
            return False  # it was taken away, or given another name
        return (there.st_dev, there.st_ino) == (found.st_dev, found.st_ino)

    def _fits(self, day: int) -> bool:
        """Is it of today, and not yet too large?"""
        return self._single or (day == self._day and posix.fstat(self.fd).st_size < LARGEST)

    def _daily(self, day: int, flags: int) -> tuple[int, bool]:
        """Today's file, or its next part once that has grown large; and whether we were the first to open it."""
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
        """Files older than the days to keep are taken away, once a day, by whoever opens the day's first file."""
        oldest = day_name((day - self._keep) * DAY)
        for name in posix.listdir(self._where):
            if name.endswith(".jsonl") and name[:10] < oldest and name[4:5] == "-":
                try:
                    posix.unlink(f"{self._where}/{name}")
                except OSError:
                    continue


class Journal:
    """The records of one session, numbered and chained."""

    def __init__(
        self,
        where: str,
        who: dict[str, str],
        *,
        single: bool = False,
        keep_days: int = 0,
        file: JournalFile | None = None,
    ) -> None:
        """`file`: the one that the sessions of this process share; without it, a file of its own."""
        self._file = file or JournalFile(where, single=single, keep_days=keep_days)
        self._losses = self._file.losses
        self._chain = blake2b(dumps(who).encode(), digest_size=CHAIN_SIZE).hexdigest()
        self._who = dumps(who)[1:-1]
        self._seq = 0

    def watched(self) -> tuple[str, ...]:
        return self._file.watched()

    def recheck(self) -> None:
        """Something may have happened to the file: look before the next record."""
        self._file.until = 0.0

    def write(self, notes: Sequence[str], now: float = 0.0) -> bool:
        """True once every note is on record. A note is the text of an object without its braces."""
        now, file = now or time.time(), self._file
        try:
            if not file.checked <= now < file.until:
                file.open(now)
            if self._losses != file.losses and self._seq:
                notes = [self._told(), *notes]
            raw, seq, chain = self._chained(notes, now)
            written = posix.write(file.fd, raw)
            at = file.at
            if at >= 0:
                file.at = posix.lseek(file.fd, 0, 1)  # where an appended text ends is where the file ends
        except OSError:
            return False
        if written != len(raw):
            # A full disk took half a line: the next one starts afresh, and these never happened.
            file.torn = True
            return False
        file.torn, self._losses = False, file.losses
        self._seq, self._chain = seq, chain
        if 0 <= file.at < at + written:
            file.lose(CUT)
            return self.write([], now)
        return True

    def _chained(self, notes: Sequence[str], now: float) -> tuple[bytes, int, str]:
        """The records as bytes, and where the chain stands after them."""
        moment = f"{int(now * 1e6)}"  # writing a float takes longer
        front = f'{{"time":{moment[:-6]}.{moment[-6:]},{self._who},"seq":'
        chain, seq = self._chain, self._seq
        text = "\n" if self._file.torn else ""
        for note in notes:
            seq += 1
            body = f"{front}{seq},{note}"
            link = _fresh()
            link.update(f"{chain}{body}".encode())
            chain = link.hexdigest()
            text += f'{body},"chain":"{chain}"}}\n'
        return text.encode(), seq, chain

    def _told(self) -> str:
        told = {"dir": "proxy", "method": "", "action": "broken", "why": self._file.lost, "records": self._seq}
        return dumps(told)[1:-1]
