"""Processes as frozen values, and the table of all processes of one sweep. Pure.

Law: a process is identified by its pid and its start time together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

RUNNING, STOPPED, ZOMBIE = "running", "stopped", "zombie"


class Ident(NamedTuple):
    """Identifies a process for all time, because pids are reused. `start`: since boot on Linux, else the epoch."""

    pid: int
    start: float


@dataclass(frozen=True, slots=True)
class Process:
    pid: int
    start: float
    ppid: int
    pgid: int
    sid: int
    uid: int
    argv: tuple[str, ...]
    name: str
    cpu_seconds: float
    rss: int
    state: str

    @property
    def ident(self) -> Ident:
        return Ident(self.pid, self.start)

    @property
    def lives(self) -> bool:
        return self.state != ZOMBIE


class ProcessTable:
    """All processes of one sweep."""

    def __init__(self, processes: Iterable[Process]) -> None:
        self._all = {process.pid: process for process in processes}
        self._children: dict[int, list[Process]] = {}
        for process in self._all.values():
            self._children.setdefault(process.ppid, []).append(process)

    def __iter__(self) -> Iterator[Process]:
        return iter(self._all.values())

    def get(self, pid: int) -> Process | None:
        return self._all.get(pid)

    def find(self, ident: Ident) -> Process | None:
        """That very process, if it lives."""
        process = self._all.get(ident.pid)
        return process if process is not None and process.start == ident.start and process.lives else None

    def children(self, pid: int) -> list[Process]:
        return self._children.get(pid, [])

    def tree(self, pid: int) -> list[Process]:
        """The process and all its descendants."""
        found = {pid: root} if (root := self._all.get(pid)) else {}
        waiting = list(found)
        while waiting:
            for child in self.children(waiting.pop()):
                if child.pid not in found:
                    found[child.pid] = child
                    waiting.append(child.pid)
        return list(found.values())

    def ancestors(self, pid: int) -> list[Process]:
        """Parent first, as far as the table has them."""
        found: dict[int, Process] = {}
        at = self._all.get(pid)
        while at is not None and (at := self._all.get(at.ppid)) is not None and at.pid not in found:
            found[at.pid] = at
        return list(found.values())
