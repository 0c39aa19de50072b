"""The process of our own MCP server: over standard input and output, or over HTTP.

Laws: on stdio the caller is the process above this one, as the daemon tells it; over HTTP the holder of the token.
Away from loopback only TLS is served.
"""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcpgov.daemon.serve.serve_requests import CallerRequest
from mcpgov.daemon_client import DaemonError
from mcpgov.errors import McpgovError, reason_of
from mcpgov.serve.answers import CallingParty, ToolAnswers
from mcpgov.serve.current_policy import CurrentPolicy
from mcpgov.serve.daemon_requests import DaemonRequests
from mcpgov.serve.stdio_limits import StdioLimits
from mcpgov.serve_limits import CallLimits
from mcpgov.serve_tokens import ServeTokens

ASK_AGAIN = 5.0  # seconds after which a caller that is no server yet is looked up again
PATIENCE = 1.0  # seconds that a daemon is waited for which hangs: the policy decides without it
EVERYWHERE = ("0.0.0.0", "::")
FOLLOW = 2.0  # seconds between two looks at what was installed


@dataclass(frozen=True, slots=True)
class HttpOptions:
    """`host`: "" is loopback; `installed`: the file that says so, which ends this process when it changes."""

    port: int
    host: str = ""
    cert: str = ""
    key: str = ""
    installed: Path | None = None


class StdioCaller:
    """Who is above this process: asked of the daemon once it is there, and again until it is a governed server."""

    def __init__(self, daemon: DaemonRequests, clock: Callable[[], float] = time.monotonic) -> None:
        self._daemon, self._clock = daemon, clock
        self._known = CallingParty("stdio")
        self._next = float("-inf")

    async def __call__(self, _scope: Mapping[str, Any] | None) -> CallingParty:
        if not self._known.server and self._clock() >= self._next:
            self._next = self._clock() + ASK_AGAIN
            try:
                found = await self._daemon.ask(CallerRequest(), PATIENCE)
            except DaemonError:
                return self._known
            # One caller has one count, whatever becomes known of it.
            self._known = CallingParty("stdio", found.server, found.client, found.project)
        return self._known


class TokenLimits:
    """One process serves all tokens: what it counts is all there is."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._limits = CallLimits(clock)

    async def retry_after(self, caller: str, tool: str) -> float:
        return self._limits.retry_after(caller, tool)


async def http_caller(scope: Mapping[str, Any] | None) -> CallingParty:
    assert scope is not None
    caller: CallingParty = scope["mcpgov.caller"]
    return caller


async def serve_stdio(where: dict[str, str], reveal: Callable[[], str]) -> None:
    from mcpgov.serve.messages.stdio_lines import StandardInput, StandardOutput

    out = StandardOutput()
    from mcpgov.serve.sdk_server import GovernorServer

    policy, daemon = CurrentPolicy(where, _here()), DaemonRequests(where["socket"])
    limits = StdioLimits(daemon, time.monotonic)
    server = GovernorServer(ToolAnswers(policy, daemon, reveal), limits, StdioCaller(daemon))
    serving = asyncio.current_task()
    assert serving is not None
    # A client that ends us by a signal rather than by our input gets its unused calls back, too.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, serving.cancel)
    try:
        await server.serve_stdio(StandardInput(), out)
    finally:
        policy.close()
        await limits.give_back()


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ""


async def serve_http(
    where: dict[str, str],
    reveal: Callable[[], str],
    options: HttpOptions,
    tokens: ServeTokens,
    ready: Callable[[str], None],
) -> None:
    """`ready` hears the URL once somebody listens. Raises McpgovError where nobody can."""
    from mcpgov.serve.http_gate import LARGEST_BODY, LOOPBACK, AllowedHosts, HttpGate
    from mcpgov.serve.http_server import HttpServer, bind
    from mcpgov.serve.sdk_server import GovernorServer

    try:
        sockets = bind(options.host or "localhost", options.port)
    except OSError as error:
        why = "another program has it" if error.errno == errno.EADDRINUSE else reason_of(error)
        raise McpgovError(f"cannot listen on port {options.port}: {why}") from None
    at, scheme = sockets[0].getsockname()[1], "https" if options.cert else "http"
    own = (_in_url(options.host), os.uname().nodename) if options.host else ()
    names = (*LOOPBACK, *own)
    allowed = AllowedHosts(names, at, scheme, any_address=options.host in EVERYWHERE)
    policy, daemon = CurrentPolicy(where), DaemonRequests(where["socket"])
    server = GovernorServer(ToolAnswers(policy, daemon, reveal), TokenLimits(time.monotonic), http_caller)
    sessions = server.http_sessions(LARGEST_BODY)
    try:
        http = HttpServer(HttpGate(sessions, tokens, allowed), options.cert, options.key)
    except OSError as error:
        raise McpgovError(f"the certificate or its key cannot be used: {reason_of(error)}") from None
    follower = asyncio.create_task(_watch_installed(options.installed, http)) if options.installed is not None else None
    ready(f"{scheme}://{_reached_by(options.host)}:{at}/mcp")
    try:
        async with sessions.running():
            await http.serve(sockets=sockets)
    finally:
        if follower is not None:
            follower.cancel()
        policy.close()


def _reached_by(host: str) -> str:
    """Every address is no address that a caller could use: then this machine's name is told."""
    if host in EVERYWHERE:
        return os.uname().nodename
    return _in_url(host) if host else "127.0.0.1"


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


async def _watch_installed(file: Path, server: Any) -> None:
    """The service ends when what was installed changes, or with the input of whoever started it."""
    before = _file_state(file)
    loop = asyncio.get_running_loop()
    with suppress(OSError):  # a file or a device tells nothing
        loop.add_reader(0, lambda: None if os.read(0, 4096) else _end_server(loop, server))
    while _file_state(file) == before:
        await asyncio.sleep(FOLLOW)
    server.should_exit = True


def _end_server(loop: asyncio.AbstractEventLoop, server: Any) -> None:
    loop.remove_reader(0)
    server.should_exit = True


def _file_state(file: Path) -> tuple[int, int]:
    try:
        found = file.stat()
    except OSError:
        return 0, 0
    return found.st_ino, found.st_mtime_ns


def run_stdio(where: dict[str, str], reveal: Callable[[], str]) -> None:
    try:
        asyncio.run(serve_stdio(where, reveal))
    except* asyncio.CancelledError:
        pass
    except* BrokenPipeError:
        sys.stderr.write("mcpgov: the client has gone\n")


def run_http(
    where: dict[str, str],
    reveal: Callable[[], str],
    options: HttpOptions,
    tokens: ServeTokens,
    ready: Callable[[str], None],
) -> None:
    asyncio.run(serve_http(where, reveal, options, tokens, ready))
