"""Reads the daemon's log: the last entries, and those that follow. Law: lines that are no entry are skipped, and no
entry comes twice.
"""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

from mcpgov.atomic_file import file_identity, open_plain
from mcpgov.daemon.log import LEVELS, older

Entry = dict[str, object]


class LogReader:
    """Starts at the first entry; `poll` returns what was appended since, across rotations."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._fd = -1
        self._rest = b""
        self._open()

    def last(self, most: int, wanted: Callable[[Entry], bool]) -> list[Entry]:
        """The last entries so far. To be called before `poll`."""
        return list(deque(filter(wanted, self._all()), most))

    def _all(self) -> Iterator[Entry]:
        for path in reversed(older(self._path)):
            try:
                with open_plain(path) as file:
                    # A rotation may just have renamed the file that we have open.
                    if file_identity(file.fileno()) == file_identity(self._fd):
                        continue
                    for raw in file:
                        yield from entries(raw)
            except OSError:
                continue
        yield from self.poll()

    def poll(self) -> list[Entry]:
        out = self._drain()
        if self._was_rotated():
            # INVARIANT: the old file is read to its end before the new one is opened, so no entry is missed.
            out += self._drain()
            self.close()
            self._open()
            out += self._drain()
        return out

    def _drain(self) -> list[Entry]:
        out: list[Entry] = []
        while self._fd >= 0 and (piece := os.read(self._fd, 1 << 16)):
            *lines, self._rest = (self._rest + piece).split(b"\n")
            for line in lines:
                out += entries(line)
        return out

    def _was_rotated(self) -> bool:
        state = file_identity(self._path)
        return state != (0, 0) and state != file_identity(self._fd)

    def _open(self) -> None:
        self._rest = b""
        try:
            with open_plain(self._path) as file:
                self._fd = os.dup(file.fileno())
        except OSError:
            self._fd = -1

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def entries(raw: bytes) -> Iterator[Entry]:
    """The entry on a line, if there is one."""
    try:
        entry = json.loads(raw)
    except (ValueError, RecursionError):
        return
    if isinstance(entry, dict) and entry.get("level") in LEVELS:
        yield entry
