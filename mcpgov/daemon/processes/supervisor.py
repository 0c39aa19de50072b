"""Supervises the proxies: registered, found in the process table, hung, orphaned; and servers that outlive them.

Laws: no proxy depends on the supervisor. Only processes known to belong to one of our proxies are ever ended, and only
after its client or the proxy itself has gone; a hung proxy is reported, not ended. A process is identified by its pid
and start time together.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from functools import cache

from mcpgov.daemon.processes import termination
from mcpgov.daemon.processes.client_liveness import has_left, owners_of
from mcpgov.daemon.processes.process import Process, ProcessTable
from mcpgov.daemon.processes.process_family import Family, family_of
from mcpgov.daemon.processes.process_table import ProcessReader, this_machine
from mcpgov.daemon.processes.proxies import Action, Proxy, Times
from mcpgov.daemon.processes.recognise_proxy import Recogniser, proxy_like
from mcpgov.daemon.processes.termination import Termination
from mcpgov.daemon.processes.ungoverned import find_ungoverned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.configs.plan import EntryState
    from mcpgov.daemon.status.model import ProxyStatus, UngovernedServer

# Kinds of Action. ASK alone is a request; LEFTOVER: a server has outlived its proxy and is being ended.
ADOPTED, GONE, ASK, HUNG, ORPHAN = "adopted", "gone", "ask", "hung", "orphan"
LEFTOVER, ENDED, STUCK = "leftover", "ended", "stuck"
EXIT_DELAY = 0.05  # a connection closes a moment before its process is gone
SWEEP_AGE = 1.0  # seconds for which one sweep serves all reports
LAST_QUESTION = 1.0  # seconds before an orphan is ended, it is asked whether it is in use


class Supervisor:
    def __init__(
        self,
        launcher: str,
        journal: str,
        clock: Callable[[], float] = time.monotonic,
        machine: ProcessReader | None = None,
        times: Times | None = None,
    ) -> None:
        """`launcher` and `journal` as Places has them: our proxies are recognised by these."""
        self._clock = clock
        self._machine = machine or this_machine()
        self._times = times or Times()
        self._recogniser = Recogniser({launcher, os.path.realpath(launcher)}, journal)
        self._proxies: dict[int, Proxy] = {}
        self._dead: list[Proxy] = []
        self._endings: list[tuple[Proxy, Termination]] = []
        self._actions: list[Action] = []
        self._table = ProcessTable(())
        self._swept = float("-inf")
        self._sweep_at = self._look_at = clock()
        self._pause = self._times.sweep

    # --- from the proxies

    def started(self, pid: int) -> float | None:
        """The start time of a process of this user, which identifies it; None: there is no such process."""
        process = self._machine.look(pid)
        return process.start if process is not None and process.lives else None

    def register(self, hello: Mapping[str, object]) -> None:
        """A proxy has connected. INVARIANT: the caller has `pid` from the socket, not from the message."""
        pid, child = hello.get("pid"), hello.get("child")
        process = self._machine.look(pid) if isinstance(pid, int) else None
        if process is None or not process.lives:
            return
        proxy = self._proxies.get(process.pid)
        if proxy is None or proxy.ident != process.ident:
            proxy = self._keep(Proxy(process, "", ""))
        proxy.server, proxy.client, proxy.project, proxy.session = (
            str(hello.get(key) or "") for key in ("server", "client", "project", "session")
        )
        proxy.connected, proxy.hung = True, False
        server = self._machine.look(child) if isinstance(child, int) else None
        # The pid may belong to an unrelated process by now: the child must have this proxy as its parent.
        if server is not None and server.ppid == process.pid and not proxy.family.leader:
            proxy.family = Family(server.ident, frozenset({server.ident}))
        if self._sweep_at > (now := self._clock()):
            self._next_sweep(now, changed=True)

    def proxy_of(self, process: Process) -> Proxy | None:
        """The proxy that this process is; one that never registered is told by its command line."""
        known = self._proxies.get(process.pid)
        if known is not None and known.ident == process.ident:
            return known
        options = self._recogniser.proxied(process.argv)
        return Proxy(process, options.server, options.client, options.project) if options is not None else None

    def gone(self, pid: int, start: float) -> None:
        """Its connection has closed: most often it has ended."""
        if proxy := self._find(pid, start):
            proxy.connected = False
            self._look_at = min(self._look_at, self._clock() + EXIT_DELAY)

    def answer(self, pid: int, start: float, counters: Mapping[str, object]) -> None:
        if proxy := self._find(pid, start):
            proxy.answered(counters, self._clock())

    def silent(self, pid: int, start: float) -> None:
        """The proxy was asked for its counters and has not answered in time."""
        if proxy := self._find(pid, start):
            process = self._machine.look(pid)
            proxy.process = process if process is not None and process.ident == proxy.ident else proxy.process
            if proxy.silent():
                self._act(HUNG, proxy)

    def _find(self, pid: int, start: float) -> Proxy | None:
        proxy = self._proxies.get(pid)
        return proxy if proxy is not None and proxy.process.start == start else None

    def _keep(self, proxy: Proxy) -> Proxy:
        """Supervise it from now on; an earlier proxy with the same pid has ended."""
        if old := self._proxies.pop(proxy.process.pid, None):
            self._dead.append(old)
        proxy.owners = owners_of(self._machine, proxy.process)
        self._proxies[proxy.process.pid] = proxy
        self._look_at = min(self._look_at, self._clock() + self._times.unregistered)
        return proxy

    def _act(self, what: str, proxy: Proxy) -> None:
        self._actions.append(Action(what, *proxy.ident, proxy.server, proxy.client))

    # --- time

    def due(self, now: float) -> float:
        """Seconds until `tick` has something to do."""
        looks = [self._look_at] if self._proxies else []
        moments = [self._sweep_at, *looks, *(ending.due for _, ending in self._endings)]
        return 0.0 if self._actions else max(0.0, min(moments) - now)

    def tick(self, now: float) -> list[Action]:
        """Read the processes that are due, end what is to be ended; returns the actions since the last call."""
        if now >= self._sweep_at:
            self._sweep(now)
        elif now >= self._look_at:
            self._look(now)
        self._end(now)
        actions, self._actions = self._actions, []
        return actions

    def _sweep(self, now: float) -> None:
        """Read all processes: adopt proxies that are not known yet, and refresh the server trees of the others."""
        self._table, self._swept = self._machine.sweep(), now
        adopted = [proxy for process in self._table if (proxy := self._unknown_proxy(process))]
        for proxy in adopted:
            self._act(ADOPTED, self._keep(proxy))
        self._look(now, self._table)
        self._next_sweep(now, changed=bool(adopted))

    def _next_sweep(self, now: float, *, changed: bool) -> None:
        """Soon after a new proxy, then with a back-off."""
        if changed:
            self._sweep_at, self._pause = now + self._times.grown, self._times.sweep
        else:
            longest = self._times.longest_sweep if self._proxies else self._times.empty_sweep
            self._sweep_at, self._pause = now + min(self._pause, longest), min(self._pause * 2, longest)

    def _unknown_proxy(self, process: Process) -> Proxy | None:
        options = self._recogniser.proxied(process.argv)
        known, parent = self._proxies.get(process.pid), self._table.get(process.ppid)
        if options is None or not process.lives or (known is not None and known.ident == process.ident):
            return None
        # Between fork and exec the child of a proxy has the proxy's own command line.
        if parent is not None and parent.argv == process.argv:
            return None
        return Proxy(process, options.server, options.client, options.project)

    def _look(self, now: float, table: ProcessTable | None = None) -> None:
        """Read the known proxies and their owners, from the table of a sweep where there is one."""
        # Many proxies share a client, which is read once.
        look = cache(self._machine.look) if table is None else table.get
        next_look = now + self._times.look
        for pid, proxy in list(self._proxies.items()):
            process = look(pid)
            if process is None or process.ident != proxy.ident or not process.lives:
                self._dead.append(self._proxies.pop(pid))
                continue
            proxy.process = process
            if table is not None:
                # A server that has ended may leave its group behind: the family before is kept then.
                proxy.family = family if (family := family_of(table, process)).leader else proxy.family
            if not proxy.connected:
                next_look = min(next_look, now + self._times.unregistered)
            if proxy.orphan_since is None and has_left(proxy.owners, look):
                self._orphan(proxy, now)
            if proxy.orphan_since is not None and not proxy.ending:
                next_look = min(next_look, self._end_orphan(proxy, proxy.orphan_since, now))
        self._look_at = next_look
        if self._dead:
            self._end_leftovers(now, table or self._machine.sweep())

    def _orphan(self, proxy: Proxy, now: float) -> None:
        if self._machine.moment() - proxy.process.start < self._times.starting:
            proxy.owners = frozenset()  # a helper process that only started it
        else:
            proxy.orphan_since = now

    def _end_orphan(self, proxy: Proxy, since: float, now: float) -> float:
        """The client has gone: wait, ask whether the proxy is in use, end it. Returns when to look again."""
        end = since + self._times.orphan
        if now >= end:
            proxy.ending = True
            family = proxy.family.joined_by([proxy.process])
            self._endings.append((proxy, Termination(self._machine, family, now, self._machine.moment())))
            self._act(ORPHAN, proxy)
        elif now < end - LAST_QUESTION:
            return end - LAST_QUESTION
        elif proxy.connected and not proxy.asked:
            proxy.asked = True
            self._act(ASK, proxy)
        return end

    def _end_leftovers(self, now: float, table: ProcessTable) -> None:
        """Proxies have ended: their servers get a moment to exit by themselves, at the end of their input."""
        dead, self._dead = self._dead, []
        for proxy in dead:
            self._act(GONE, proxy)
            ending = Termination(self._machine, proxy.family, now + self._times.leftover, self._machine.moment())
            if not proxy.ending and ending.left(table):
                self._endings.append((proxy, ending))

    def _end(self, now: float) -> None:
        for proxy, ending in self._endings:
            before, after = ending.state, ending.step(now)
            if (before, after) == (termination.WAITING, termination.ASKED) and not proxy.ending:
                self._act(LEFTOVER, proxy)
            elif after == termination.STUCK:
                self._act(STUCK, proxy)
            elif after == termination.GONE and before != termination.WAITING:
                self._act(ENDED, proxy)
        self._endings = [pair for pair in self._endings if pair[1].state not in (termination.GONE, termination.STUCK)]

    # --- reports

    def report(self, median: Callable[[str, str, str], int | None] = lambda *_: None) -> list[ProxyStatus]:
        """`median`: the decision time of a session, server and client in the journal, if there is one."""
        self._refresh()
        moment, wall = self._machine.moment(), time.time()
        return [proxy.status(self._table, moment, wall, self._times, median) for proxy in self._proxies.values()]

    def ungoverned(self, entries: Iterable[EntryState]) -> list[UngovernedServer]:
        """Servers of governed entries that run without a proxy."""
        self._refresh()
        ending = {ident for _, termination in self._endings for ident in termination.family.members}
        return find_ungoverned(
            self._table,
            entries,
            lambda process: process.pid in self._proxies or proxy_like(process.argv),
            lambda process: process.ident not in ending and self._machine.piped(process.pid) is not False,
            self._machine.moment(),
            lambda process: self._machine.directory(process.pid),
        )

    def _refresh(self) -> None:
        now = self._clock()
        if now >= self._swept + SWEEP_AGE:
            self._sweep(now)
