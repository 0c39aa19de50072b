"""One server by hand: `--listen`, a reverse proxy whose `/mcp` is its URL, or a bridge from standard input and output.

Law: header values come by the names of environment variables, so that no list of processes shows them.
"""

from __future__ import annotations

import asyncio
import os
import sys
from typing import NamedTuple

from mcpgov.errors import UsageError
from mcpgov.loopback.sockets import bind
from mcpgov.remote.messages.targets import origin_of
from mcpgov.remote.routes import OneRoute
from mcpgov.remote_servers import HTTP, SSE, RemoteServer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcpgov.remote.main import RemoteProcess

    Pairs = list[tuple[str, str]]

OPTIONS = ("--server", "--client", "--project", "--policy", "--journal", "--url", "--listen", "--sse")
HEADER = "--header-env"
LOOPBACK = ("127.0.0.1", "localhost", "::1", "[::1]")
EXIT_USAGE = 64


class ByHand(NamedTuple):
    server: RemoteServer
    options: dict[str, str]
    headers: list[tuple[str, str]]
    port: int


def read_words(words: list[str], environ: Mapping[str, str]) -> ByHand:
    """Raises UsageError."""
    found: dict[str, str] = {}
    headers: Pairs = []
    for name, value in zip(words[::2], words[1::2], strict=False):
        if name == HEADER:
            headers.append(_header(value, environ))
        elif name in OPTIONS:
            found[name[2:]] = value
        else:
            raise UsageError(f"unknown option `{name}`")
    if len(words) % 2 or "server" not in found or "url" not in found:
        raise UsageError("a server name and a URL are needed, and a value for every option")
    try:
        origin_of(found["url"])
    except ValueError:
        raise UsageError(f"`{found['url']}` is not an http(s) URL") from None
    names = (found["server"], found.get("client", ""), found.get("project", ""), found["url"])
    server = RemoteServer("by-hand", *names, transport=SSE if "sse" in found else HTTP)
    options = {name: value for name, value in found.items() if name in ("policy", "journal")}
    return ByHand(server, options, headers, _port(found.get("listen", "")))


def _header(text: str, environ: Mapping[str, str]) -> tuple[str, str]:
    name, equals, variable = text.partition("=")
    value = environ.get(variable)
    if not name or not equals or value is None:
        raise UsageError(f"`{HEADER} {text}`: NAME=VARIABLE, and the variable must be set")
    if not (name.isascii() and name.isprintable() and value.isascii() and value.isprintable()):
        raise UsageError(f"the header `{name}` has characters that no header may have")
    return name, value


def _port(listen: str) -> int:
    if not listen:
        return 0
    host, _, port = listen.rpartition(":")
    if host not in LOOPBACK or not port.isdigit() or not 0 <= int(port) < 65536:
        raise UsageError(f"`--listen {listen}`: only 127.0.0.1:PORT")
    return int(port)


def run_by_hand(verb: str, words: list[str], home: dict[str, str]) -> int:
    try:
        asked = read_words(words, os.environ)
    except UsageError as error:
        sys.stderr.write(f"mcpgov: {error}\n")
        return EXIT_USAGE
    if verb == "listen":
        return asyncio.run(_listen(asked, home))
    from mcpgov.remote.bridge import run_bridge

    return asyncio.run(run_bridge(asked, home))


def service_of(asked: ByHand, home: dict[str, str]) -> RemoteProcess:
    from mcpgov.remote.main import RemoteProcess

    service = RemoteProcess({**home, "socket": home.get("socket", "")}, OneRoute(asked.server), options=asked.options)
    service.parts.extra = asked.headers
    return service


async def _listen(asked: ByHand, home: dict[str, str]) -> int:
    from mcpgov.remote.main import settle_collector

    service = service_of(asked, home)
    service.end_by_signals()
    try:
        sockets = bind(asked.port)
    except OSError as problem:
        sys.stderr.write(f"mcpgov: cannot listen at 127.0.0.1:{asked.port}: {problem.strerror}\n")
        return 1
    await service.open(sockets)
    sys.stderr.write(f"mcpgov: serving {asked.server.name} at http://127.0.0.1:{service.port}/mcp\n")
    sys.stderr.flush()
    settle_collector()
    await service.done.wait()
    await service.close()
    return 0
