"""The proxies: registered, found again, hung, orphaned; and the servers that outlive them.

Laws: a proxy needs nothing from here. Only what is known to belong to a proxy of ours is ever ended, and only after
its client or its proxy has gone; a hung proxy is told of, not ended. Everything is known by number and start.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping

from mcpgov.daemon.processes import termination
from mcpgov.daemon.processes.client_liveness import ProcessLook, anchors_of, deserted
from mcpgov.daemon.processes.process import Process, ProcessTable
from mcpgov.daemon.processes.process_family import Family, family_of
from mcpgov.daemon.processes.process_table import ProcessReader, this_machine
from mcpgov.daemon.processes.proxies import Action, Proxy, ProxyFact, Times
from mcpgov.daemon.processes.recognise_proxy import Recogniser, proxy_like
from mcpgov.daemon.processes.termination import Termination
from mcpgov.daemon.processes.ungoverned import BareFact, bare

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.daemon.processes.ungoverned import Entry

# What an Action tells. ASK alone is a request; LEFTOVER: a server has outlived its proxy and is being ended.
ADOPTED, GONE, ASK, HUNG, ORPHAN = "adopted", "gone", "ask", "hung", "orphan"
LEFTOVER, ENDED, STUCK = "leftover", "ended", "stuck"
SOON = 0.05  # a connection closes a moment before its process is gone
FRESH = 1.0  # seconds for which one sweep answers all questions
WONDER = 1.0  # before an orphan is ended, it is asked whether somebody uses it


class Supervisor:
    def __init__(
        self,
        launcher: str,
        journal: str,
        clock: Callable[[], float] = time.monotonic,
        machine: ProcessReader | None = None,
        times: Times | None = None,
    ) -> None:
        """`launcher` and `journal` as Places has them: they are what our proxies are known by."""
        self._clock = clock
        self._machine = machine or this_machine()
        self._times = times or Times()
        self._recogniser = Recogniser({launcher, os.path.realpath(launcher)}, journal)
        self._proxies: dict[int, Proxy] = {}
        self._dead: list[Proxy] = []
        self._endings: list[tuple[Proxy, Termination]] = []
        self._news: list[Action] = []
        self._table = ProcessTable(())
        self._swept = float("-inf")
        self._sweep_at = self._look_at = clock()
        self._pause = self._times.sweep

    # --- what the proxies tell

    def started(self, pid: int) -> float | None:
        """When a process of this user started, for those who must name it; None: there is no such process."""
        found = self._machine.look(pid)
        return found.start if found is not None and found.lives else None

    def register(self, hello: Mapping[str, object]) -> None:
        """A proxy has connected. INVARIANT: the caller has `pid` from the socket, not from the message."""
        pid, child = hello.get("pid"), hello.get("child")
        found = self._machine.look(pid) if isinstance(pid, int) else None
        if found is None or not found.lives:
            return
        proxy = self._proxies.get(found.pid)
        if proxy is None or proxy.ident != found.ident:
            proxy = self._keep(Proxy(found, "", ""))
        proxy.server, proxy.client, proxy.project, proxy.session = (
            str(hello.get(key) or "") for key in ("server", "client", "project", "session")
        )
        proxy.connected, proxy.hung = True, False
        server = self._machine.look(child) if isinstance(child, int) else None
        # A number that a stranger may have by now is no child.
        if server is not None and server.ppid == found.pid and not proxy.family.leader:
            proxy.family = Family(server.ident, frozenset({server.ident}))
        if self._sweep_at > (now := self._clock()):
            self._next_sweep(now, news=True)

    def gone(self, pid: int, start: float) -> None:
        """Its connection has closed: most often it has ended."""
        if proxy := self._find(pid, start):
            proxy.connected = False
            self._look_at = min(self._look_at, self._clock() + SOON)

    def answer(self, pid: int, start: float, counters: Mapping[str, object]) -> None:
        if proxy := self._find(pid, start):
            proxy.answered(counters, self._clock())

    def silent(self, pid: int, start: float) -> None:
        """It was asked and has not answered in time."""
        if proxy := self._find(pid, start):
            now = self._machine.look(pid)
            proxy.process = now if now is not None and now.ident == proxy.ident else proxy.process
            if proxy.silent():
                self._tell(HUNG, proxy)

    def _find(self, pid: int, start: float) -> Proxy | None:
        proxy = self._proxies.get(pid)
        return proxy if proxy is not None and proxy.process.start == start else None

    def _keep(self, proxy: Proxy) -> Proxy:
        """From now on known; whoever had the number before has ended."""
        if old := self._proxies.pop(proxy.process.pid, None):
            self._dead.append(old)
        proxy.anchors = anchors_of(self._machine, proxy.process)
        self._proxies[proxy.process.pid] = proxy
        self._look_at = min(self._look_at, self._clock() + self._times.unregistered)
        return proxy

    def _tell(self, what: str, proxy: Proxy) -> None:
        self._news.append(Action(what, *proxy.ident, proxy.server, proxy.client))

    # --- time

    def due(self, now: float) -> float:
        """Seconds until `tick` has something to do."""
        moments = [self._sweep_at, *(ending.due for _, ending in self._endings)]
        if self._proxies:
            moments.append(self._look_at)
        return 0.0 if self._news else max(0.0, min(moments) - now)

    def tick(self, now: float) -> list[Action]:
        """Look, judge, end; and what has come of it since the last time."""
        if now >= self._sweep_at:
            self._sweep(now)
        elif now >= self._look_at:
            self._look(now)
        self._end(now)
        news, self._news = self._news, []
        return news

    def _sweep(self, now: float) -> None:
        """All processes: proxies we do not know, and what stands behind those we know."""
        self._table, self._swept = self._machine.sweep(), now
        found = [proxy for process in self._table if (proxy := self._stranger(process))]
        for proxy in found:
            self._tell(ADOPTED, self._keep(proxy))
        self._look(now, self._table)
        self._next_sweep(now, news=bool(found))

    def _next_sweep(self, now: float, *, news: bool) -> None:
        """Soon after news, then less and less often."""
        if news:
            self._sweep_at, self._pause = now + self._times.grown, self._times.sweep
        else:
            longest = self._times.longest_sweep if self._proxies else self._times.empty_sweep
            self._sweep_at, self._pause = now + min(self._pause, longest), min(self._pause * 2, longest)

    def _stranger(self, process: Process) -> Proxy | None:
        """A proxy that is not known yet."""
        said = self._recogniser.proxied(process.argv)
        known, parent = self._proxies.get(process.pid), self._table.get(process.ppid)
        if said is None or not process.lives or (known is not None and known.ident == process.ident):
            return None
        # Until it is another program, what a proxy has just started looks like the proxy.
        if parent is not None and parent.argv == process.argv:
            return None
        return Proxy(process, said.server, said.client, said.project)

    def _look(self, now: float, table: ProcessTable | None = None) -> None:
        """The known ones: still there, and who else; from a sweep where there is one."""
        look = ProcessLook(self._machine) if table is None else table.get
        next_look = now + self._times.look
        for pid, proxy in list(self._proxies.items()):
            found = look(pid)
            if found is None or found.ident != proxy.ident or not found.lives:
                self._dead.append(self._proxies.pop(pid))
                continue
            proxy.process = found
            if table is not None:
                # A server that has ended leaves its group behind, so an empty family says nothing new.
                proxy.family = family if (family := family_of(table, found)).leader else proxy.family
            if not proxy.connected:
                next_look = min(next_look, now + self._times.unregistered)
            if proxy.deserted is None and deserted(proxy.anchors, look):
                self._desert(proxy, now)
            if proxy.deserted is not None and not proxy.ending:
                next_look = min(next_look, self._doubt(proxy, proxy.deserted, now))
        self._look_at = next_look
        if self._dead:
            self._bury(now, table or self._machine.sweep())

    def _desert(self, proxy: Proxy, now: float) -> None:
        if self._machine.moment() - proxy.process.start < self._times.starting:
            proxy.anchors = frozenset()
        else:
            proxy.deserted = now

    def _doubt(self, proxy: Proxy, since: float, now: float) -> float:
        """Nobody is left who could be its client: wait, ask, end it. When to look again."""
        end = since + self._times.orphan
        if now >= end:
            proxy.ending = True
            family = proxy.family.joined_by([proxy.process])
            self._endings.append((proxy, Termination(self._machine, family, now, self._machine.moment())))
            self._tell(ORPHAN, proxy)
        elif now < end - WONDER:
            return end - WONDER
        elif proxy.connected and not proxy.wondered:
            proxy.wondered = True
            self._tell(ASK, proxy)
        return end

    def _bury(self, now: float, table: ProcessTable) -> None:
        """Proxies have ended: their servers get a moment, for most see the end of their input."""
        dead, self._dead = self._dead, []
        for proxy in dead:
            self._tell(GONE, proxy)
            ending = Termination(self._machine, proxy.family, now + self._times.leftover, self._machine.moment())
            if not proxy.ending and ending.left(table):
                self._endings.append((proxy, ending))

    def _end(self, now: float) -> None:
        for proxy, ending in self._endings:
            before, after = ending.state, ending.step(now)
            if (before, after) == (termination.WAITING, termination.ASKED) and not proxy.ending:
                self._tell(LEFTOVER, proxy)
            elif after == termination.STUCK:
                self._tell(STUCK, proxy)
            elif after == termination.GONE and before != termination.WAITING:
                self._tell(ENDED, proxy)
        self._endings = [pair for pair in self._endings if pair[1].state not in (termination.GONE, termination.STUCK)]

    # --- what others want to know

    def report(self) -> list[ProxyFact]:
        self._refresh()
        moment, wall = self._machine.moment(), time.time()
        return [proxy.fact(self._table, moment, wall, self._times) for proxy in self._proxies.values()]

    def bare(self, known: Iterable[Entry]) -> list[BareFact]:
        """Servers of governed entries that run outside a proxy."""
        self._refresh()
        ours = {ident for _, ending in self._endings for ident in ending.family.members}

        def is_proxy(process: Process) -> bool:
            return process.pid in self._proxies or proxy_like(process.argv)

        def may_serve(process: Process) -> bool:
            return process.ident not in ours and self._machine.piped(process.pid) is not False

        def directory(process: Process) -> str:
            return self._machine.directory(process.pid)

        return bare(self._table, known, is_proxy, may_serve, self._machine.moment(), directory)

    def _refresh(self) -> None:
        now = self._clock()
        if now >= self._swept + FRESH:
            self._sweep(now)
