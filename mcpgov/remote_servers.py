"""The remote servers that are governed, the port they are reached at, and what a probe found at a URL. Leaf, light.

Laws: one file a server and one a probed URL, each replaced as a whole, so that several writers need no lock. The id is
a secret: whoever knows it can use the server, so it stands in files of mode 0600 only, and in no log or record. The
upstream URL may hold a secret as well. Header values are never stored.
"""

from __future__ import annotations

import json
import os
import re
from _blake2 import blake2b
from hmac import compare_digest
from pathlib import Path
from secrets import token_urlsafe
from typing import NamedTuple
from urllib.parse import urlsplit

from mcpgov.atomic_file import cannot_write, load_bytes, replace_file

HTTP, SSE = "http", "sse"
# Who signs in: nobody or static headers of the entry; mcpgov (`mcpgov login`); the app, through rewritten metadata.
NO_LOGIN, OUR_LOGIN, PASSTHROUGH = "", "ours", "passthrough"
# What a probe found: no login needed; OAuth; a credential that is no OAuth (a static header); no answer.
OPEN, OAUTH, CREDENTIAL, UNREACHED = "open", "oauth", "credential", "unreached"
ID_BYTES = 32
ID = re.compile(r"[A-Za-z0-9_-]{43}")  # ID_BYTES in base64url
LONGEST_FILE = 256 * 1024
HOST = "127.0.0.1"


class RemoteServer(NamedTuple):
    """One wrapped entry. `literal`: the URL's text in the file, with its quotes, for a byte-identical unwrap."""

    id: str
    name: str
    client: str
    project: str
    url: str
    transport: str = HTTP
    login: str = NO_LOGIN
    file: str = ""
    place: tuple[str, ...] = ()
    literal: str = ""


class ProbeResult(NamedTuple):
    """What an unauthenticated request to a URL found, and when (seconds since the epoch)."""

    found: str
    at: float
    why: str = ""


def new_id() -> str:
    return token_urlsafe(ID_BYTES)


def url_digest(url: str) -> str:
    """A name for a URL that gives nothing of it away."""
    return blake2b(url.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


# --- the wrapped URL


def wrapped_url(port: int, server: RemoteServer) -> str:
    """Our URL for a server. The upstream's path follows the id, because some clients tell the transport by it.

    Its query stays with us: it may hold a key.
    """
    return f"http://{HOST}:{port}/{server.id}{urlsplit(server.url).path}"


def id_in(url: str) -> str:
    """The id in a URL of ours, whatever its port; "" for any other URL."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    first = parts.path[1:].partition("/")[0]
    ours = parts.scheme == "http" and parts.hostname == HOST and ID.fullmatch(first)
    return first if ours else ""


# --- servers on disk


def load_servers(directory: Path) -> dict[str, RemoteServer]:
    """By id; a damaged file is passed over."""
    found = (load_server(directory, name.removesuffix(".json")) for name in _names(directory))
    return {server.id: server for server in found if server is not None}


def load_server(directory: Path, ident: str) -> RemoteServer | None:
    if not ID.fullmatch(ident):
        return None
    value = _read(directory / f"{ident}.json")
    try:
        server = RemoteServer(**{**value, "place": tuple(value.get("place") or ())})  # type: ignore[arg-type]
    except TypeError:
        return None
    texts = all(isinstance(part, str) for part in (*server[:8], *server.place, server.literal))
    return server if texts and server.id == ident and server.url else None


def keep_server(directory: Path, server: RemoteServer) -> None:
    """On disk when this returns: the file that will name its id is written afterwards. Raises McpgovError."""
    replace_file(directory / f"{server.id}.json", json.dumps(server._asdict()).encode("ascii"), sync=True)


def forget_server(directory: Path, ident: str) -> None:
    """Raises McpgovError."""
    path = directory / f"{ident}.json"
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise cannot_write(path, error) from None


def with_id(servers: dict[str, RemoteServer], ident: str) -> RemoteServer | None:
    """The server of this id; takes the same time whether the beginning of a guess is right or not."""
    found = None
    for known, server in servers.items():
        if compare_digest(known.encode(), ident.encode("utf-8", "surrogatepass")):
            found = server
    return found


# --- the port


def load_port(path: Path) -> int:
    """0: the listener has never run."""
    port = _read(path).get("port")
    return port if type(port) is int and 0 < port < 65536 else 0


def keep_port(path: Path, port: int) -> None:
    replace_file(path, json.dumps({"port": port}).encode("ascii"), sync=True)


# --- probes


def load_probe(directory: Path, url: str) -> ProbeResult | None:
    value = _read(directory / f"{url_digest(url)}.json")
    found, at, why = value.get("found"), value.get("at"), value.get("why", "")
    if found not in (OPEN, OAUTH, CREDENTIAL, UNREACHED) or type(at) not in (int, float) or not isinstance(why, str):
        return None
    return ProbeResult(str(found), float(at), why)  # type: ignore[arg-type]


def keep_probe(directory: Path, url: str, result: ProbeResult) -> None:
    replace_file(directory / f"{url_digest(url)}.json", json.dumps(result._asdict()).encode("ascii"))


def _names(directory: Path) -> list[str]:
    try:
        return sorted(name for name in os.listdir(directory) if name.endswith(".json"))
    except OSError:
        return []


def _read(path: Path) -> dict[str, object]:
    try:
        value = json.loads(load_bytes(path, LONGEST_FILE))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
