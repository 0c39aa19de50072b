"""Does the client of a proxy still run? Its owners are its parent process and the AI app above that.

Law: in doubt the client lives. A parent that we may not read never counts as gone, and a helper process that starts a
server and exits does not count as long as the app above it runs.
"""

from __future__ import annotations

from collections.abc import Callable

from mcpgov.daemon.processes.apps import clients_of
from mcpgov.daemon.processes.process import Ident, Process
from mcpgov.daemon.processes.process_table import ProcessReader

MOST_GENERATIONS = 16  # up to the app


def owners_of(machine: ProcessReader, process: Process) -> frozenset[Ident]:
    """The proxy's parent, and the nearest AI app above it."""
    owners: list[Ident] = []
    at = machine.look(process.ppid, argv=True)
    for _ in range(MOST_GENERATIONS):
        if at is None:
            break
        is_app = bool(clients_of(at))
        if is_app or not owners:
            owners.append(at.ident)
        if is_app:
            break
        at = machine.look(at.ppid, argv=True)
    return frozenset(owners)


def has_left(owners: frozenset[Ident], look: Callable[[int], Process | None]) -> bool:
    """Have all owners of a proxy ended? A proxy whose owners are unknown counts as in use."""
    found = ((owner, look(owner.pid)) for owner in owners)
    return bool(owners) and not any(process and process.ident == owner and process.lives for owner, process in found)
