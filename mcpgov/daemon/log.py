"""The daemon's log: one JSON object a line, ASCII, private, rotated by size. log_reader.py reads it back.

Laws: an entry is one write; entries that cannot be written are counted, the count is logged later, and the daemon goes
on.
"""

from __future__ import annotations

import json
import os
import time
import traceback
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import TextIO

from mcpgov.host import private_directory

LEVELS = ("debug", "info", "warning", "error")
FILE = "daemon.jsonl"
LARGEST = 1_000_000
FILES = 5
LONGEST_ENTRY = 32_000
LONGEST_TEXT = 8_000


class Log:
    """`mirror` also gets every entry, as a line of text."""

    def __init__(
        self,
        path: Path,
        level: str = "info",
        *,
        mirror: TextIO | None = None,
        clock: Callable[[], float] = time.time,
        largest: int = LARGEST,
        files: int = FILES,
    ) -> None:
        self.path = path
        self.level = level
        self.lost = 0
        self._mirror = mirror
        self._clock = clock
        self._largest = largest
        self._files = files
        self._fd = -1

    def debug(self, event: str, **fields: object) -> None:
        self("debug", event, **fields)

    def info(self, event: str, **fields: object) -> None:
        self("info", event, **fields)

    def warning(self, event: str, **fields: object) -> None:
        self("warning", event, **fields)

    def error(self, event: str, **fields: object) -> None:
        self("error", event, **fields)

    def crash(self, event: str, problem: BaseException, **fields: object) -> None:
        """An exception in the daemon itself, with its traceback."""
        trace = "".join(traceback.format_exception(problem))[-LONGEST_TEXT:]
        self.error(event, **fields, problem=f"{type(problem).__name__}: {problem}"[:500], traceback=trace)

    def __call__(self, level: str, event: str, **fields: object) -> None:
        if LEVELS.index(level) < LEVELS.index(self.level):
            return
        entry = {"time": round(self._clock(), 3), "level": level, "event": event, **fields}
        if self.lost:
            entry["lost"] = self.lost
        line = json.dumps(entry, default=str)
        if len(line) > LONGEST_ENTRY:
            line = json.dumps({**dict(list(entry.items())[:3]), "cut": line[:LONGEST_ENTRY]})
        self._append(line.encode("ascii") + b"\n")
        if self._mirror is not None:
            self._show(entry)

    def _append(self, raw: bytes) -> None:
        try:
            fd = self._open(len(raw))
            whole = os.write(fd, raw) == len(raw)
        except OSError:
            whole = False
        self.lost = 0 if whole else self.lost + 1

    def _open(self, size: int) -> int:
        """The file to write to: still at its path, and not full."""
        if self._fd >= 0:
            info = os.fstat(self._fd)
            if info.st_nlink and info.st_size + size <= self._largest:
                return self._fd
            self.close()
        private_directory(str(self.path.parent))
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        self._fd = os.open(self.path, flags, 0o600)
        if os.fstat(self._fd).st_size + size > self._largest:
            self._rotate()
            self.close()
            self._fd = os.open(self.path, flags, 0o600)
        return self._fd

    def _rotate(self) -> None:
        names = [self.path, *older(self.path, self._files)]
        for source, target in reversed(list(pairwise(names))):
            if os.path.lexists(source):
                os.replace(source, target)

    def _show(self, entry: dict[str, object]) -> None:
        assert self._mirror is not None
        try:
            self._mirror.write(f"mcpgov: {text(entry)}\n")
            self._mirror.flush()
        except (OSError, ValueError):
            self._mirror = None  # nobody reads it now

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def older(path: Path, files: int = FILES) -> list[Path]:
    """The paths of the rotated files, the latest first."""
    return [path.with_name(f"{path.stem}.{number}{path.suffix}") for number in range(1, files)]


def text(entry: dict[str, object]) -> str:
    """An entry in one line of ASCII, without its time: a name in it cannot end the line or act on a terminal."""
    rest = {key: value for key, value in entry.items() if key not in ("time", "level", "event", "traceback")}
    fields = " ".join(
        f"{key}={value if isinstance(value, (int, float)) else json.dumps(value)}" for key, value in rest.items()
    )
    line = f"{entry.get('level', '')}: {entry.get('event', '')} {fields}".rstrip()
    return "".join(c if c.isascii() and c.isprintable() else ascii(c)[1:-1] for c in line)
