"""The proxies that are connected, and the remote service: lines to them, requests from them, the question for counters.

A line from a proxy with `op` is a request of the control table with an `id`, which its answer carries; `cancel` takes
one back. A line without `op` is the answer to the question for counters. A proxy has one link. The remote service has
one for itself, and one for each of its sessions that asks.
INVARIANT: a session is one process's and has one link: no other can speak for its questions.
INVARIANT: a proxy's pid comes from the kernel and its start from the process table, never from its message. Only the
process that the daemon itself started as the remote service may link as that, or for its sessions.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from itertools import count
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
PROXY, REMOTE, REMOTE_SESSION = "", "remote", "remote-session"  # kinds of links
MOST_SESSIONS = 4096  # of the remote service; it has no more conversations itself


class SupervisorLike(Protocol):
    def started(self, pid: int) -> float | None: ...
    def register(self, hello: Mapping[str, object]) -> None: ...
    def gone(self, pid: int, start: float) -> None: ...
    def answer(self, pid: int, start: float, counters: Mapping[str, object]) -> None: ...
    def silent(self, pid: int, start: float) -> None: ...


class RemoteLike(Protocol):
    """The daemon's part that looks after the remote service. `owns`: is this the process that it started as that?"""

    def owns(self, pid: int) -> bool: ...
    def came(self, link: int) -> None: ...
    def gone(self, link: int) -> None: ...
    def answer(self, counters: Mapping[str, object]) -> None: ...
    def silent(self) -> None: ...


class ProxyLink:
    """One link. `asked`: when the open question was put; `heard`: when it last answered."""

    __slots__ = ("asked", "calls", "connection", "heard", "kind", "number", "pid", "session", "start", "told")

    def __init__(self, connection: Connection, number: int, start: float, session: str, kind: str = PROXY) -> None:
        self.connection = connection
        self.number = number
        self.calls = LinkCalls(connection, number)
        self.pid = connection.pid
        self.start = start
        self.session = session
        self.kind = kind
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
        remote: RemoteLike | None = None,
    ) -> None:
        self._left = left
        self._supervisor = supervisor
        self._remote = remote
        self._log = log
        self._serve = serve
        self._clock = clock
        self._numbers = count(1)
        self._all: dict[int, ProxyLink] = {}  # by the number of the link
        self._mains: dict[tuple[int, str], ProxyLink] = {}  # by pid and kind; sessions of the remote service aside
        self._by_session: dict[str, ProxyLink] = {}
        self._round = clock() + ROUND

    def __len__(self) -> int:
        return len(self._all)

    # --- who comes and goes

    def register(self, request: RegisterRequest, connection: Connection) -> None:
        start = self._supervisor.started(connection.pid) if connection.pid > 0 else None
        if start is None:
            connection.decline("it cannot be told which process this is", code=line_client.REFUSED)
            return
        kind, session = request.kind, request.session[:LONGEST]
        if why := self._refused(kind, session, connection.pid):
            connection.decline(why, code=line_client.REFUSED)
            return
        before = self._replaced(kind, session, connection.pid)
        link = ProxyLink(connection, next(self._numbers), start, session, kind)
        if before is not None:
            self._forget(before)
        self._keep(link)
        if before is not None:
            before.connection.close()
        connection.counted = kind != REMOTE_SESSION
        self._welcome(link, request)
        connection.keep(lambda line: self._hear(link, line), lambda: self._gone(link))
        if kind == REMOTE and self._remote is not None:
            self._remote.came(link.number)

    def _refused(self, kind: str, session: str, pid: int) -> str:
        """Why it may not link; "" if it may."""
        if kind != PROXY and (self._remote is None or not self._remote.owns(pid)):
            return "only the remote service that the daemon runs may link so"
        if (kind == REMOTE) == bool(session) and kind != PROXY:
            return "a session is linked by its own link, and that of the service has none"
        same = self._by_session.get(session) if session else None
        if same is not None and (same.pid != pid or same.kind != kind):
            return "another process has this session"
        if kind == REMOTE_SESSION and same is None and self._sessions_of_remote() >= MOST_SESSIONS:
            return f"{MOST_SESSIONS} sessions are linked"
        return ""

    def _sessions_of_remote(self) -> int:
        return len(self._all) - len(self._mains)

    def _replaced(self, kind: str, session: str, pid: int) -> ProxyLink | None:
        """The link that a new one takes the place of: who connects anew is still there."""
        return self._by_session.get(session) if kind == REMOTE_SESSION else self._mains.get((pid, kind))

    def _welcome(self, link: ProxyLink, request: RegisterRequest) -> None:
        texts = ("client", "server", "project", "session", "version")
        hello: dict[str, object] = {name: getattr(request, name)[:LONGEST] for name in texts}
        hello.update(pid=link.pid, start=link.start, child=request.child)
        if link.kind == PROXY:  # only proxies are supervised: what it takes for an orphan it ends
            self._supervisor.register(hello)
        self._log.debug(f"{link.kind or 'proxy'} came", **hello)

    def _keep(self, link: ProxyLink) -> None:
        self._all[link.number] = link
        if link.kind != REMOTE_SESSION:
            self._mains[link.pid, link.kind] = link
        if link.session:
            self._by_session[link.session] = link

    def _forget(self, link: ProxyLink) -> None:
        self._all.pop(link.number, None)
        if self._mains.get((link.pid, link.kind)) is link:
            del self._mains[link.pid, link.kind]
        if self._by_session.get(link.session) is link:
            del self._by_session[link.session]

    def _gone(self, link: ProxyLink) -> None:
        link.calls.gone()
        # One that has connected anew is still there.
        if self._all.get(link.number) is not link:
            return
        self._forget(link)
        self._log.debug(f"{link.kind or 'proxy'} went", pid=link.pid)
        if link.kind == PROXY:
            self._supervisor.gone(link.pid, link.start)
        elif link.kind == REMOTE and self._remote is not None:
            self._remote.gone(link.number)
        self._left(link.session)

    # --- what is said

    def push(self, link: int, op: str, **fields: object) -> bool:
        """A line over one link, unasked. False: there is none, or it does not take what is sent."""
        found = self._all.get(link)
        return found is not None and not found.connection.full and found.connection.send({"op": op, **fields})

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
            self._answered(link, message)

    def _answered(self, link: ProxyLink, message: dict[str, object]) -> None:
        if link.kind == PROXY:
            self._supervisor.answer(link.pid, link.start, message)
        elif link.kind == REMOTE and self._remote is not None:
            self._remote.answer(message)

    def session_of(self, link: int) -> str:
        """The session that a link was registered with; "" where there is no such link."""
        found = self._all.get(link)
        return found.session if found is not None else ""

    def sessions(self) -> list[str]:
        return [link.session for link in self._all.values() if link.kind != REMOTE]

    # --- the question for counters

    def ask(self, pid: int) -> None:
        """Ask one proxy; with an open question it is not asked again."""
        self._ask(self._mains.get((pid, PROXY)))

    def _ask(self, link: ProxyLink | None) -> None:
        if link is not None and link.asked is None:
            link.asked = self._clock()
            link.connection.send(ASK)

    def ask_all(self) -> None:
        """Ask all but those who have just answered."""
        now = self._clock()
        for link in list(self._mains.values()):
            if now - link.heard >= FRESH:
                self._ask(link)

    def waiting(self, patience: float) -> bool:
        """Is an answer still to come that is not overdue?"""
        now = self._clock()
        return any(link.asked is not None and now - link.asked < patience for link in self._mains.values())

    def due(self) -> float:
        open_since = [link.asked + HUNG for link in self._mains.values() if link.asked is not None and not link.told]
        busy = (link for link in self._all.values() if len(link.calls))
        deadlines = [end for link in busy if (end := link.calls.deadline) is not None]
        return min([self._round, *open_since, *deadlines]) - self._clock()

    def work(self) -> None:
        """Time has passed: who has not answered is told of, late calls are declined, and now and then all are asked."""
        now = self._clock()
        for link in list(self._all.values()):
            link.calls.late(now)
            if link.asked is not None and not link.told and now - link.asked >= HUNG:
                link.told = True
                self._silent(link)
        if now >= self._round:
            self._round = now + ROUND
            self.ask_all()

    def _silent(self, link: ProxyLink) -> None:
        if link.kind == PROXY:
            self._supervisor.silent(link.pid, link.start)
        elif self._remote is not None:
            self._remote.silent()
