"""Whose proxy it is: its parent and the app above. When all of them have gone, the client has.

Law: in doubt the client lives. A parent that is not ours to see can never be missed, and a helper that starts a
server and leaves is none as long as the app above it stays.
"""

from __future__ import annotations

from collections.abc import Callable

from mcpgov.daemon.processes.apps import clients_of
from mcpgov.daemon.processes.process import Ident, Process
from mcpgov.daemon.processes.process_table import ProcessReader

FARTHEST = 16  # generations up to the app


class ProcessLook:
    """Single looks; many proxies share a client, which is looked at once."""

    def __init__(self, machine: ProcessReader) -> None:
        self._machine = machine
        self._seen: dict[int, Process | None] = {}

    def __call__(self, pid: int) -> Process | None:
        if pid not in self._seen:
            self._seen[pid] = self._machine.look(pid)
        return self._seen[pid]


def anchors_of(machine: ProcessReader, process: Process) -> frozenset[Ident]:
    """Its parent, and the nearest app above."""
    found: list[Ident] = []
    at = machine.look(process.ppid, argv=True)
    for _ in range(FARTHEST):
        if at is None:
            break
        is_app = bool(clients_of(at))
        if is_app or not found:
            found.append(at.ident)
        if is_app:
            break
        at = machine.look(at.ppid, argv=True)
    return frozenset(found)


def deserted(anchors: frozenset[Ident], look: Callable[[int], Process | None]) -> bool:
    """Have they all gone?"""
    for anchor in anchors:
        found = look(anchor.pid)
        if found is not None and found.ident == anchor and found.lives:
            return False
    return bool(anchors)
