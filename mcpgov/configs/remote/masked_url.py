"""URLs as people may see them: where a server is, without what opens it. Pure.

Law: no id of ours, no user or password, no value of a query, no part of a path that looks like a key.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from mcpgov.remote_servers import HOST, id_in

MASK = "…"
SHORTEST_KEY = 16  # characters of a part of a path that may be a key
_OURS = re.compile(r"(127\.0\.0\.1:\d+\\?/)[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])(?:[^\s\"'`?#]*)")


def masked_url(url: str) -> str:
    """Scheme, host, port and path; the names of a query, not its values."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return MASK
    if id_in(url):
        return f"http://{HOST}:{port}/{MASK}"
    if not parts.scheme or not parts.netloc:
        return MASK
    user = f"{MASK}@" if "@" in parts.netloc else ""
    path = "/".join(MASK if _is_key(part) else part for part in parts.path.split("/"))
    query = "?" + "&".join(_name(pair) for pair in parts.query.split("&")) if parts.query else ""
    return f"{parts.scheme}://{user}{parts.netloc.rpartition('@')[2]}{path}{query}"


def host_of(url: str) -> str:
    """Host and port, for a table; "" for a text that is no URL with a host."""
    try:
        return urlsplit(url).netloc.rpartition("@")[2]
    except ValueError:
        return ""


def without_ids(text: str) -> str:
    """Any text with the ids of wrapped URLs left out."""
    return _OURS.sub(lambda match: match[1] + MASK, text)


def _name(pair: str) -> str:
    key, equals, _value = pair.partition("=")
    return f"{key}={MASK}" if equals and not _is_key(key) else MASK


def _is_key(part: str) -> bool:
    """Long, and of letters and digits mixed, as keys are and words are not."""
    return len(part) >= SHORTEST_KEY and any(c.isdigit() for c in part) and any(c.isalpha() for c in part)
