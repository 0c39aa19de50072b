"""The proxies that are connected: lines to them, requests from them, and now and then the question for counters.

A line from a proxy with `op` is a request of the control table with an `id`, which its answer carries; `cancel` takes
one back. A line without `op` is the answer to the question for counters.
INVARIANT: a session is one process's: no other can speak for its questions.
INVARIANT: a proxy's pid comes from the kernel and its start from the process table, never from its message.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import Protocol

from mcpgov.daemon.control import line_client
from mcpgov.daemon.control.connection import Connection
from mcpgov.daemon.control.link_calls import LinkCall, LinkCalls
from mcpgov.daemon.control.requests import RegisterRequest
from mcpgov.daemon.log import Log

LONGEST = 1000
ROUND = 300.0  # seconds between two questions that nobody wanted
FRESH = 0.5  # an answer as young as this needs no question
HUNG = 2.0
ASK: dict[str, object] = {"op": "counters"}


class SupervisorLike(Protocol):
    def started(self, pid: int) -> float | None: ...
    def register(self, hello: Mapping[str, object]) -> None: ...
    def gone(self, pid: int, start: float) -> None: ...
    def answer(self, pid: int, start: float, counters: Mapping[str, object]) -> None: ...
    def silent(self, pid: int, start: float) -> None: ...


class ProxyLink:
    """One proxy. `asked`: when the open question was put; `heard`: when it last answered."""

    __slots__ = ("asked", "calls", "connection", "heard", "pid", "session", "start", "told")

    def __init__(self, connection: Connection, start: float, session: str) -> None:
        self.connection = connection
        self.calls = LinkCalls(connection)
        self.pid = connection.pid
        self.start = start
        self.session = session
        self.asked: float | None = None
        self.told = False  # that it is silent
        self.heard = float("-inf")


class Links:
    """`serve` gets each request of a proxy with where its answer goes; `left`: the session of a link that is gone."""

    def __init__(
        self,
        supervisor: SupervisorLike,
        log: Log,
        serve: Callable[[dict[str, object], LinkCall], None],
        clock: Callable[[], float] = time.monotonic,
        left: Callable[[str], None] = lambda _session: None,
    ) -> None:
        self._left = left
        self._supervisor = supervisor
        self._log = log
        self._serve = serve
        self._clock = clock
        self._all: dict[int, ProxyLink] = {}
        self._round = clock() + ROUND

    def __len__(self) -> int:
        return len(self._all)

    def register(self, request: RegisterRequest, connection: Connection) -> None:
        start = self._supervisor.started(connection.pid) if connection.pid > 0 else None
        if start is None:
            connection.decline("it cannot be told which process this is", code=line_client.REFUSED)
            return
        same = [link.pid for link in self._all.values() if link.session == request.session[:LONGEST] != ""]
        if same and same != [connection.pid]:
            connection.decline("another process has this session", code=line_client.REFUSED)
            return
        texts = ("client", "server", "project", "session", "version")
        hello: dict[str, object] = {name: getattr(request, name)[:LONGEST] for name in texts}
        hello.update(pid=connection.pid, start=start, child=request.child)
        link, before = ProxyLink(connection, start, str(hello["session"])), self._all.get(connection.pid)
        self._all[link.pid] = link
        if before is not None:
            before.connection.close()
        self._supervisor.register(hello)
        self._log.debug("proxy came", **hello)
        connection.keep(lambda line: self._hear(link, line), lambda: self._gone(link))

    def push(self, pid: int, op: str, **fields: object) -> bool:
        """A line to one proxy, unasked. False: it is not linked, or does not take what is sent."""
        link = self._all.get(pid)
        return link is not None and not link.connection.full and link.connection.send({"op": op, **fields})

    def _hear(self, link: ProxyLink, line: bytes) -> None:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            self._log.warning("proxy talks nonsense", pid=link.pid)
            link.connection.close()
        elif "op" in message:
            link.calls.take(message, self._serve)
        else:
            link.asked, link.told, link.heard = None, False, self._clock()
            self._supervisor.answer(link.pid, link.start, message)

    def _gone(self, link: ProxyLink) -> None:
        link.calls.gone()
        # One that has connected anew is still there.
        if self._all.get(link.pid) is link:
            del self._all[link.pid]
            self._log.debug("proxy went", pid=link.pid)
            self._supervisor.gone(link.pid, link.start)
            self._left(link.session)

    def session_of(self, pid: int) -> str:
        """The session that a linked proxy registered with; "" where there is no such link."""
        link = self._all.get(pid)
        return link.session if link is not None else ""

    def sessions(self) -> list[str]:
        return [link.session for link in self._all.values()]

    # --- the question for counters

    def ask(self, pid: int) -> None:
        """Ask one proxy; with an open question it is not asked again."""
        link = self._all.get(pid)
        if link is not None and link.asked is None:
            link.asked = self._clock()
            link.connection.send(ASK)

    def ask_all(self) -> None:
        """Ask all but those who have just answered."""
        now = self._clock()
        for link in list(self._all.values()):
            if now - link.heard >= FRESH:
                self.ask(link.pid)

    def waiting(self, patience: float) -> bool:
        """Is an answer still to come that is not overdue?"""
        now = self._clock()
        return any(link.asked is not None and now - link.asked < patience for link in self._all.values())

    def due(self) -> float:
        open_since = [link.asked + HUNG for link in self._all.values() if link.asked is not None and not link.told]
        deadlines = [end for link in self._all.values() if (end := link.calls.deadline) is not None]
        return min([self._round, *open_since, *deadlines]) - self._clock()

    def work(self) -> None:
        """Time has passed: who has not answered is told of, late calls are declined, and now and then all are asked."""
        now = self._clock()
        for link in list(self._all.values()):
            link.calls.late(now)
            if link.asked is not None and not link.told and now - link.asked >= HUNG:
                link.told = True
                self._supervisor.silent(link.pid, link.start)
        if now >= self._round:
            self._round = now + ROUND
            self.ask_all()
