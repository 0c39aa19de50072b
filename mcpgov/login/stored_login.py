"""What a login gave us: tokens, the client's registration, where to refresh. Pure: values and their JSON.

Law: the text of a login is secret; it goes into the keyring or a file of mode 0600, and nowhere else. A damaged text is
no login.
"""

from __future__ import annotations

import json
from typing import NamedTuple

FORMAT = 1
LONGEST_LIFE = 10 * 365 * 86400  # seconds; an authorization server may say anything


class StoredLogin(NamedTuple):
    """`client`, `server`, `resource`: the registration, the authorization server's and the resource's metadata.

    `registration`: how the registration can be deleted. `expires_at` None: the server has not said.
    """

    url: str
    client: dict[str, object]
    server: dict[str, object]
    resource: dict[str, object]
    registration: dict[str, object]
    access_token: str = ""
    refresh_token: str = ""
    scope: str = ""
    expires_at: float | None = None
    obtained_at: float = 0.0
    redirect_uri: str = ""
    registered: bool = False  # by us, dynamically: it may be registered again and deleted

    def __repr__(self) -> str:
        return "<StoredLogin>"  # no token in a traceback

    @property
    def issuer(self) -> str:
        found = self.server.get("issuer")
        return found if isinstance(found, str) else ""

    @property
    def client_id(self) -> str:
        found = self.client.get("client_id")
        return found if isinstance(found, str) else ""

    def is_valid(self, now: float, margin: float = 0.0) -> bool:
        return bool(self.access_token) and (self.expires_at is None or self.expires_at > now + margin)


def expiry(expires_in: int | None, now: float) -> float | None:
    return None if expires_in is None else now + max(0, min(expires_in, LONGEST_LIFE))


def text_of(login: StoredLogin) -> str:
    return json.dumps({"format": FORMAT, **login._asdict()})


def login_in(text: str) -> StoredLogin | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or value.pop("format", None) != FORMAT:
        return None
    known = {name: value[name] for name in StoredLogin._fields if name in value}
    return StoredLogin(**known) if _is_login(known) else None


def newest(logins: list[StoredLogin | None]) -> StoredLogin | None:
    """Two places may both have one after a crash: the tokens of the older one are used up."""
    return max((login for login in logins if login is not None), key=lambda login: login.obtained_at, default=None)


def _is_login(known: dict[str, object]) -> bool:
    texts = ("url", "access_token", "refresh_token", "scope", "redirect_uri")
    tables = ("client", "server", "resource", "registration")
    return (
        bool(known.get("url"))
        and all(isinstance(known.get(name, ""), str) for name in texts)
        and all(isinstance(known.get(name), dict) for name in tables)
        and type(known.get("obtained_at", 0.0)) in (int, float)
        and type(known.get("expires_at")) in (int, float, type(None))
        and type(known.get("registered", False)) is bool
    )
