"""The remote service as the daemon sees it: is it needed, is it up, what shall it probe, what has it told.

Laws: the daemon opens no network socket itself: the service listens, and probes what it is told to. It runs while a
remote server is governed or an entry waits for it, from the daemon's first moment on. Only the process that the daemon
started as this service is heard, over that process's own link.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from mcpgov.daemon.children.service_switch import ServiceSwitch
from mcpgov.daemon.children.services import REMOTE
from mcpgov.daemon.control.dispatch import Handler
from mcpgov.daemon.control.question_requests import NotedAnswer
from mcpgov.daemon.control.remote_requests import LoginNeededRequest, ProbedRequest, RemoteReadyRequest
from mcpgov.daemon.control.replies import Caller
from mcpgov.daemon.control.request_row import ControlRequest
from mcpgov.daemon.desktop_notify import DesktopNotifier
from mcpgov.daemon.log import Log
from mcpgov.daemon.remote.listener_state import ListenerState
from mcpgov.daemon.remote.probe_schedule import ProbeSchedule
from mcpgov.daemon.remote.waiting_entries import WaitingEntries
from mcpgov.daemon.status.model import KeptService
from mcpgov.daemon.status.remote_facts import LOGIN, RemoteListener, RemoteStatus, remote_rows
from mcpgov.daemon.status.typed_commands import typed
from mcpgov.errors import CallerError, McpgovError
from mcpgov.places import Places
from mcpgov.remote_servers import RemoteServer, load_port, load_servers, url_digest

if TYPE_CHECKING:
    from mcpgov.configs.plan import EntryState

DOWN_KEY = "remote service down"
LARGEST_PORT = 65535


class ServicesLike(Protocol):
    def use(self, name: str) -> Callable[[], None]: ...
    def pid_of(self, name: str) -> int | None: ...
    def report(self) -> tuple[KeptService, ...]: ...


class RemoteService:
    """`push`: a line to the service over its link; `sync`: have these config files looked at again, at once."""

    def __init__(
        self,
        places: Places,
        services: ServicesLike,
        push: Callable[..., bool],
        sync: Callable[[Iterable[str]], None],
        log: Log,
        notices: DesktopNotifier,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._places, self._services, self._push, self._sync = places, services, push, sync
        self._log, self._notices, self._clock = log, notices, clock
        self._waiting = WaitingEntries()
        self._probes = ProbeSchedule(clock)
        self._state = ListenerState(load_port(places.remote_port), clock, wall)
        self._servers: dict[str, RemoteServer] = {}
        self._switch = ServiceSwitch(services, REMOTE)
        self._link = 0
        self._logins: set[tuple[str, str]] = set()  # server and client: told that a login is needed

    # --- is it needed

    def open(self) -> None:
        """First of all at the daemon's start: apps may ask before any config is read."""
        self._look()

    def passed(self, file: str, states: Iterable[EntryState]) -> None:
        """A pass over a config file has ended with these entries."""
        if self._waiting.passed(file, states):
            self._probes.want(self._waiting.to_probe())
        self._look()

    def _look(self) -> None:
        self._servers = load_servers(self._places.remote_servers)
        needed = bool(self._servers) or self._waiting.need_listener()
        self._state.needed(bool(self._servers))
        self._switch.turn(on=needed)

    def watched(self) -> list[str]:
        """Files that tell of a login: one for each URL that waits for one, or has one."""
        digests = {*self._waiting.for_login(), *(url_digest(server.url) for server in self._servers.values())}
        return sorted(str(self._places.remote_tokens / f"{digest}.json") for digest in digests)

    def changed(self, path: str) -> None:
        """A watched file has changed: somebody has logged in or out."""
        if not path.startswith(f"{self._places.remote_tokens}/"):
            return
        digest = Path(path).name.removesuffix(".json")
        of_url = [server for server in self._servers.values() if url_digest(server.url) == digest]
        for server in of_url:
            self._forget_login((server.name, server.client))
        _, waiting = self._waiting.with_digest(digest)
        self._sync({*waiting, *(server.file for server in of_url if server.file)})

    # --- its link, for proxy_links

    def owns(self, pid: int) -> bool:
        return pid == self._services.pid_of(REMOTE)

    def came(self, link: int) -> None:
        self._link = link
        self._state.linked()

    def gone(self, link: int) -> None:
        if link == self._link:
            self._link = 0
            self._state.unlinked()
            self._probes.restart()

    def answer(self, counters: Mapping[str, object]) -> None:
        self._state.answered(counters)
        for row in self._counted():
            if row.calls is not None and row.state != LOGIN:
                self._forget_login((row.server, row.client))

    def silent(self) -> None:
        self._state.silent()
        self._log.warning("remote service silent")

    # --- what it tells

    def handlers(self) -> dict[type[ControlRequest[Any]], Handler]:
        return {
            RemoteReadyRequest: self.ready,
            ProbedRequest: self.probed,
            LoginNeededRequest: self.login_needed,
        }

    def ready(self, request: RemoteReadyRequest, caller: Caller) -> NotedAnswer:
        self._check(caller)
        if not 0 < request.port <= LARGEST_PORT:
            raise McpgovError(f"{request.port} is no port")
        before, moved = self._state.port, self._state.ready(request.port, self._servers.values())
        self._log.info("remote service ready", port=request.port)
        self._notices.forget(DOWN_KEY)
        files = set(self._waiting.files_for_listener())
        if moved:
            self._log.warning("remote port changed", before=before, port=request.port)
            self._notices.tell("mcpgov", "remote servers have another port, restart your AI apps: mcpgov status")
        if before != request.port:
            files |= {server.file for server in self._servers.values() if server.file}
        self._sync(files)
        return NotedAnswer()

    def probed(self, request: ProbedRequest, caller: Caller) -> NotedAnswer:
        self._check(caller)
        url, files = self._waiting.with_digest(request.url_digest)
        self._log.info("probed", digest=request.url_digest[:64], found=request.found[:40], why=request.why[:200])
        self._probes.ended(url)
        self._sync(files)
        return NotedAnswer()

    def login_needed(self, request: LoginNeededRequest, caller: Caller) -> NotedAnswer:
        self._check(caller)
        which = (request.server, request.client)
        if which not in {(server.name, server.client) for server in self._servers.values()}:
            raise McpgovError("there is no such server")
        if which not in self._logins:
            self._logins.add(which)
            self._log.warning("login needed", server=request.server, client=request.client)
            text = f"{request.server} needs a login: {typed('login', request.server)}"
            self._notices.tell("mcpgov", text, _login_key(which))
        return NotedAnswer()

    def _check(self, caller: Caller) -> None:
        """INVARIANT: the link was opened by the very process that the daemon started."""
        if not caller.link or caller.link != self._link:
            raise CallerError("only the remote service says so")

    def _forget_login(self, which: tuple[str, str]) -> None:
        self._logins.discard(which)
        self._notices.forget(_login_key(which))

    # --- time

    def due(self) -> float | None:
        moments = [self._state.due()]
        if self._state.up:
            moments.append(self._probes.due())
        return min((seconds for seconds in moments if seconds is not None), default=None)

    def work(self) -> None:
        if self._state.up:
            for url in self._probes.take():
                self._push(self._link, "probe", url=url)
        if self._state.long_down():
            self._log.warning("remote service down", why=self._why())
            self._notices.tell("mcpgov", "every remote server is unreachable: mcpgov status", DOWN_KEY)

    # --- for status

    def report(self) -> tuple[tuple[RemoteStatus, ...], RemoteListener | None]:
        if not self._servers:
            return (), None
        return self._rows(), self._state.report(self._why(), self._rows())

    def _counted(self) -> tuple[RemoteStatus, ...]:
        return remote_rows(self._servers.values(), self._state.counters, self._state.state())

    def _rows(self) -> tuple[RemoteStatus, ...]:
        """What it counts, with what it has told since."""
        logins = self._logins if self._state.up else set()
        return tuple(
            replace(row, state=LOGIN) if (row.server, row.client) in logins else row for row in self._counted()
        )

    def _why(self) -> str:
        """Why it is not up."""
        found = next((service for service in self._services.report() if service.name == REMOTE), None)
        return found.reason if found is not None else ""


def _login_key(which: tuple[str, str]) -> str:
    return f"login {which}"
