"""Which server a request of ours is for, and which URL of it.

Law: the secret id is compared in constant time and on the bytes that came; a server that was taken out of the
directory is gone with the next request.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from mcpgov.remote.messages.targets import below_entry, endpoint_on_ours, take_apart, upstream_url
from mcpgov.remote_servers import RemoteServer, load_servers, with_id

BY_HAND = "/mcp"  # what stands for the upstream's own path where one server is proxied by hand


class Route(NamedTuple):
    """`entry`: the entry's own path, or one below it; else a path of its origin."""

    server: RemoteServer
    url: str
    entry: bool


class ServerRoutes:
    """All servers of a directory: `/<id><path>`."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._state: tuple[int, int] | None = None
        self._servers: dict[str, RemoteServer] = {}

    def servers(self) -> dict[str, RemoteServer]:
        """Read again when the directory has changed."""
        try:
            info = os.stat(self._directory)
            state = info.st_mtime_ns, info.st_ino
        except OSError:
            state = None
        if state is None or state != self._state:
            self._state, self._servers = state, load_servers(self._directory)
        return self._servers

    def find(self, target: str) -> Route | None:
        ours = take_apart(target)
        server = with_id(self.servers(), ours.ident) if ours is not None else None
        if ours is None or server is None:
            return None
        rest = ours.rest or ("" if not urlsplit(server.url).path else "/")
        entry = below_entry(rest, server.url) or (rest == "/" and not urlsplit(server.url).path)
        return Route(server, upstream_url(rest, ours.query, server.url), entry)

    def endpoint(self, server: RemoteServer, endpoint: str) -> tuple[str, str]:
        """(path on our origin, URL upstream) of a legacy endpoint; ("", ""): of another origin."""
        return endpoint_on_ours(endpoint, server.url, server.id)


class OneRoute:
    """One server by hand: `/mcp` is its URL's path."""

    def __init__(self, server: RemoteServer) -> None:
        self._server = server
        self._servers = {server.id: server}

    def servers(self) -> dict[str, RemoteServer]:
        return self._servers

    def find(self, target: str) -> Route | None:
        ours = take_apart("/id" + target) if target.startswith("/") else None
        if ours is None:
            return None
        server, path = self._server, urlsplit(self._server.url).path
        if ours.rest == BY_HAND or ours.rest.startswith(f"{BY_HAND}/"):
            rest = path.rstrip("/") + ours.rest[len(BY_HAND) :] if ours.rest != BY_HAND else path
            return Route(server, upstream_url(rest, ours.query, server.url), True)
        return Route(server, upstream_url(ours.rest, ours.query, server.url), False)

    def endpoint(self, server: RemoteServer, endpoint: str) -> tuple[str, str]:
        path, there = endpoint_on_ours(endpoint, server.url, "id")
        return path.removeprefix("/id"), there
