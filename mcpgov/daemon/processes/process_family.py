"""Which processes belong to a proxy's server, before and after the proxy's end. Pure: tables in, processes out.

Law: the server, its process group, and all its descendants in any group or session. On Linux orphans become children of
the proxy (launch.adopt_orphans); elsewhere a process that left the tree while the proxy lived is not known. After the
proxy's end parent pids say nothing, so the family is recorded while the proxy lives.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from mcpgov.daemon.processes.process import Ident, Process, ProcessTable


@dataclass(frozen=True, slots=True)
class Family:
    """`leader` is the server: the proxy starts it in a group of its own, so its pid is also the group's id."""

    leader: Ident | None = None
    members: frozenset[Ident] = frozenset()

    def joined_by(self, processes: Collection[Process]) -> Family:
        return replace(self, members=self.members | {process.ident for process in processes})


def server_of(table: ProcessTable, proxy: Process) -> Process | None:
    """The oldest child that leads a group; a proxy's other children are short-lived helpers."""
    leaders = [child for child in table.children(proxy.pid) if child.pgid == child.pid]
    return min(leaders, key=lambda child: child.start, default=None)


def family_of(table: ProcessTable, proxy: Process) -> Family:
    """The server of a living proxy with all its processes."""
    leader = server_of(table, proxy)
    if leader is None:
        return Family()
    # The proxy's own helpers stay in the proxy's group; adopted orphans of the server are in another one.
    roots = [child for child in table.children(proxy.pid) if child.pgid != proxy.pgid]
    below = {process.pid: process for root in roots for process in table.tree(root.pid)}
    group = {process.pid: process for process in table if process.pgid == leader.pid}
    return Family(leader.ident, frozenset(process.ident for process in (below | group).values()))


def living(table: ProcessTable, family: Family, before: float) -> list[Process]:
    """The living members of a family whose proxy ended at the moment `before`.

    INVARIANT: a pid alone proves nothing. A group is the old one if its leader is the same process, or if the leader is
    gone and the member started before the proxy's end: until then the server held the group's id.
    """
    members = {process.pid: process for ident in family.members if (process := table.find(ident))}
    leader = family.leader
    if leader is not None:
        now = table.get(leader.pid)
        for process in table:
            if process.pgid != leader.pid or not process.lives:
                continue
            if (now is None and process.start <= before) or (now is not None and now.ident == leader):
                members[process.pid] = process
    for process in list(members.values()):
        for below in table.tree(process.pid):
            if below.lives:
                members[below.pid] = below
    return list(members.values())
