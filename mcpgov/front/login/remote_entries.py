"""The remote servers in clients' configs: which URL a name stands for, and which entries have it.

Law: a name that stands for several URLs is refused, not guessed. Files are read, never written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from mcpgov import remote_servers
from mcpgov.configs.clients import BY_NAME
from mcpgov.configs.config_pass import Worker
from mcpgov.configs.locations import ConfigSource, ignore_unreadable, text_of
from mcpgov.configs.remote.url_entry import URLS
from mcpgov.configs.text import splice
from mcpgov.daemon.status.typed_commands import typed
from mcpgov.errors import McpgovError, UsageError, nearest
from mcpgov.front.context import Context
from mcpgov.login import markers
from mcpgov.remote_servers import RemoteServer


class RemoteEntry(NamedTuple):
    """One entry with a URL; `url` is the server's own, also where the entry has ours. `wrapped`: it has ours."""

    name: str
    client: str
    file: str
    url: str
    wrapped: bool = False


def remote_entries(context: Context, client: str = "") -> list[RemoteEntry]:
    """Of every client, enabled or not."""
    worker = context.worker([client] if client else [*BY_NAME])
    servers = remote_servers.load_servers(context.places.remote_servers)
    sources = [source for source in worker.with_known(worker.sources()) if client in ("", source.client.name)]
    found = [entry for source in sources for entry in _entries(worker, source, servers)]
    # An entry may have been lost from its file since it was wrapped; its login is still known.
    known = {(entry.name, entry.client, entry.url) for entry in found}
    lost = [server for server in servers.values() if (server.name, server.client, server.url) not in known]
    wanted = (server for server in lost if client in ("", server.client))
    return [*found, *(RemoteEntry(each.name, each.client, each.file, each.url, True) for each in wanted)]


def _entries(worker: Worker, source: ConfigSource, servers: dict[str, RemoteServer]) -> Iterator[RemoteEntry]:
    found: Sequence[splice.Entry] = ()
    with ignore_unreadable():
        text = text_of(worker.home, source.file)
        found = splice.find(text, source.client.dialect, source.client.places)
    for entry in found:
        url = _url(entry.value)
        server = remote_servers.with_id(servers, ident) if (ident := remote_servers.id_in(url)) else None
        if server is not None or (url and not ident):
            own = server.url if server is not None else url
            yield RemoteEntry(entry.place[-1], source.client.name, str(source.file), own, server is not None)


def _url(value: object) -> str:
    if not isinstance(value, dict):
        return ""
    return next((value[key] for key in URLS if isinstance(value.get(key), str)), "")


class Target(NamedTuple):
    """The server that a command is about. `entries`: all that have its URL."""

    name: str
    url: str
    entries: tuple[RemoteEntry, ...]


def find(context: Context, name: str, client: str = "", verb: str = "login") -> Target:
    """The server of this name, or of this URL. Raises McpgovError."""
    entries = remote_entries(context, client)
    signed_in = {marker.url: marker.name for marker in markers.all_markers(context.places.remote_tokens).values()}
    if "://" in name:
        url, shown = name, next((entry.name for entry in entries if entry.url == name), signed_in.get(name, name))
    else:
        url, shown = _named(name, client, verb, entries, signed_in), name
    _check(shown, url)
    everywhere = entries if not client else remote_entries(context)
    return Target(shown, url, tuple(entry for entry in everywhere if entry.url == url))


def _named(name: str, client: str, verb: str, entries: Sequence[RemoteEntry], signed_in: dict[str, str]) -> str:
    urls = {entry.url: entry.client for entry in reversed(entries) if entry.name == name}
    if not urls and not client:
        urls = {url: "" for url, known in signed_in.items() if known == name}
    if not urls:
        near = nearest(name, {entry.name for entry in entries})
        raise McpgovError(f"no client has a server `{name}` with a URL", hint=_near(near))
    if len(urls) > 1:
        whose = sorted({entry.client for entry in entries if entry.name == name})
        hint = typed(verb, name, client=whose[0]) if len(whose) > 1 else f"{typed(verb)} URL"
        raise McpgovError(f"`{name}` stands for {len(urls)} different URLs ({', '.join(whose)})", hint=hint)
    return next(iter(urls))


def _near(near: str) -> str:
    return f"did you mean `{near}`?" if near else "mcpgov servers"


def _check(name: str, url: str) -> None:
    try:
        parts = urlsplit(url)
        right = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        right = False
    if not right:
        raise UsageError(f"`{name}` has no URL that begins with http:// or https://")
    if any(mark in url for mark in ("${", "{env:", "$(")):
        raise UsageError(f"the URL of `{name}` has a variable: give the URL itself", hint="mcpgov login URL")


def own_source(worker: Worker, entry: RemoteEntry) -> ConfigSource:
    return worker.source(Path(entry.file), entry.client)
