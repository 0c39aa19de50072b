"""The loopback listener. The only server side of aiohttp.

Laws: what is refused is refused before its body is read, and the connection with it; nothing waits for a slow client
for ever; a client that hangs up cancels its handler. Nothing here knows MCP.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
import time
from email.utils import formatdate
from http import HTTPStatus
from typing import NamedTuple

from aiohttp import web
from multidict import CIMultiDict

from mcpgov.core.messages.wire import LARGE_LINE
from mcpgov.remote.access.peer_uid import is_another_user
from mcpgov.remote.messages.request_checks import LARGEST_BODY, LARGEST_HEAD, RequestHead, own_hosts, refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mcpgov.remote.messages.request_checks import Refusal

    Pairs = list[tuple[str, str]]
    Handle = Callable[["HttpRequest", "HttpReply"], Awaitable[None]]

LAST_LINE = "Server: mcpgov\r\n\r\n"
ALSO = 5  # line breaks besides those after headers: three lines before them or after, and two at the end
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
FULL = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
KEEP_ALIVE = 3600.0
GRACE = 0.5  # seconds
# A reply of at most so many bytes is put together here; through aiohttp's response it takes three times as long.
SHORT = 64 * 1024
PHRASES = {each.value: each.phrase for each in HTTPStatus if each >= 200 and each not in (204, 205, 304)}
LINGER = 1.0  # seconds in which the rest of a refused body is thrown away, so that the refusal can be read


class Limits(NamedTuple):
    """Seconds until a head is there, seconds without a byte of a body, connections at once."""

    head: float = 10.0
    body: float = 30.0
    connections: int = 1024


class BodyRefused(Exception):
    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status, self.why = status, why


class HttpRequest:
    def __init__(self, request: web.BaseRequest, head: RequestHead, limits: Limits) -> None:
        self._request, self._limits = request, limits
        self.head = head

    def body_at_hand(self) -> bytes | bytearray:
        """All of it, if it has come already: the usual case, together with the head. Else nothing."""
        content = self._request.content
        if not content.is_eof() or content.exception() is not None:
            return b""
        whole = content.read_nowait(-1)
        return whole if len(whole) <= LARGE_LINE else bytearray(whole)

    async def body(self) -> bytes | bytearray:
        """Raises BodyRefused. A large one is a bytearray, which whoever judges it may release."""
        if whole := self.body_at_hand():
            return whole
        content = self._request.content
        if self.head.get(b"expect") is not None and self._request.transport is not None:
            self._request.transport.write(CONTINUE)
        first, rest = b"", None
        while True:
            try:
                async with asyncio.timeout(self._limits.body):
                    data = await content.readany()
            except TimeoutError:
                raise BodyRefused(408, "the body does not come") from None
            except (web.RequestPayloadError, ConnectionError):
                raise BodyRefused(400, "the body is not whole") from None
            if not data:
                return first if rest is None else rest if len(rest) > LARGE_LINE else bytes(rest)
            if rest is None and not first:
                first = data
                continue
            rest = bytearray(first) if rest is None else rest
            rest += data
            if len(rest) > LARGEST_BODY:
                raise BodyRefused(413, "the body is too long")


class _SentResponse(web.StreamResponse):
    """Stands for a response that is on the transport already; nothing of it is one request's."""

    keep_alive = True

    async def prepare(self, request: web.BaseRequest) -> None:
        return None

    async def write_eof(self, data: bytes = b"") -> None:
        return None


class _Date:
    """The value of `Date`, made once a second."""

    def __init__(self) -> None:
        self._second, self._text = 0, ""

    def now(self) -> str:
        second = int(time.time())
        if second != self._second:
            self._second, self._text = second, formatdate(second, usegmt=True)
        return self._text


_date = _Date()


def short_reply(status: int, headers: Pairs, body: bytes | bytearray) -> bytes | None:
    """The whole reply as it goes out, on a connection that stays open; None: not one for this."""
    phrase = PHRASES.get(status)
    if phrase is None or len(body) > SHORT:
        return None
    lines = [f"{name}: {value}" for name, value in headers]
    text = "\r\n".join(
        (f"HTTP/1.1 {status} {phrase}", *lines, f"Content-Length: {len(body)}", f"Date: {_date.now()}", LAST_LINE)
    )
    if text.count("\n") != len(lines) + ALSO or text.count("\r") != len(lines) + ALSO or not text.isascii():
        return None  # a value with a line break is aiohttp's to refuse
    return b"".join((text.encode("ascii"), body))


class HttpReply:
    """What the client is told: whole at once, or begun and written to."""

    _sent = _SentResponse()

    def __init__(self, request: web.BaseRequest) -> None:
        self._request = request
        self.task = asyncio.current_task()
        # What is done when the client hangs up before all is said; as it is, the handler is cancelled.
        self.on_disconnect: Callable[[], None] = self._cancel
        self.response: web.StreamResponse | None = None
        self.closing = False  # this connection ends with the reply

    @property
    def begun(self) -> bool:
        return self.response is not None

    async def whole(self, status: int, headers: Pairs, body: bytes | bytearray = b"") -> None:
        assert self.response is None
        if self._is_sent(status, headers, body):
            self.response = self._sent
            return
        response = web.Response(status=status, headers=self._headers(headers), body=bytes(body))
        self.response = response
        if self.closing:
            response.force_close()
        await response.prepare(self._request)
        await response.write_eof()

    def _is_sent(self, status: int, headers: Pairs, body: bytes | bytearray) -> bool:
        """A short reply to a client that reads what it gets: written as it is."""
        request, transport = self._request, self._request.transport
        if self.closing or not request.keep_alive or transport is None or transport.is_closing():
            return False
        whole = None if transport.get_write_buffer_size() else short_reply(status, headers, body)
        if whole is None:
            return False
        transport.write(whole)
        return True

    async def begin(self, status: int, headers: Pairs) -> None:
        assert self.response is None
        self.response = web.StreamResponse(status=status, headers=self._headers(headers))
        await self.response.prepare(self._request)

    async def write(self, data: bytes) -> None:
        """Waits while the client does not read."""
        assert self.response is not None
        await self.response.write(data)

    async def end(self) -> None:
        assert self.response is not None
        await self.response.write_eof()

    def _cancel(self) -> None:
        if self.task is not None:
            self.task.cancel()

    def abort(self) -> None:
        """The stream broke off, and the client is to see that it did."""
        transport = self._request.transport
        if transport is not None:
            transport.abort()

    def _headers(self, pairs: Pairs) -> CIMultiDict[str]:
        headers = CIMultiDict(pairs)
        headers["Server"] = "mcpgov"
        return headers


class ClientConnection(asyncio.Protocol):
    """One connection: aiohttp's own protocol behind it, with a clock for heads and a look at who is there."""

    def __init__(self, listener: LoopbackListener) -> None:
        self._listener = listener
        self._inner: web.RequestHandler = listener.server()
        self._loop = asyncio.get_running_loop()
        self._clock: asyncio.TimerHandle | None = None
        self._since = 0.0  # when the head that is still to come whole began; 0: none is
        self._busy = False
        self._transport: asyncio.Transport | None = None
        self.foreign = False
        self._full = False
        self.reply: HttpReply | None = None  # of the request that is under way
        self.accepted: RequestHead | None = None  # the latest that was checked

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._full = len(self._listener.gates) >= self._listener.limits.connections
        if self._full:
            transport.write(FULL)
            transport.close()
            return
        self._listener.gates.add(self)
        sock, peer, ours = (transport.get_extra_info(name) for name in ("socket", "peername", "sockname"))
        self.foreign = self._listener.is_foreign(sock.family, peer[:2], ours[:2], os.getuid())
        self._inner.connection_made(transport)
        self._start_clock()

    def data_received(self, data: bytes) -> None:
        if self._full:
            return
        if not self._busy and not self._since:
            self._start_clock()
        self._inner.data_received(data)

    def eof_received(self) -> None:
        """Half a connection is none: the client is taken to be gone."""

    def connection_lost(self, problem: Exception | None) -> None:
        self._stop_clock()
        if not self._full:
            self._listener.gates.discard(self)
            self._inner.connection_lost(problem)
            if self.reply is not None:
                self.reply.on_disconnect()

    def pause_writing(self) -> None:
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        self._inner.resume_writing()

    def request_begins(self, reply: HttpReply) -> None:
        self._busy, self.reply, self._since = True, reply, 0.0

    def request_ends(self) -> None:
        self._busy, self.reply = False, None

    def _start_clock(self) -> None:
        """One timer for many heads: it is not stopped by each, and looks what it was for when it rings."""
        self._since = self._loop.time()
        if self._clock is None:
            self._clock = self._loop.call_later(self._listener.limits.head, self._look)

    def _stop_clock(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def _look(self) -> None:
        """A busy loop may be late itself: what has come meanwhile is looked at before a client counts as too slow."""
        self._clock = None
        if self._since:
            left = self._left()
            wait, then = (left, self._look) if left > 0 else (GRACE, self._give_up)
            self._clock = self._loop.call_later(wait, then)

    def _give_up(self) -> None:
        if self._transport is not None and self._since and self._left() <= 0:
            self._clock = None
            self._transport.abort()
        else:
            self._look()

    def _left(self) -> float:
        """Seconds in which the head that has begun must be whole."""
        return self._since + self._listener.limits.head - self._loop.time()


class LoopbackListener:
    """Loopback sockets and the requests on them. `handle` gets every request that is acceptable as HTTP."""

    def __init__(self, handle: Handle, limits: Limits | None = None) -> None:
        self._handle = handle
        self.limits = limits or Limits()
        self.gates: set[ClientConnection] = set()
        self.is_foreign: Callable[[int, tuple[str, int], tuple[str, int], int], bool] = is_another_user
        self.hosts: frozenset[str] = frozenset()
        quiet = logging.getLogger("mcpgov.remote")
        quiet.disabled = True  # what breaks is answered, and told in counters
        self.server = web.Server(
            self._serve, handler_cancellation=False, logger=quiet, access_log=None, keepalive_timeout=KEEP_ALIVE,
            max_line_size=LARGEST_HEAD, max_field_size=LARGEST_HEAD, lingering_time=LINGER, auto_decompress=False,
        )  # fmt: skip
        self._servers: list[asyncio.Server] = []

    async def open(self, sockets: list[socket.socket], port: int) -> None:
        self.hosts = own_hosts(port)
        loop = asyncio.get_running_loop()
        for sock in sockets:
            self._servers.append(await loop.create_server(lambda: ClientConnection(self), sock=sock, backlog=1024))

    async def _serve(self, request: web.BaseRequest) -> web.StreamResponse:
        gate = request.transport.get_protocol() if request.transport is not None else None
        reply = HttpReply(request)
        if not isinstance(gate, ClientConnection):
            raise ConnectionResetError
        gate.request_begins(reply)
        try:
            head = RequestHead(request.method, request.raw_path, request.version, request.raw_headers)
            refused = self._checked(gate, head)
            if gate.foreign:
                await self._refuse(reply, 403, "another user's connection")
            elif refused is not None:
                await self._refuse(reply, refused.status, refused.why)
            else:
                await self._answer(HttpRequest(request, head, self.limits), reply)
        finally:
            gate.request_ends()
        assert reply.response is not None
        return reply.response

    def _checked(self, gate: ClientConnection, head: RequestHead) -> Refusal | None:
        """A client says the same with every request: that is looked at once."""
        before, gate.accepted = gate.accepted, head
        if before is not None and before.repeated_by(head):
            head.up, head.route = before.up, before.route
            return None
        refused = refusal(head, self.hosts)
        if refused is not None:
            gate.accepted = None
        return refused

    async def _answer(self, request: HttpRequest, reply: HttpReply) -> None:
        try:
            await self._handle(request, reply)
        except BodyRefused as refused:
            await self._refuse(reply, refused.status, refused.why)
        if not reply.begun:
            await self._refuse(reply, 500, "no answer")

    async def _refuse(self, reply: HttpReply, status: int, why: str) -> None:
        reply.closing = True
        await reply.whole(status, [("Content-Type", "text/plain; charset=utf-8")], f"mcpgov: {why}\n".encode())

    async def close(self, seconds: float) -> None:
        """No new connections; those that are open may finish within this time."""
        for server in self._servers:
            server.close()
        self.server.pre_shutdown()
        await self.server.shutdown(seconds)


def bind(port: int) -> list[socket.socket]:
    """Sockets on the loopback addresses: IPv4, and IPv6 where there is one. Raises OSError for the first."""
    found = [_bound(socket.AF_INET, ("127.0.0.1", port))]
    port = found[0].getsockname()[1]
    with contextlib.suppress(OSError):
        found.append(_bound(socket.AF_INET6, ("::1", port)))
    return found


def _bound(family: int, address: tuple[str, int]) -> socket.socket:
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        sock.bind(address)
        sock.listen(1024)
        sock.setblocking(False)
    except OSError:
        sock.close()
        raise
    return sock
