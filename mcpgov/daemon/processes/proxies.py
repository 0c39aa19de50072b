"""One proxy as the daemon knows it, and the state that follows. Pure.

STARTING: seen, not yet registered. ALIVE -> IDLE: no call for a while. -> HUNG: asked, and no answer in time; told,
never ended. -> PAUSED: stopped by a signal, until it goes on. -> ORPHAN: those who started it are gone and it is still
here. -> ENDING: being ended.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mcpgov.daemon.processes.process import STOPPED, Ident, Process, ProcessTable
from mcpgov.daemon.processes.process_family import Family

STARTING, ALIVE, IDLE, HUNG, ORPHAN, ENDING = "starting", "alive", "idle", "hung", "orphan", "ending"
PAUSED = "stopped"
MOST = 10**15  # nobody counts further; infinity is no count


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds. A proxy leaves by itself two seconds after its client."""

    look: float = 2.0  # between looks at registered proxies
    unregistered: float = 1.0  # nobody tells of the end of the others
    sweep: float = 30.0  # between sweeps over all processes, at first
    longest_sweep: float = 120.0
    empty_sweep: float = 300.0  # the longest where no proxy lives
    grown: float = 3.0  # after a new one: by then a runner has started the server proper
    idle: float = 600.0
    starting: float = 5.0  # and a parent that ends as soon was a helper, not the client
    orphan: float = 3.0
    leftover: float = 2.0  # a server outlives its proxy by this much before it is ended


@dataclass(frozen=True, slots=True)
class Action:
    """What has happened to a proxy, for the log; one kind asks for its counters."""

    what: str
    pid: int
    start: float
    server: str
    client: str


@dataclass(frozen=True, slots=True)
class ProxyFact:
    """Counters are None until it has told them; `since` counts from the epoch.

    `server_cpu` and `server_rss` are of the server with all it started.
    """

    pid: int
    start: float
    server: str
    client: str
    project: str
    session: str
    child: int | None
    state: str
    registered: bool
    calls: int | None
    denied: int | None
    errors: int | None
    p50_us: int | None
    idle: float | None
    cpu: float
    rss: int
    server_cpu: float
    server_rss: int
    since: float


@dataclass(slots=True)
class Proxy:
    """What is remembered of a proxy. Moments are on the supervisor's clock."""

    process: Process
    server: str
    client: str
    project: str = ""
    session: str = ""
    connected: bool = False
    anchors: frozenset[Ident] = frozenset()  # parent and app: when all have gone the client has
    family: Family = field(default_factory=Family)
    counters: Mapping[str, float] = field(default_factory=dict)
    deserted: float | None = None
    wondered: bool = False  # whether somebody uses it all the same
    hung: bool = False
    ending: bool = False

    @property
    def ident(self) -> Ident:
        return self.process.ident

    def answered(self, counters: Mapping[str, object], now: float) -> None:
        self.counters = {
            key: value
            for key, value in counters.items()
            if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < MOST
        }
        self.hung = False
        idle = self.counters.get("idle")
        if self.deserted is not None and idle is not None and now - idle > self.deserted:
            # ORPHAN -> ALIVE: it was used after its parent ended, so somebody else is its client.
            self.deserted, self.anchors = None, frozenset()

    def silent(self) -> bool:
        """Asked, and no answer in time; a stopped process cannot give one. True: this is news."""
        before, self.hung = self.hung, self.process.state != STOPPED
        return self.hung and not before

    def state(self, moment: float, times: Times) -> str:
        """`moment` is the machine's."""
        if self.ending:
            return ENDING
        if self.deserted is not None:
            return ORPHAN
        if self.hung:
            return HUNG
        if self.process.state == STOPPED:
            return PAUSED
        if not self.connected and moment - self.process.start < times.starting:
            return STARTING
        return IDLE if self.counters.get("idle", 0.0) >= times.idle else ALIVE

    def fact(self, table: ProcessTable, moment: float, wall: float, times: Times) -> ProxyFact:
        """`wall` is the time of day at the machine's `moment`."""
        behind = [found for ident in self.family.members if (found := table.find(ident))]
        return ProxyFact(
            pid=self.process.pid,
            start=self.process.start,
            server=self.server,
            client=self.client,
            project=self.project,
            session=self.session,
            child=self.family.leader.pid if self.family.leader else None,
            state=self.state(moment, times),
            registered=self.connected,
            calls=self._count("calls"),
            denied=self._count("denied"),
            errors=self._count("errors"),
            p50_us=self._count("p50_us"),
            idle=self.counters.get("idle"),
            cpu=self.process.cpu_seconds,
            rss=self.process.rss,
            server_cpu=sum(found.cpu_seconds for found in behind),
            server_rss=sum(found.rss for found in behind),
            since=wall - (moment - self.process.start),
        )

    def _count(self, key: str) -> int | None:
        return int(self.counters[key]) if key in self.counters else None
