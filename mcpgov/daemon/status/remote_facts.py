"""What a status says of remote servers: the servers on disk, with what their service counts. Pure.

Laws: no id and no part of a URL but its host is in here; what a process says of itself is checked before it is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from mcpgov.remote_servers import RemoteServer, url_digest

# Of one server, as its service says: it answered last time; it did not; it wants a login; nobody has called it yet.
UP, DOWN, LOGIN, UNUSED = "up", "down", "login", "unused"
STARTING, SILENT, UNKNOWN = "starting", "not answering", "unknown"  # of the listener, which may be UP and DOWN too
LONGEST = 200
LARGEST = 10**15  # anything above, infinity among it, is no count


@dataclass(frozen=True, slots=True)
class RemoteStatus:
    """A governed remote server. `added_ms`: the median that we add to a call; `last_ok`: seconds since the epoch.

    Counters are None until its service has reported them.
    """

    server: str
    client: str
    upstream: str
    state: str = UNUSED
    why: str = ""
    calls: int | None = None
    denied: int | None = None
    errors: int | None = None
    added_ms: float | None = None
    streams: int | None = None
    last_ok: float | None = None


@dataclass(frozen=True, slots=True)
class RemoteListener:
    """The process that all remote servers are reached through.

    `restart`: the clients that must be restarted, since they still use an earlier port.
    """

    state: str
    why: str = ""
    port: int = 0
    sessions: int = 0
    streams: int = 0
    restart: tuple[str, ...] = ()


def host_of(url: str) -> str:
    """Host and port, nothing else of a URL: it may hold a password or a key."""
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return ""
    host = parts.hostname or ""
    return f"[{host}]{port}" if ":" in host else f"{host}{port}"


def remote_rows(
    servers: Iterable[RemoteServer], counters: Mapping[str, object], listener: str
) -> tuple[RemoteStatus, ...]:
    """`counters`: the service's last answer; `listener`: its state now."""
    given = counters.get("remote")
    told = given if isinstance(given, list) else []
    rows = {str(row.get("id_digest")): row for row in told if isinstance(row, dict)}
    ordered = sorted(servers, key=lambda server: (server.name, server.client, server.project, server.id))
    return tuple(_row(server, rows.get(url_digest(server.id), {}), listener) for server in ordered)


def _row(server: RemoteServer, row: Mapping[str, object], listener: str) -> RemoteStatus:
    state = row.get("state")
    known = str(state) if state in (UP, DOWN, LOGIN, UNUSED) else UNUSED
    calls, denied, errors, streams = (_count(row.get(name)) for name in ("calls", "denied", "errors", "streams"))
    return RemoteStatus(
        server.name, server.client, host_of(server.url), DOWN if listener == DOWN else known, _text(row.get("why")),
        calls, denied, errors, _number(row.get("added_ms")), streams, _number(row.get("last_ok")),
    )  # fmt: skip


def listener_counts(counters: Mapping[str, object]) -> tuple[int, int]:
    """Sessions and open streams, of all servers together."""
    return _count(counters.get("sessions")) or 0, _count(counters.get("streams")) or 0


def _text(value: object) -> str:
    return value[:LONGEST] if isinstance(value, str) else ""


def _number(value: object) -> float | None:
    plain = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if plain and 0 <= value < LARGEST else None  # type: ignore[arg-type, operator]


def _count(value: object) -> int | None:
    number = _number(value)
    return None if number is None else int(number)
