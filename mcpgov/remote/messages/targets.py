"""Where a request goes: our path with its secret id, the upstream's URL, the headers that pass. Pure.

Laws: path and query go on as they came, byte for byte; a request never leaves the entry's origin. What belongs to one
connection, to the client's own host or to another origin's scripts is not passed on.
"""

from __future__ import annotations

import binascii
import re
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote, urljoin, urlsplit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    Pairs = list[tuple[str, str]]

# Of one connection (RFC 9110 7.6.1), and what we say ourselves.
HOP = frozenset(("connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
                 "proxy-authenticate", "proxy-authorization", "content-length"))  # fmt: skip
_UP = HOP | {"host", "origin", "referer", "accept-encoding", "expect", "forwarded", "via"}
_DOWN = HOP | {"location", "alt-svc", "strict-transport-security", "server", "date", "content-encoding",
               "clear-site-data", "refresh", "www-authenticate", "content-security-policy", "link"}  # fmt: skip
_DOT_SEGMENT = re.compile(r"(?:^|/)(?:\.|%2e){1,2}(?:/|$|;)", re.IGNORECASE)
_DEFAULT_PORTS = {"http": 80, "https": 443}


class UrlOrigin(NamedTuple):
    scheme: str
    host: str
    port: int


class OurTarget(NamedTuple):
    """A request target of ours taken apart: `/<ident><rest>?<query>`."""

    ident: str
    rest: str
    query: str


def origin_of(url: str) -> UrlOrigin:
    """Raises ValueError for a URL that has none."""
    parts = urlsplit(url)
    port = parts.port if parts.port is not None else _DEFAULT_PORTS.get(parts.scheme, 0)
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname:
        raise ValueError("not an http(s) URL")
    return UrlOrigin(parts.scheme, parts.hostname, port)


@lru_cache(256)
def take_apart(target: str) -> OurTarget | None:
    """None: not a path of ours, or one that another reader might resolve to elsewhere."""
    path, _, query = target.partition("?")
    if not path.startswith("/") or "#" in target or "\\" in path or _DOT_SEGMENT.search(path):
        return None
    ident, slash, rest = path[1:].partition("/")
    return OurTarget(ident, slash + rest, query)


def below_entry(rest: str, url: str) -> bool:
    """Is a path the entry's own, or one below it?"""
    base = urlsplit(url).path
    return rest.startswith(base) and (rest == base or base.endswith("/") or rest[len(base)] == "/")


@lru_cache(256)
def upstream_url(rest: str, query: str, url: str) -> str:
    """The URL that a path of ours stands for. The entry's own query goes with its own path only: it may hold a key."""
    parts = urlsplit(url)
    own = parts.query if below_entry(rest, url) else ""
    joined = "&".join(part for part in (own, query) if part)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{rest or '/'}{'?' + joined if joined else ''}"


def basic_credentials(url: str) -> str:
    """What a client makes of the name and password in a URL; "" without them."""
    parts = urlsplit(url)
    if parts.username is None:
        return ""
    said = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
    return f"Basic {binascii.b2a_base64(said, newline=False).decode('ascii')}"


def follow(url: str, location: str) -> str:
    """The URL a redirect leads to; "" if that is of another origin."""
    try:
        there = urljoin(url, location)
        return there.partition("#")[0] if origin_of(there) == origin_of(url) else ""
    except ValueError:
        return ""


def endpoint_on_ours(endpoint: str, url: str, ident: str) -> tuple[str, str]:
    """(URL for the client, URL upstream) of the `endpoint` that a legacy server names; ("", ""): of another origin."""
    there = follow(url, endpoint.strip())
    parts = urlsplit(there)
    if not there or _DOT_SEGMENT.search(parts.path):
        return "", ""
    return f"/{ident}{parts.path or '/'}{'?' + parts.query if parts.query else ''}", there


def headers_up(pairs: Iterable[tuple[str, str]]) -> Pairs:
    """The client's headers for the upstream."""
    kept = list(pairs)
    named = _named_by_connection(kept)
    passed = [(name, value) for name, value in kept if name.lower() not in _UP and name.lower() not in named]
    return [*passed, ("Accept-Encoding", "identity")]


def headers_down(pairs: Iterable[tuple[str, str]]) -> Pairs:
    """The upstream's headers for the client. Nothing lets a page of another origin read along."""
    kept, named = [], ""
    for pair in pairs:
        name = pair[0].lower()
        if name not in _DOWN and not name.startswith("access-control-"):
            kept.append(pair)
        elif name == "connection":
            named = f"{named},{pair[1]}" if named else pair[1]
    if not named:
        return kept
    words = {word.strip().lower() for word in named.split(",")}
    return [pair for pair in kept if pair[0].lower() not in words]


def _named_by_connection(pairs: Pairs) -> set[str]:
    values = [value for name, value in pairs if len(name) == len("connection") and name.lower() == "connection"]
    return {word.strip().lower() for value in values for word in value.split(",")}


def value_of(pairs: Iterable[tuple[str, str]], name: str) -> str | None:
    return next((value for key, value in pairs if key.lower() == name), None)
