"""A session of the journal that is no proxy's: the daemon's own, and that of a refused command. Leaf.

Laws: records are numbered and chained as a proxy's are, one write(2) each, to a file opened for appending where readers
look at that moment. What could not be written whole did not happen: the chain stays where it was.
"""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Mapping
from datetime import date, timedelta

from mcpgov.host import private_directory
from mcpgov.journal_verify import link, seed

LARGEST = 64 * 1024 * 1024  # of one of a day's files, as proxies have it
MOST_PARTS = 10_000
_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


class JournalSession:
    """`who`: session, and client and server where all records are of one.

    `keep_days`: whoever begins a day's file takes away the files that are older; 0: none are.
    """

    def __init__(self, journal: str, who: Mapping[str, str], keep_days: int = 0) -> None:
        self.keep_days = keep_days
        self._journal = journal
        self._who = json.dumps(who, separators=(",", ":"))[1:-1]
        self._chain = seed(who.items())
        self._seq = 0
        self._torn = False

    def write(self, note: Mapping[str, object], now: float = 0.0) -> bool:
        """Put it on record; False where that cannot be done."""
        moment, seq = now or time.time(), self._seq + 1
        front = f'{{"time":{moment:.6f},{self._who},"seq":{seq},'
        try:
            body = (front + json.dumps(note, separators=(",", ":"), allow_nan=False)[1:-1]).encode("ascii")
        except ValueError:  # a number that no JSON has
            return False
        chain = link(self._chain, body)
        raw = (b"\n" if self._torn else b"") + body + f',"chain":"{chain}"}}\n'.encode("ascii")
        try:
            private_directory(self._journal)
            fd = self._open(time.strftime("%Y-%m-%d", time.gmtime(moment)))
        except OSError:
            return False
        try:
            written = os.write(fd, raw)
        except OSError:
            return False
        finally:
            os.close(fd)
        self._torn = written != len(raw)  # a full disk took half a line: the next one starts afresh
        if not self._torn:
            self._seq, self._chain = seq, chain
        return not self._torn

    def _open(self, day: str) -> int:
        """Today's file, or its first part that is not yet full."""
        for part in range(MOST_PARTS):
            path = f"{self._journal}/{day}{f'.{part}' if part else ''}.jsonl"
            fresh = not part and bool(self.keep_days) and not os.path.lexists(path)
            fd = os.open(path, _FLAGS, 0o600)
            found = os.fstat(fd)
            if not stat.S_ISREG(found.st_mode):
                os.close(fd)
                raise OSError(f"`{path}` is no file")
            if fresh:
                self._forget(day)
            if found.st_size < LARGEST:
                return fd
            os.close(fd)
        raise OSError("the day's files are full")

    def _forget(self, day: str) -> None:
        oldest = (date.fromisoformat(day) - timedelta(days=self.keep_days)).isoformat()
        for name in os.listdir(self._journal):
            if name.endswith(".jsonl") and name[:10] < oldest and name[4:5] == "-":
                try:
                    os.unlink(f"{self._journal}/{name}")
                except OSError:
                    continue
