"""Which processes belong to a proxy's server, before and after the proxy's end. Pure: tables in, processes out.

Law: the server, its process group, and whatever descends from it, in whatever group or session. On Linux what lost its
parents is the proxy's child (launch.adopt_orphans); elsewhere what left the tree while the proxy lived is forgotten.
After the proxy's end parents no longer tell, so the family is remembered while it lives.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from mcpgov.daemon.processes.process import Ident, Process, ProcessTable


@dataclass(frozen=True, slots=True)
class Family:
    """`leader` is the server: the proxy starts it in a group of its own, so its number is also the group's."""

    leader: Ident | None = None
    members: frozenset[Ident] = frozenset()

    def joined_by(self, processes: Collection[Process]) -> Family:
        return replace(self, members=self.members | {process.ident for process in processes})


def server_of(table: ProcessTable, proxy: Process) -> Process | None:
    """The oldest child that leads a group; a proxy's other children help it for a moment only."""
    leaders = [child for child in table.children(proxy.pid) if child.pgid == child.pid]
    return min(leaders, key=lambda child: child.start, default=None)


def family_of(table: ProcessTable, proxy: Process) -> Family:
    """All that stands behind a living proxy."""
    leader = server_of(table, proxy)
    if leader is None:
        return Family()
    # Our own helpers stay in the proxy's group; what the server's helpers left behind never had that.
    roots = [child for child in table.children(proxy.pid) if child.pgid != proxy.pgid]
    below = {process.pid: process for root in roots for process in table.tree(root.pid)}
    group = {process.pid: process for process in table if process.pgid == leader.pid}
    return Family(leader.ident, frozenset(process.ident for process in (below | group).values()))


def living(table: ProcessTable, family: Family, before: float) -> list[Process]:
    """Who is left of a family whose proxy ended at the moment `before`.

    INVARIANT: a number alone proves nothing. A group is the old one if its leader is, or if the leader is gone and the
    member was there before the end: while the proxy lived its server held the number.
    """
    found = {process.pid: process for ident in family.members if (process := table.find(ident))}
    leader = family.leader
    if leader is not None:
        now = table.get(leader.pid)
        for process in table:
            if process.pgid != leader.pid or not process.lives:
                continue
            if (now is None and process.start <= before) or (now is not None and now.ident == leader):
                found[process.pid] = process
    for process in list(found.values()):
        for below in table.tree(process.pid):
            if below.lives:
                found[below.pid] = below
    return list(found.values())
