"""One proxy as the daemon knows it, and its state. Pure.

STARTING: found, not yet registered. ALIVE -> IDLE: no call for a while. -> HUNG: no answer in time; reported, never
ended. -> PAUSED: stopped by a signal until it continues. -> ORPHAN: its owners have gone and it still runs.
-> ENDING: being ended.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from mcpgov.daemon.processes.process import STOPPED, Ident, Process, ProcessTable
from mcpgov.daemon.processes.process_family import Family
from mcpgov.daemon.status.model import ProxyStatus

STARTING, ALIVE, IDLE, HUNG, ORPHAN, ENDING = "starting", "alive", "idle", "hung", "orphan", "ending"
PAUSED = "stopped"
LARGEST_COUNTER = 10**15  # anything above, infinity among it, is no count


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds. A proxy exits by itself two seconds after its client."""

    look: float = 2.0  # between two reads of registered proxies
    unregistered: float = 1.0  # of the others, because no connection reports their end
    sweep: float = 30.0  # between sweeps over all processes, at first
    longest_sweep: float = 120.0
    empty_sweep: float = 300.0  # the longest while there is no proxy
    grown: float = 3.0  # after a new proxy: by then a package runner has started the real server
    idle: float = 600.0
    starting: float = 5.0  # a parent that exits within this time was a helper, not the client
    orphan: float = 3.0
    leftover: float = 2.0  # a server may outlive its proxy by this much before it is ended


@dataclass(frozen=True, slots=True)
class Action:
    """What has happened to a proxy, for the log; the kind ASK requests its counters."""

    what: str
    pid: int
    start: float
    server: str
    client: str


@dataclass(slots=True)
class Proxy:
    """What is remembered of a proxy. Moments are on the supervisor's clock."""

    process: Process
    server: str
    client: str
    project: str = ""
    session: str = ""
    connected: bool = False
    owners: frozenset[Ident] = frozenset()  # parent and app: when all have gone, so has the client
    family: Family = field(default_factory=Family)
    counters: Mapping[str, float] = field(default_factory=dict)
    orphan_since: float | None = None
    asked: bool = False  # whether it is in use although its owners have gone
    hung: bool = False
    ending: bool = False

    @property
    def ident(self) -> Ident:
        return self.process.ident

    def answered(self, counters: Mapping[str, object], now: float) -> None:
        self.counters = {
            key: value
            for key, value in counters.items()
            if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < LARGEST_COUNTER
        }
        self.hung = False
        idle = self.counters.get("idle")
        if self.orphan_since is not None and idle is not None and now - idle > self.orphan_since:
            # ORPHAN -> ALIVE: it was used after its owners had gone, so another process is its client.
            self.orphan_since, self.owners = None, frozenset()

    def silent(self) -> bool:
        """No answer in time; a stopped process cannot give one. True: it was not hung before."""
        before, self.hung = self.hung, self.process.state != STOPPED
        return self.hung and not before

    def state(self, moment: float, times: Times) -> str:
        """`moment`: now, in the units of a process's start."""
        if self.ending:
            return ENDING
        if self.orphan_since is not None:
            return ORPHAN
        if self.hung:
            return HUNG
        if self.process.state == STOPPED:
            return PAUSED
        if not self.connected and moment - self.process.start < times.starting:
            return STARTING
        return IDLE if self.counters.get("idle", 0.0) >= times.idle else ALIVE

    def status(
        self,
        table: ProcessTable,
        moment: float,
        wall: float,
        times: Times,
        median: Callable[[str, str, str], int | None],
    ) -> ProxyStatus:
        """`wall` is the time of day at the machine's `moment`; `median`: the decision time that the journal shows.

        Counters are what the proxy reports itself, so there are none before it has registered.
        """
        tree = [process for ident in self.family.members if (process := table.find(ident))]
        calls, denied, errors = (self._count(key) if self.connected else None for key in ("calls", "denied", "errors"))
        return ProxyStatus(
            pid=self.process.pid,
            server=self.server,
            client=self.client,
            calls=calls,
            denied=denied,
            errors=errors,
            rss=self.process.rss,
            state=self.state(moment, times),
            p50_us=self._count("p50_us") or median(self.session, self.server, self.client),
            since=wall - (moment - self.process.start),
            child=self.family.leader.pid if self.family.leader else None,
            project=self.project,
            idle=self.counters.get("idle"),
            cpu=self.process.cpu_seconds,
            server_cpu=sum(process.cpu_seconds for process in tree),
            server_rss=sum(process.rss for process in tree),
        )

    def _count(self, key: str) -> int | None:
        return int(self.counters[key]) if key in self.counters else None
