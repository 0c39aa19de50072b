"""The address of the engine that limits and budgets are shared through: `ledger` of the settings. Leaf. Pure.

Law: its password is in no text that this makes but `with_password`. The engine's name (`store`) has neither user nor
password: a new password is the same engine.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from urllib.parse import SplitResult, quote, unquote, urlsplit

REDIS, POSTGRES = "redis", "postgres"
SCHEMES = {"redis": REDIS, "rediss": REDIS, "valkey": REDIS, "valkeys": REDIS, "unix": REDIS}
SCHEMES |= {"postgresql": POSTGRES, "postgres": POSTGRES}
SAME = {"valkey": "redis", "valkeys": "rediss", "postgres": "postgresql"}
EXTRAS = {REDIS: "mcpgov[redis]", POSTGRES: "mcpgov[postgres]"}
HIDDEN = "***"


@dataclass(frozen=True, slots=True)
class LedgerAddress:
    """`engine`: REDIS or POSTGRES; `masked`: for people; `store`: the engine's name in the local ledger."""

    engine: str
    url: str
    masked: str
    store: str
    has_password: bool

    def with_password(self, password: str) -> str:
        """The whole URL, with a password that was kept elsewhere."""
        parts = urlsplit(self.url)
        user, _, _ = parts.netloc.rpartition("@")[0].partition(":")
        host = parts.netloc.rpartition("@")[2]
        return _joined(parts, parts.scheme, f"{user}:{quote(password, safe='')}@{host}", parts.query)


def parse_address(text: str, namespace: str = "") -> LedgerAddress:
    """Raises ValueError, whose words hold nothing of the address but its scheme."""
    try:
        parts = urlsplit(text.strip())
        port = parts.port
    except ValueError:
        raise ValueError("it is no URL") from None
    scheme = SAME.get(parts.scheme, parts.scheme)
    if parts.scheme not in SCHEMES:
        raise ValueError("it must begin with redis://, rediss://, unix:// or postgresql://")
    if not (parts.hostname or parts.path.strip("/") or parts.query):
        raise ValueError("it names no host")
    where = f"{parts.hostname or ''}{f':{port}' if port else ''}"
    secrets = _secrets(parts.query)
    user = f"{unquote(parts.username)}{f':{HIDDEN}' if parts.password else ''}@" if parts.username else ""
    user = user or (f":{HIDDEN}@" if parts.password else "")
    masked = _joined(parts, parts.scheme, f"{user}{where}", _without(parts.query))
    name = f"{SCHEMES[parts.scheme]} {where} {parts.path} {_place(parts.query)} {namespace}"
    store = blake2b(name.encode(), digest_size=8).hexdigest()
    url = _joined(parts, scheme, parts.netloc, parts.query)
    return LedgerAddress(SCHEMES[parts.scheme], url, masked, store, bool(parts.password or secrets))


def masked_address(text: str) -> str:
    """For people, whatever the text is."""
    try:
        return parse_address(text).masked
    except ValueError:
        return HIDDEN


def _joined(parts: SplitResult, scheme: str, netloc: str, query: str) -> str:
    """`urlunsplit` leaves out the slashes before an empty host."""
    return f"{scheme}://{netloc}{parts.path}{f'?{query}' if query else ''}"


def _pairs(query: str) -> list[tuple[str, str]]:
    return [(name, value) for name, _, value in (part.partition("=") for part in query.split("&")) if name]


def _secrets(query: str) -> list[str]:
    return [value for name, value in _pairs(query) if "password" in name.lower() and value]


def _without(query: str) -> str:
    return "&".join(f"{name}={HIDDEN if 'password' in name.lower() else value}" for name, value in _pairs(query))


def _place(query: str) -> str:
    """What of the options says which engine it is."""
    return "&".join(f"{name}={value}" for name, value in _pairs(query) if name in ("db", "host", "port", "dbname"))
