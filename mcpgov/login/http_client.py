"""HTTP for logins: every answer bounded in time and size, no redirect followed by itself, failures told without URLs.

With `oauth_client` the only user of httpx2. Proxies and CA bundles of the environment are respected.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncGenerator

import httpx2

from mcpgov.login.oauth_rules import INVALID, UNREACHED, LoginError, check_endpoint, host_of, same_origin

LONGEST_ANSWER = 4 * 1024 * 1024
TIMEOUT = 20.0  # seconds without a byte
PROTOCOL, STATELESS = "2025-11-25", "2026-07-28"
INFO = {"name": "mcpgov", "version": "1"}
INITIALIZE: dict[str, object] = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": INFO}
_META = "io.modelcontextprotocol/"
# A request of the stateless revision says in itself what `initialize` said before.
META: dict[str, object] = {
    f"{_META}protocolVersion": STATELESS,
    f"{_META}clientCapabilities": {},
    f"{_META}clientInfo": INFO,
}
Flow = AsyncGenerator[httpx2.Request, httpx2.Response]


class LoginHttp:
    """The requests of one login at `url`; `last` is the latest answer."""

    def __init__(self, url: str) -> None:
        for name in ("httpx2", "httpcore2", "mcp"):  # their texts may hold answers, and so tokens
            logger = logging.getLogger(name)
            logger.propagate = False
            logger.addHandler(logging.NullHandler())
        try:
            self._own = httpx2.URL(url)
        except (httpx2.InvalidURL, ValueError):
            raise _no_url() from None
        if not self._own.host:
            raise _no_url()
        self.url = url
        self.registration: dict[str, object] = {}  # how a registration made here can be deleted (RFC 7592)
        self._client = httpx2.AsyncClient(timeout=TIMEOUT, follow_redirects=False)
        self._session = ""
        self.last: httpx2.Response | None = None

    async def __aenter__(self) -> LoginHttp:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()

    def initialize(self) -> httpx2.Request:
        """The first request of a conversation: what it meets tells whether a login is needed, and where."""
        return self._message("initialize", INITIALIZE, PROTOCOL)

    def second(self, status: int) -> httpx2.Request:
        """After an `initialize` that met no challenge: the first call, in the words of a server that answered so."""
        if status in (404, 405):  # the older HTTP+SSE: a conversation begins with its stream
            return self._client.build_request("GET", self._own, headers={"Accept": "text/event-stream"})
        if 200 <= status < 300:
            return self._message("tools/list", {}, PROTOCOL)
        return self._message("tools/list", {"_meta": META}, STATELESS)

    def _message(self, method: str, params: dict[str, object], revision: str) -> httpx2.Request:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": revision}
        headers |= {"Mcp-Method": method} if revision == STATELESS else {}
        headers |= {"Mcp-Session-Id": self._session} if self._session else {}
        return self._client.build_request("POST", self._own, json=message, headers=headers)

    async def end_session(self, token: str) -> None:
        """Our `initialize` may have opened a session that nobody will use."""
        if self._session:
            headers = {"Mcp-Session-Id": self._session, "MCP-Protocol-Version": PROTOCOL}
            headers |= {"Authorization": f"Bearer {token}"} if token else {}
            with contextlib.suppress(LoginError):
                await self.send(httpx2.Request("DELETE", self._own, headers=headers))

    async def send(self, request: httpx2.Request) -> httpx2.Response:
        """Raises LoginError: unreached, too long, or over a connection that others can read."""
        target = str(request.url)
        if request.url != self._own:
            check_endpoint(target, self.url)
        try:
            answer = await self._client.send(request, stream=True, follow_redirects=False)
            try:
                body = await _bounded(answer)
            finally:
                await answer.aclose()
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, OSError, ValueError) as error:
            raise _unreached(target, error) from None
        headers = [(key, value) for key, value in answer.headers.multi_items() if key not in _ENCODED]
        self.last = httpx2.Response(answer.status_code, headers=headers, content=body, request=request)
        self.last.next_request = answer.next_request
        self.registration = registration_in(target, self.last) or self.registration
        if request.url == self._own:
            self._session = answer.headers.get("mcp-session-id", "") or self._session
        return self.last

    async def drive(
        self, flow: Flow, *, first: httpx2.Response | None = None, until: httpx2.Request | None = None
    ) -> httpx2.Response | None:
        """Send what the flow asks for. `first` is taken for the answer to its first request; `until` is not sent."""
        response = None
        try:
            request = await flow.__anext__()
            while request is not until:
                response, first = first or await self.send(request), None
                request = await flow.asend(response)
        except StopAsyncIteration:
            pass
        finally:
            await flow.aclose()
        return response


_ENCODED = ("content-encoding", "transfer-encoding", "content-length")


def registration_in(target: str, answer: httpx2.Response) -> dict[str, object]:
    """What the SDK does not keep of a registration; only for the server that has made it."""
    if answer.status_code not in (200, 201) or answer.request.headers.get("content-type") != "application/json":
        return {}
    try:
        value = answer.json()
    except ValueError:
        return {}
    place, key = (value.get(f"registration_{name}") if isinstance(value, dict) else None for name in _KEPT)
    right = isinstance(place, str) and isinstance(key, str) and same_origin(place, target)
    return {"client_uri": place, "access_token": key} if right else {}


_KEPT = ("client_uri", "access_token")


async def _bounded(answer: httpx2.Response) -> bytes:
    """The body; nothing of an event stream, which need not end."""
    if answer.headers.get("content-type", "").startswith("text/event-stream"):
        return b""
    body = bytearray()
    async for piece in answer.aiter_bytes():
        body += piece
        if len(body) > LONGEST_ANSWER:
            message = f"{host_of(str(answer.request.url))} answers with more than 4 MiB"
            raise LoginError(message, reason_code=INVALID)
    return bytes(body)


def _no_url() -> LoginError:
    return LoginError("this is no URL of a server", reason_code=INVALID)


def _unreached(url: str, error: Exception) -> LoginError:
    why = "it does not answer in time" if isinstance(error, httpx2.TimeoutException) else type(error).__name__
    if isinstance(error, httpx2.ConnectError) and str(error):
        why = str(error).lower()
    return LoginError(f"cannot reach {host_of(url)}: {why}", reason_code=UNREACHED)
