"""What a request must be before the SDK sees it: for this host, of no other page, with a token, small, and in time.

Laws: Host and Origin are checked (DNS rebinding) before the bearer token, the token before the body; a refusal closes
the connection, once the rest was thrown away for a while, and says nothing of a token that would have been right. The
token decides who calls: no header or field names a caller; a token that is revoked ends what is under way with it. That
a caller has gone is told to whoever asks for it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from functools import partial
from ipaddress import ip_address
from typing import Any, NamedTuple

from mcpgov.serve.answers import GONE, CallingParty
from mcpgov.serve_tokens import ServeTokens

PATH = "/mcp"
METHODS = ("POST", "GET", "DELETE")
LARGEST_BODY = 4 * 1024 * 1024
BODY_SECONDS = 10.0
LOOK_SECONDS = 1.0  # between two looks whether a token of what is under way was revoked
LINGER, MOST_THROWN_AWAY = 2.0, 64 * 1024 * 1024  # seconds and bytes in which the rest of what was refused is read
CALLER = "mcpgov.caller"
MOST_LOOKS = 8
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
CHALLENGE = 'Bearer realm="mcpgov"'

AsgiMessage = dict[str, Any]
Receive = Callable[[], Awaitable[AsgiMessage]]
Send = Callable[[AsgiMessage], Awaitable[None]]
App = Callable[[dict[str, Any], Receive, Send], Awaitable[None]]


class HttpRefusal(NamedTuple):
    status: int
    text: str
    challenge: str = ""


INVALID_TOKEN = HttpRefusal(401, "unauthorized", CHALLENGE + ', error="invalid_token"')


class AllowedHosts:
    """Names by which this listener may be called, with its port; `any_address`: every literal address too."""

    def __init__(self, names: Iterable[str], port: int, scheme: str = "http", any_address: bool = False) -> None:
        usual = {"http": 80, "https": 443}[scheme]
        self._hosts = {f"{name.lower()}:{port}" for name in names} | (
            {name.lower() for name in names} if port == usual else set()
        )
        self._scheme, self._port, self._any_address = scheme, port, any_address

    def host(self, value: str) -> bool:
        return value.lower() in self._hosts or (self._any_address and self._is_address(value))

    def origin(self, value: str) -> bool:
        scheme, _, host = value.partition("://")
        return scheme == self._scheme and self.host(host)

    def _is_address(self, value: str) -> bool:
        name, _, port = value.rpartition(":")
        try:
            ip_address(name.strip("[]"))
        except ValueError:
            return False
        return port == str(self._port)


def why_refused(scope: dict[str, Any], allowed: AllowedHosts) -> HttpRefusal | None:
    """By the head alone, the token aside."""
    headers: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    hosts, origins = headers.get("host", []), headers.get("origin", [])
    if len(hosts) != 1 or not allowed.host(hosts[0]):
        return HttpRefusal(403, "forbidden host")
    if len(origins) > 1 or (origins and not allowed.origin(origins[0])):
        return HttpRefusal(403, "forbidden origin")
    if scope["path"] != PATH:
        return HttpRefusal(404, "not found")
    if scope["method"] not in METHODS:
        return HttpRefusal(405, "method not allowed")
    if any(value.strip().lower() != "identity" for value in headers.get("content-encoding", [])):
        return HttpRefusal(415, "encoded bodies are not read")
    length = headers.get("content-length", ["0"])[0]
    if not length.isdigit() or int(length) > LARGEST_BODY:
        return HttpRefusal(413, "the body is too large")
    return None


def bearer_token(scope: dict[str, Any]) -> str:
    """The one token of the request; "" where there is none, or several."""
    found = [value.decode("latin-1") for name, value in scope["headers"] if name.lower() == b"authorization"]
    scheme, _, token = found[0].partition(" ") if len(found) == 1 else ("", "", "")
    return token.strip() if scheme.lower() == "bearer" else ""


class HttpGate:
    """An ASGI application in front of another."""

    def __init__(
        self, app: App, tokens: ServeTokens, allowed: AllowedHosts, body_seconds: float = BODY_SECONDS
    ) -> None:
        self._app, self._tokens, self._allowed, self._body_seconds = app, tokens, allowed, body_seconds
        self._under_way: dict[asyncio.Task[Any], str] = {}  # and its token
        self._revoked: set[asyncio.Task[Any]] = set()
        self._clock: asyncio.TimerHandle | None = None

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        refusal = why_refused(scope, self._allowed)
        if refusal is None:
            token = bearer_token(scope)
            held = self._tokens.holder(token) if token else None
            if held is None:
                refusal = INVALID_TOKEN if token else HttpRefusal(401, "unauthorized", CHALLENGE)
            else:
                scope[CALLER] = CallingParty(f"token {held.name}", held.server, token=token)
        if refusal is None:
            body = await self._body(receive)
            if isinstance(body, HttpRefusal):
                refusal = body
            else:
                refusal, receive = await self._served(scope, body, receive, send, token), _nothing_more
        if refusal is not None:
            await _refuse(refusal, send, receive)

    async def _served(
        self, scope: dict[str, Any], body: deque[AsgiMessage], receive: Receive, send: Send, token: str
    ) -> HttpRefusal | None:
        """A refusal where the token was revoked before an answer began; after that the answer breaks off."""
        task, begun = asyncio.current_task(), False
        assert task is not None

        async def sent(message: AsgiMessage) -> None:
            nonlocal begun
            begun = True
            await send(message)

        scope[GONE] = partial(_caller_gone, receive)
        self._under_way[task] = token
        if self._clock is None:
            self._clock = asyncio.get_running_loop().call_later(LOOK_SECONDS, self._check_tokens)
        try:
            await self._app(scope, _replay(body, receive), sent)
        except asyncio.CancelledError:
            if task not in self._revoked:
                raise
            return None if begun else INVALID_TOKEN
        finally:
            del self._under_way[task]
            self._revoked.discard(task)
        return None

    def _check_tokens(self) -> None:
        """Long answers, and questions to a person, outlast a look at the tokens."""
        self._clock = None
        gone = {token for token in set(self._under_way.values()) if self._tokens.holder(token) is None}
        for task, token in self._under_way.items():
            if token in gone and task not in self._revoked:
                self._revoked.add(task)
                task.cancel()
        if self._under_way:
            self._clock = asyncio.get_running_loop().call_later(LOOK_SECONDS, self._check_tokens)

    async def _body(self, receive: Receive) -> deque[AsgiMessage] | HttpRefusal:
        """All of it, or why it is not read."""
        body = bytearray()
        try:
            async with asyncio.timeout(self._body_seconds):
                while True:
                    message = await receive()
                    if message["type"] != "http.request":
                        return deque([message])
                    body += message.get("body", b"")
                    if len(body) > LARGEST_BODY:
                        return HttpRefusal(413, "the body is too large")
                    if not message.get("more_body"):
                        return deque([{"type": "http.request", "body": bytes(body), "more_body": False}])
        except TimeoutError:
            return HttpRefusal(408, "the body took too long")


def _replay(messages: deque[AsgiMessage], receive: Receive) -> Receive:
    async def again() -> AsgiMessage:
        return messages.popleft() if messages else await receive()

    return again


async def _nothing_more() -> AsgiMessage:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _caller_gone(receive: Receive) -> None:
    """Returns once nobody waits for the answer: behind the body comes the end of the connection, and nothing else."""
    for _ in range(MOST_LOOKS):
        if (await receive())["type"] == "http.disconnect":
            return
    await asyncio.Event().wait()


async def _throw_away(receive: Receive) -> None:
    """What is left of the body of a request that was refused: a connection that is closed with unread bytes is reset,
    and whoever is still sending never reads the answer."""
    read = 0
    with suppress(TimeoutError):
        async with asyncio.timeout(LINGER):
            while read < MOST_THROWN_AWAY:
                message = await receive()
                read += len(message.get("body", b""))
                if not message.get("more_body"):
                    return


async def _refuse(refusal: HttpRefusal, send: Send, receive: Receive) -> None:
    body = refusal.text.encode("ascii")
    headers = [
        (b"content-type", b"text/plain"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    if refusal.challenge:
        headers.append((b"www-authenticate", refusal.challenge.encode("ascii")))
    if refusal.status == 405:
        headers.append((b"allow", ", ".join(METHODS).encode("ascii")))
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": True})
    await _throw_away(receive)
    await send({"type": "http.response.body", "body": b""})
