"""Who asks our own MCP server: the holder of a token, or the server or app above the process that asks.

Laws: nothing is believed that the caller says of itself. A process is a governed server if exactly one server's
proxies, known to the daemon and linked to it, are above it; below proxies of several servers it is none of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from mcpgov.daemon.processes.apps import clients_of
from mcpgov.daemon.processes.process import Process
from mcpgov.daemon.processes.process_table import ProcessReader, this_machine
from mcpgov.errors import CallerError
from mcpgov.serve_tokens import ServeTokens

MOST_STEPS = 64
LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class ServeCaller:
    """`session`: of the proxy that the caller is governed by. `name` tells callers apart, for people and for counting.

    `server` is empty where the caller is no governed server.
    """

    name: str
    server: str = ""
    client: str = ""
    project: str = ""
    session: str = ""
    is_process: bool = False  # known by nothing but its process: whoever starts another has another name


class KnownProxy(Protocol):
    @property
    def server(self) -> str: ...
    @property
    def client(self) -> str: ...
    @property
    def project(self) -> str: ...
    @property
    def session(self) -> str: ...
    @property
    def connected(self) -> bool: ...


class ProxiesLike(Protocol):
    def proxy_of(self, process: Process) -> KnownProxy | None: ...


class CallerIdentity:
    def __init__(self, tokens: ServeTokens, proxies: ProxiesLike, machine: ProcessReader | None = None) -> None:
        self._tokens, self._proxies = tokens, proxies
        self._machine = machine or this_machine()

    def of(self, pid: int, token: str = "") -> ServeCaller:
        """Raises CallerError where a token is given that nobody has."""
        if token:
            held = self._tokens.holder(token)
            if held is None:
                raise CallerError("the token is not valid", hint="mcpgov serve token list")
            return ServeCaller(f"token {held.name}", held.server)
        return self._by_process(pid)

    def _by_process(self, pid: int) -> ServeCaller:
        above = list(self._above(pid))
        proxies = [found for process in above if (found := self._proxies.proxy_of(process)) is not None]
        servers = {proxy.server for proxy in proxies}
        if len(servers) == 1 and proxies[0].connected and proxies[0].session:
            own = proxies[0]
            return ServeCaller(own.server, own.server, own.client, own.project, own.session)
        if proxies:
            return ServeCaller(f"server {', '.join(sorted(servers))}"[:LONGEST_NAME])
        for process in above:
            if clients := clients_of(process):
                return ServeCaller(f"app {clients[0]}", client=clients[0])
        name = above[0].name if above else ""
        known = f"process {name} ({above[0].pid})"[:LONGEST_NAME] if above else f"process {pid}"
        return ServeCaller(known, is_process=True)

    def _above(self, pid: int) -> Iterator[Process]:
        """The parents of a process of this user, the nearest first."""
        seen = {pid}
        own = self._machine.look(pid) if pid > 0 else None
        at = own.ppid if own is not None else 0
        while at > 1 and at not in seen and len(seen) < MOST_STEPS:
            seen.add(at)
            found = self._machine.look(at)
            if found is None:
                return
            yield found
            at = found.ppid
