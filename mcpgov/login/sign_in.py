"""One login from beginning to end: listener, browser, tokens stored. What is interrupted leaves nothing behind.

Law: nothing is stored before the server has accepted the new token.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import urlsplit

from mcpgov.errors import McpgovError
from mcpgov.login.callback import LIMIT, CallbackListener
from mcpgov.login.login_request import LoginRequest, Visitor
from mcpgov.login.logins import Logins
from mcpgov.login.oauth_rules import scopes_in
from mcpgov.login.stored_login import StoredLogin
from mcpgov.login.token_store import TokenPlace


class SignIn(NamedTuple):
    """What a person asked for; `port`: where the browser is sent back to, 0 for any."""

    url: str
    name: str
    scopes: tuple[str, ...] = ()
    client_id: str = ""
    client_secret: str = ""
    port: int = 0
    within: float = LIMIT


class SignedIn(NamedTuple):
    issuer: str
    client_id: str
    scopes: tuple[str, ...]
    expires_at: float | None
    renewable: bool
    place: TokenPlace


def sign_in(logins: Logins, asked: SignIn, show: Callable[[str], None]) -> SignedIn | None:
    """`show` gets the URL that a person has to visit. None: the server wants no login. Raises McpgovError."""
    from mcpgov.login import oauth_client  # the SDK costs most of a second

    marker, earlier = logins.marker(asked.url), logins.earlier(asked.url)
    if marker is not None and marker.refused and earlier is not None and earlier.registered:
        earlier = None  # the registration may be what is no longer known there
    more = scopes_in(*marker.scopes, *marker.required_scopes) if marker and marker.required_scopes else ()
    listener = _listener(asked.port, earlier)
    try:
        wanted = LoginRequest(
            asked.url, listener.redirect_uri, asked.scopes, () if asked.scopes else more, asked.client_id,
            asked.client_secret, earlier,
        )  # fmt: skip
        login = oauth_client.run(_authorized(listener, wanted, asked.within, show))
    finally:
        listener.close()
    if login is None:
        return None
    place = logins.keep(login, asked.name)
    return SignedIn(
        login.issuer, login.client_id, scopes_in(login.scope), login.expires_at, bool(login.refresh_token), place
    )


async def _authorized(
    listener: CallbackListener, wanted: LoginRequest, within: float, show: Callable[[str], None]
) -> StoredLogin | None:
    from mcpgov.login import oauth_client

    async with listener:

        def visit(url: str, state: str) -> None:
            listener.expect(state)
            show(url)

        return await oauth_client.authorize(wanted, Visitor(visit, lambda: listener.answer(within)), time.time)


def _listener(port: int, earlier: StoredLogin | None) -> CallbackListener:
    """On the port of the earlier login if it is free: many servers know a client by its exact address."""
    if not port and earlier is not None and earlier.registered:
        try:
            return CallbackListener(urlsplit(earlier.redirect_uri).port or 0)
        except (McpgovError, ValueError):
            pass
    return CallbackListener(port)
