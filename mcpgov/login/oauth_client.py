"""Sign in, renew, sign out: the requests of our OAuth client, in order.

Laws: nothing is stored here; what a caller gets is complete. A server that asks for more scopes again and again is
given up on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import httpx2

from mcpgov.login import oauth_rules
from mcpgov.login.http_client import LoginHttp
from mcpgov.login.login_request import LoginRequest, Visitor
from mcpgov.login.oauth_provider import OAuthSession, metadata_requests, sdk_errors, wants_more_scopes
from mcpgov.login.oauth_rules import GONE, LOGIN_REQUIRED, UNREACHED, LoginError
from mcpgov.login.stored_login import StoredLogin

MOST_STEP_UPS = 2
T = TypeVar("T")
Clock = Callable[[], float]


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)


# --- login


async def authorize(wanted: LoginRequest, visitor: Visitor, now: Clock) -> StoredLogin | None:
    """Sign in; None: the server wants no login. Raises LoginError."""
    async with LoginHttp(wanted.url) as http:
        with sdk_errors(http):
            session = OAuthSession(wanted, visitor)
            response = await _signed_in(http, session)
            await http.end_session(session.access_token)
        if not session.access_token:
            _check_open(response)
            return None
        _check_accepted(response)
        return session.stored(http.registration, now())


async def _signed_in(http: LoginHttp, session: OAuthSession) -> httpx2.Response:
    """The server's last answer."""
    request = http.initialize()
    response = await _asked(http, session, request)
    if not session.access_token and response.status_code < 500:
        # It lets anybody begin. The first call tells more: whether a login is needed, and with which scopes.
        request = http.second(response.status_code)
        second = await _asked(http, session, request)
        response = second if session.access_token or not response.is_success else response
    if not session.access_token and response.is_success and await _offers_login(http):
        # It asks for a login at some call only.
        response = await _asked(http, session, request, first=httpx2.Response(401, request=request))
    for _ in range(MOST_STEP_UPS):
        if not wants_more_scopes(response):
            break
        response = await _asked(http, session, request, first=response)
    return response


async def _asked(
    http: LoginHttp, session: OAuthSession, request: httpx2.Request, first: httpx2.Response | None = None
) -> httpx2.Response:
    response = await http.drive(session.flow(request), first=first)
    assert response is not None
    return response


async def _offers_login(http: LoginHttp) -> bool:
    for request in metadata_requests(http.url):
        found = await http.send(request)
        if found.status_code == 200 and b"authorization_servers" in found.content:
            return True
    return False


def _check_open(response: httpx2.Response) -> None:
    if response.status_code in (401, 403):
        raise LoginError(f"the server refuses us without saying where to sign in (HTTP {response.status_code})")
    if response.status_code >= 500 or response.has_redirect_location:
        raise LoginError(f"the server answers with HTTP {response.status_code}", reason_code=UNREACHED)


def _check_accepted(response: httpx2.Response) -> None:
    if response.status_code == 401:
        raise LoginError("the server does not accept the token that was given for it")
    if response.status_code == 403:
        raise LoginError("you are signed in, but the server does not let you in (HTTP 403)")


# --- renewal


async def refresh(login: StoredLogin, now: Clock) -> StoredLogin:
    """New tokens. Raises LoginError: login_required if the grant is gone, unreached if it may still hold."""
    if not login.refresh_token:
        raise LoginError("the login has ended, and cannot be renewed by itself", reason_code=LOGIN_REQUIRED)
    session = OAuthSession.restored(login)
    async with LoginHttp(login.url) as http:
        request = http.initialize()
        with sdk_errors(http):
            await http.drive(session.flow(request), until=request)
        if not session.access_token:
            raise _not_renewed(http.last)
        return login._replace(**session.token_fields(now()))


def _not_renewed(last: httpx2.Response | None) -> LoginError:
    status, body = (last.status_code, last.content) if last is not None else (0, b"")
    error = oauth_rules.refusal("the authorization server does not renew the login", status, body)
    code = oauth_rules.oauth_error(body)[0]
    error.reason_code = LOGIN_REQUIRED if status in (400, 401, 403) and (code in GONE or not code) else UNREACHED
    return error


# --- logout


async def revoke(login: StoredLogin) -> list[str]:
    """RFC 7009 for the tokens, RFC 7592 for a registration of ours; returns what did not work, in words."""
    session = OAuthSession.restored(login)
    problems: list[str] = []
    async with LoginHttp(login.url) as http:
        endpoint = login.server.get("revocation_endpoint")
        if not isinstance(endpoint, str):
            problems.append("the authorization server offers no revocation: the token ends by itself")
        else:
            problems += await _revoked(http, session, endpoint, login)
        place, key = (login.registration.get(name) for name in ("client_uri", "access_token"))
        if login.registered and isinstance(place, str) and isinstance(key, str):
            request = httpx2.Request("DELETE", place, headers={"Authorization": f"Bearer {key}"})
            problems += await _told(http, request, "the registration of mcpgov was not deleted")
    return problems


async def _revoked(http: LoginHttp, session: OAuthSession, endpoint: str, login: StoredLogin) -> list[str]:
    problems: list[str] = []
    for hint, token in (("refresh_token", login.refresh_token), ("access_token", login.access_token)):
        if token:
            form = {"token": token, "token_type_hint": hint, "client_id": login.client_id}
            data, headers = session.with_client(form)
            request = httpx2.Request("POST", endpoint, data=data, headers=headers)
            problems += await _told(http, request, f"the {hint.replace('_', ' ')} was not revoked")
    return problems


async def _told(http: LoginHttp, request: httpx2.Request, what: str) -> list[str]:
    try:
        response = await http.send(request)
    except LoginError as error:
        return [f"{what}: {error}"]
    return [] if response.is_success else [str(oauth_rules.refusal(what, response.status_code, response.content))]
