"""What the config passes know of remote servers, on disk: registrations, probes, logins, the port, files' former modes.

Laws: a registration is on disk before a file names its id; a former mode is on disk before it is changed. Writers hold
`store.lock`.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path

from mcpgov.atomic_file import read_json, write_json
from mcpgov.configs.clients import Place
from mcpgov.configs.files.config_file import SeenFile
from mcpgov.configs.remote.url_wrap import KnownRemotes
from mcpgov.remote_servers import (
    RemoteServer,
    forget_server,
    keep_server,
    load_port,
    load_probe,
    load_servers,
    new_id,
    url_digest,
)

FOR_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class RemoteRegistry:
    """Below the state directory, where `Places` has it."""

    def __init__(self, state: Path) -> None:
        base = state / "remote"
        self.servers, self.probes, self.tokens = base / "servers", base / "probes", base / "tokens"
        self.port = base / "port.json"
        self._modes = base / "modes.json"

    def known(self, passthrough: bool = False) -> KnownRemotes:
        """What is known now; servers are read when an entry asks for them, and then once."""
        servers: Callable[[], dict[str, RemoteServer]] = lru_cache(1)(lambda: load_servers(self.servers))
        made: dict[tuple[Place, str], str] = {}

        def wrapped_before(file: str, place: Place, url: str) -> RemoteServer | None:
            return next((each for each in servers().values()
                         if each.place == place and each.url == url and same_file(each.file, file)), None)  # fmt: skip

        return KnownRemotes(
            load_port(self.port), lambda ident: servers().get(ident), wrapped_before,
            lambda url: load_probe(self.probes, url),
            lambda url: (self.tokens / f"{url_digest(url)}.json").exists(),
            lambda place, url: made.setdefault((place, url), new_id()), passthrough, same_file,
        )  # fmt: skip

    def keep(self, servers: Iterable[RemoteServer]) -> None:
        for server in servers:
            keep_server(self.servers, server)

    def forget(self, idents: Iterable[str]) -> None:
        for ident in idents:
            forget_server(self.servers, ident)

    def new_mode(self, seen: SeenFile, holds_secret: bool) -> int | None:
        """The mode that the file must get: owner-only while it holds an id, then what it was; None: as it is."""
        file, modes = str(seen.target), read_json(self._modes)
        if seen.missing:
            return None
        if holds_secret:
            if not seen.mode & FOR_OTHERS:
                return None
            write_json(self._modes, {**modes, file: seen.mode}, sync=True)
            return seen.mode & ~FOR_OTHERS
        former = modes.get(file)
        # A person who has changed it meanwhile has decided.
        tightened = isinstance(former, int) and seen.mode == former & ~FOR_OTHERS
        return former if isinstance(former, int) and tightened else None

    def forget_mode(self, seen: SeenFile) -> None:
        modes = read_json(self._modes)
        if modes.pop(str(seen.target), None) is not None:
            write_json(self._modes, modes, sync=True)


def same_file(one: str, other: str) -> bool:
    return one == other or os.path.realpath(one) == os.path.realpath(other)


def may_be_committed(file: Path, project: str, user_level: bool) -> bool:
    """A project's file, or one that stands in a repository: not by the home's own, which may be one as well."""
    if project:
        return True
    real = Path(os.path.realpath(file))
    if user_level and real == Path(os.path.realpath(file.parent)) / file.name:
        return False
    return any(os.path.lexists(parent / ".git") for parent in real.parents)
