"""The process that serves remote servers: all of them (`run`), or one by hand (`listen`); and a probe.

Laws: the port is stored once the sockets listen, never before. The service ends with the input of whoever started it,
or by a signal: no new requests, a moment for those under way, streams cut so that clients come back.
"""

from __future__ import annotations

import asyncio
import gc
import os
import random
import signal
import socket
import sys
import time
from pathlib import Path

from mcpgov.loopback.listener import LoopbackListener
from mcpgov.loopback.request_checks import Limits
from mcpgov.loopback.sockets import bind
from mcpgov.remote.access.probe import probe
from mcpgov.remote.access.tokens import AccessTokens
from mcpgov.remote.counters import RemoteCounters
from mcpgov.remote.handler import RemoteHandler
from mcpgov.remote.parts import RemoteParts
from mcpgov.remote.routes import OneRoute, ServerRoutes
from mcpgov.remote.sessions.daemon_side import ProcessLink
from mcpgov.remote.sessions.shared_parts import SharedParts
from mcpgov.remote.upstream import Upstream
from mcpgov.remote_servers import RemoteServer, keep_port, keep_probe, load_port, url_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

FIRST_PORT, LAST_PORT = 20000, 32000
TAKEN_WAIT = 3.0  # seconds for which a port that is taken may become free: the process before us ends
DRAIN = 1.5  # seconds for what is under way
EXIT_USAGE = 64
COLLECT = (20_000, 20, 20)  # as in the proxy of a local server


class RemoteProcess:
    """`where`: the launcher's paths and those of remote servers."""

    def __init__(
        self,
        where: dict[str, str],
        routes: ServerRoutes | OneRoute,
        limits: Limits | None = None,
        options: dict[str, str] | None = None,
    ) -> None:
        self.where = where
        self._loop = asyncio.get_running_loop()
        self.shared = SharedParts(where, self._loop)
        # One server by hand is nothing that the daemon looks after.
        path = where.get("socket", "") if isinstance(routes, ServerRoutes) else ""
        self.link = ProcessLink(self._loop, path, self._report, self._pushed)
        counters = RemoteCounters(time.time, self._login_needed)
        tokens = AccessTokens(where["login"].split("\0") if where.get("login") else [])
        self.upstream = Upstream()
        self.parts = RemoteParts(self.shared, routes, self.upstream, tokens, counters, options)
        self.handler = RemoteHandler(self.parts)
        self.listener = LoopbackListener(self.handler.handle, limits)
        self.handler.noticed = self.link.retry
        self.port = 0
        self._probes: set[asyncio.Task[None]] = set()
        self.done = asyncio.Event()

    async def open(self, sockets: list[socket.socket]) -> None:
        self.port = sockets[0].getsockname()[1]
        self.parts.origin = f"http://127.0.0.1:{self.port}"
        await self.listener.open(sockets, self.port)
        self.link.tell_ready(self.port)

    def end_with(self, fd: int) -> None:
        """Whoever started us holds the other end of this; a file or a device tells nothing."""
        try:
            self._loop.add_reader(fd, self._input, fd)
        except OSError:
            return

    def _input(self, fd: int) -> None:
        if not os.read(fd, 4096):
            self._loop.remove_reader(fd)
            self.done.set()

    def end_by_signals(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            self._loop.add_signal_handler(number, self.done.set)

    def _report(self) -> dict[str, object]:
        return self.parts.report(self.port)

    def _login_needed(self, server: RemoteServer) -> None:
        self.link.tell("login_needed", {"server": server.name, "client": server.client})

    def _pushed(self, message: dict[str, object]) -> None:
        url = message.get("url")
        if message.get("op") == "probe" and isinstance(url, str):
            task = self._loop.create_task(self._probe(url))
            self._probes.add(task)
            task.add_done_callback(self._probes.discard)

    async def _probe(self, url: str) -> None:
        found = await probe(self.upstream, url)
        if self.where.get("remote_probes"):
            keep_probe(Path(self.where["remote_probes"]), url, found)
        self.link.tell("probed", {"url_digest": url_digest(url), "found": found.found, "why": found.why})

    async def close(self) -> None:
        self.handler.end_streams()
        await self.listener.close(DRAIN)
        for task in self._probes:
            task.cancel()
        await self.parts.close()
        self.link.close()
        self.shared.close()


async def open_port(path: Path, wait: float = TAKEN_WAIT) -> tuple[list[socket.socket], bool]:
    """The sockets at the stored port, and whether it is another one now."""
    port, end = load_port(path), time.monotonic() + wait
    while port:
        try:
            return bind(port), False
        except OSError:
            if time.monotonic() >= end:
                break
            await asyncio.sleep(0.1)
    choices = random.SystemRandom()
    for _ in range(200):
        try:
            return bind(choices.randrange(FIRST_PORT, LAST_PORT)), bool(port)
        except OSError:
            continue
    raise OSError("no port is free")


def settle_collector() -> None:
    """What is loaded by now stays, so it need never be looked at; a look at all objects would hold up every request."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT)


async def run_service(where: dict[str, str]) -> int:
    path = Path(where["remote_port"])
    service = RemoteProcess(where, ServerRoutes(Path(where["remote_servers"])))
    service.end_by_signals()
    service.end_with(0)
    before = load_port(path)
    sockets, moved = await open_port(path)
    port = sockets[0].getsockname()[1]
    if port != before:
        keep_port(path, port)
    if moved:
        sys.stdout.write(f"port {before} is taken by another process; remote servers are at port {port} now\n")
        sys.stdout.flush()
    await service.open(sockets)
    settle_collector()
    await service.done.wait()
    await service.close()
    return 0


async def run_probe(url: str) -> int:
    upstream = Upstream()
    found = await probe(upstream, url)
    await upstream.close()
    import json

    sys.stdout.write(json.dumps({"found": found.found, "at": found.at, "why": found.why}) + "\n")
    return 0


def main(words: list[str], home: dict[str, str]) -> NoReturn:
    """`words`: `run`, `probe URL`, `listen …` or `bridge …`. `home`: as the launcher has it, and the remote places."""
    verb, rest = words[0] if words else "", words[1:]
    if verb == "run":
        status = asyncio.run(run_service(home))
    elif verb == "probe" and len(rest) == 1:
        status = asyncio.run(run_probe(rest[0]))
    elif verb in ("listen", "bridge"):
        from mcpgov.remote.by_hand import run_by_hand

        status = run_by_hand(verb, rest, home)
    else:
        sys.stderr.write("usage: run | probe URL | listen … | bridge …\n")
        status = EXIT_USAGE
    sys.stdout.flush()
    os._exit(status)
