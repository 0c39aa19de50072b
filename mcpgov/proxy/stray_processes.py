"""Processes of the server that have left its group: whatever descends from us and is no helper of our own.

Linux gives us the orphans among them (launch.adopt_orphans), so that neither a new session nor a double fork hides one;
elsewhere the process table tells of those whose parents still live.
Law: a signal goes only to a process that was seen below us, told by its number and its start.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` itself costs an enum at every start
import posix
import select
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    Facts = dict[int, tuple[int, int, str]]  # a process: its parent, its group, and when it began

PAUSE = 10  # milliseconds between two looks
ROUNDS = 50
TABLE = ("/bin/ps", "-axo", "pid=,ppid=,pgid=,state=,lstart=")
LONGEST_TABLE = 1 << 22


class StrayProcesses:
    """`group` is the server's, which is ended as a whole; `spared` names our own helpers."""

    __slots__ = ("_group", "_known", "_linux", "_spared")

    def __init__(
        self, group: int, spared: Callable[[], Collection[int]], linux: bool = sys.platform == "linux"
    ) -> None:
        self._group = group
        self._spared = spared
        self._linux = linux
        self._known: dict[int, str] = {}

    def look(self) -> dict[int, str]:
        """Who is there: number -> start. Without orphans in our care, those seen before count as well."""
        facts = _below_linux(self._spared()) if self._linux else _below(table(), self._spared(), self._known)
        self._known = {pid: start for pid, (_, group, start) in facts.items() if group != self._group}
        return self._known

    def signal(self, number: int) -> bool:
        """To each of them. False: there is nobody."""
        found = self.look()
        for pid, start in found.items():
            _send(pid, start, number, self._linux)
        return bool(found)

    def end(self, until: float) -> None:
        """They have until then after SIGTERM; then SIGKILL, and for what they started meanwhile."""
        if not self.signal(_signal.SIGTERM):
            return
        pause = select.poll()
        while time.monotonic() < until:
            pause.poll(PAUSE)
            if not self.look():
                return
        for _ in range(ROUNDS):
            if not self.signal(_signal.SIGKILL):
                return
            pause.poll(PAUSE)


def _below_linux(spared: Collection[int]) -> Facts:
    out: Facts = {}
    waiting = [posix.getpid()]
    while waiting:
        parent = waiting.pop()
        for child in _children(parent):
            group, start = (0, "") if child in spared or child in out else facts_of(child)
            if start:
                out[child] = (parent, group, start)
                waiting.append(child)
    return out


def _children(pid: int) -> list[int]:
    """Of all its threads."""
    out: list[int] = []
    try:
        for thread in posix.listdir(f"/proc/{pid}/task"):
            out += map(int, _read(f"/proc/{pid}/task/{thread}/children").split())
    except OSError:
        return out  # it has ended meanwhile
    return out


def facts_of(pid: int) -> tuple[int, str]:
    """A living process's group, and when it began, in ticks since boot; no start for one that has ended."""
    try:
        # The name stands in parentheses and may itself hold any character.
        values = _read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    except OSError:
        return 0, ""
    return int(values[2]), "" if values[0] in ("Z", "X") else values[19]


def _read(path: str) -> str:
    fd = posix.open(path, posix.O_RDONLY | posix.O_CLOEXEC)
    try:
        raw = b""
        while piece := posix.read(fd, 1 << 16):
            raw += piece
        return raw.decode("utf-8", "replace")
    finally:
        posix.close(fd)


def table() -> str:
    """All processes, as `ps` tells of them."""
    read, write = posix.pipe()
    actions = [(posix.POSIX_SPAWN_DUP2, write, 1), (posix.POSIX_SPAWN_OPEN, 2, "/dev/null", posix.O_WRONLY, 0)]
    try:
        pid = posix.posix_spawn(TABLE[0], TABLE, {b"LC_ALL": b"C"}, file_actions=actions)
    except OSError:
        posix.close(read)
        return ""
    finally:
        posix.close(write)
    raw = b""
    while len(raw) < LONGEST_TABLE and (piece := posix.read(read, 1 << 16)):
        raw += piece
    posix.close(read)
    posix.waitpid(pid, 0)
    return raw.decode("utf-8", "replace")


def _below(text: str, spared: Collection[int], known: dict[int, str]) -> Facts:
    """Our descendants in a table, and those seen before, whoever their parent is now."""
    rows: Facts = {}
    for line in text.splitlines():
        number, parent, group, state, *start = line.split()
        if not state.startswith("Z"):
            rows[int(number)] = (int(parent), int(group), " ".join(start))
    out = {pid: rows[pid] for pid, start in known.items() if pid in rows and rows[pid][2] == start}
    waiting = [posix.getpid(), *out]
    while waiting:
        above = waiting.pop()
        for pid, facts in rows.items():
            if facts[0] == above and pid not in out and pid not in spared:
                out[pid] = facts
                waiting.append(pid)
    return out


def _send(pid: int, start: str, number: int, linux: bool) -> None:
    handle = -1
    try:
        if linux:
            # INVARIANT: the handle is taken first and the start compared after it, so it is of that very process.
            handle = posix.pidfd_open(pid)
            if facts_of(pid)[1] == start:
                _signal.pidfd_send_signal(handle, number)
        else:
            posix.kill(pid, number)
    except OSError:
        return
    finally:
        if handle >= 0:
            posix.close(handle)
