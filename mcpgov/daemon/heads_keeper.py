"""Keeps the journal's heads: reads what proxies append, and writes how far each session has come.

Laws: every byte of the journal is read once, a bounded chunk at a time; what proxies write while no daemon runs is read
when the next one starts. A file that is not a regular one is skipped.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable

from mcpgov import journal_heads, journal_reader
from mcpgov.atomic_file import open_plain
from mcpgov.daemon.log import Log
from mcpgov.errors import McpgovError
from mcpgov.journal_heads import Day, Head

PERIOD = 5.0  # seconds between two reads
CHUNK = 4 * 1024 * 1024
DAY = 86_400
OPEN_DAYS = 2  # that proxies may be writing to, around midnight
EXTRA_DAYS = 30  # for which heads outlive their journal
LINE = re.compile(
    rb'^[^\n]*?"session":"([^"\\]{1,100})"[^\n]*?,"seq":(\d{1,18}),[^\n]*,"chain":"([0-9a-f]{32})"}$', re.MULTILINE
)


class HeadKeeper:
    """`keep_days` as in the settings, 0: for ever; None: not known yet."""

    def __init__(
        self,
        journal: str,
        directory: str,
        log: Log,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
        hear: Callable[[bytes], None] = lambda data: None,
    ) -> None:
        """`hear` gets the whole lines that were added."""
        self._journal, self._directory, self._log = journal, directory, log
        self._clock, self._now, self._hear = clock, now, hear
        self._days: dict[str, Day] = {}
        self._next = clock()
        self._logged_error = ""
        self.keep_days: int | None = None

    def due(self) -> float:
        return self._next - self._clock()

    def work(self) -> None:
        self._next = self._clock() + (PERIOD if self.look() else 0.0)

    def look(self) -> bool:
        """Read what was appended; False: there is more to read."""
        files = self._files()
        done = True
        changed: set[str] = set()
        for path, day in files:
            if day not in self._days:
                self._days[day] = journal_heads.load(self._directory, day) or Day()
            read, whole = self._read(path, self._days[day])
            done = done and whole
            if read:
                changed.add(day)
        for day in changed:
            self._save(day)
        current = {day for _, day in files}
        self._days = {day: found for day, found in self._days.items() if day in current}
        return done

    def _files(self) -> list[tuple[str, str]]:
        try:
            paths = journal_reader.files(self._journal)
        except OSError:
            return []
        named = [(path, match[1]) for path in paths if (match := journal_reader.NAME.fullmatch(os.path.basename(path)))]
        last = sorted({day for _, day in named})[-OPEN_DAYS:]
        return [(path, day) for path, day in named if day in last]

    def _read(self, path: str, day: Day) -> tuple[bool, bool]:
        """Whether there was anything new, and whether the end of the file was reached."""
        name = os.path.basename(path)
        try:
            with open_plain(path) as file:
                info = os.fstat(file.fileno())
                end, inode = day.ends.get(name, (0, info.st_ino))
                size = info.st_size
                if size < end or inode != info.st_ino:
                    self._log.warning(
                        "journal replaced" if size >= end else "journal shrank", file=path, seen=end, size=size
                    )
                    end = 0
                    day.ends[name] = (0, info.st_ino)
                if size == end:
                    return False, True
                file.seek(end)
                data = file.read(CHUNK)
        except OSError:
            return False, True
        cut = data.rfind(b"\n") + 1
        if not cut and len(data) == CHUNK:
            cut = len(data)  # a line longer than any that a proxy writes
        for match in LINE.finditer(data, 0, cut):
            day.see(match[1].decode("utf-8", "replace"), Head(int(match[2]), match[3].decode("ascii")))
        day.ends[name] = (end + cut, info.st_ino)
        self._hear(data[:cut])
        return cut > 0, len(data) < CHUNK or end + cut >= size

    def _save(self, day: str) -> None:
        try:
            journal_heads.save(self._directory, day, self._days[day])
            if self.keep_days:
                oldest = time.gmtime(self._now() - (self.keep_days + EXTRA_DAYS) * DAY)
                journal_heads.forget(self._directory, time.strftime("%Y-%m-%d", oldest))
        except McpgovError as error:
            if str(error) != self._logged_error:
                self._logged_error = str(error)
                self._log.warning("heads not kept", problem=str(error))
