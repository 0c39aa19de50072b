"""The loopback listener. The only server side of aiohttp.

Laws: what is refused is refused before its body is read, and the connection with it; nothing waits for a slow client
for ever; a client that hangs up cancels its handler. Nothing here knows MCP.
"""

from __future__ import annotations

import asyncio
import logging

from aiohttp import web
from multidict import CIMultiDict

from mcpgov.core.messages.wire import LARGE_LINE
from mcpgov.loopback.client_connection import ClientConnection
from mcpgov.loopback.peer_uid import is_another_user
from mcpgov.loopback.request_checks import LARGEST_HEAD, Limits, RequestHead, own_hosts, refusal
from mcpgov.loopback.short_reply import short_reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Awaitable, Callable, Sequence

    from mcpgov.loopback.request_checks import Refusal
    from mcpgov.loopback.short_reply import Pairs

    Handle = Callable[["HttpRequest", "HttpReply"], Awaitable[None]]

TEXT = ("Content-Type", "text/plain; charset=utf-8")
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
KEEP_ALIVE = 3600.0
LINGER = 1.0  # seconds in which the rest of a refused body is thrown away, so that the refusal can be read


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
            if len(whole) > self._limits.largest:  # in chunks, whose sum no header tells
                raise BodyRefused(413, "the body is too long")
            return whole
        content = self._request.content
        if self.head.get(b"expect") is not None and self._request.transport is not None:
            self._request.transport.write(CONTINUE)
        first, rest, loop = b"", None, asyncio.get_running_loop()
        end = loop.time() + self._limits.whole_body
        while True:
            try:
                async with asyncio.timeout_at(min(end, loop.time() + self._limits.body)):
                    data = await content.readany()
            except TimeoutError:
                raise BodyRefused(408, "the body does not come") from None
            except (web.RequestPayloadError, ConnectionError):
                raise BodyRefused(400, "the body is not whole") from None
            if not data:
                return first if rest is None else rest if len(rest) > LARGE_LINE else bytes(rest)
            if rest is None and not first and len(data) <= self._limits.largest:
                first = data
                continue
            rest = bytearray(first) if rest is None else rest
            rest += data
            if len(rest) > self._limits.largest:
                raise BodyRefused(413, "the body is too long")


class _SentResponse(web.StreamResponse):
    """Stands for a response that is on the transport already; nothing of it is one request's."""

    keep_alive = True

    async def prepare(self, request: web.BaseRequest) -> None:
        return None

    async def write_eof(self, data: bytes = b"") -> None:
        return None


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
    def body_was_read(self) -> bool:
        return self._request.content.is_eof()

    @property
    def begun(self) -> bool:
        return self.response is not None

    async def whole(self, status: int, headers: Pairs, body: bytes | bytearray = b"") -> None:
        assert self.response is None
        if self._try_short_reply(status, headers, body):
            self.response = self._sent
            return
        response = web.Response(status=status, headers=self._headers(headers), body=bytes(body))
        self.response = response
        if self.closing:
            response.force_close()
        await response.prepare(self._request)
        await response.write_eof()

    def _try_short_reply(self, status: int, headers: Pairs, body: bytes | bytearray) -> bool:
        """A short reply to a client that reads what it gets is written as it is. False: nothing was."""
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


class LoopbackListener:
    """Loopback sockets and the requests on them. `handle` gets every request that is acceptable as HTTP.

    `check`: why one is not, from its head and the names of this host. `headers`: what every refusal says besides.
    """

    def __init__(
        self,
        handle: Handle,
        limits: Limits | None = None,
        check: Callable[[RequestHead, frozenset[str]], Refusal | None] = refusal,
        headers: Sequence[tuple[str, str]] = (),
    ) -> None:
        self._handle, self._check, self._refusal_headers = handle, check, [TEXT, *headers]
        self.limits = limits or Limits()
        self.connections: set[ClientConnection] = set()
        self.is_foreign: Callable[[int, tuple[str, int], tuple[str, int], int], bool] = is_another_user
        self.hosts: frozenset[str] = frozenset()
        quiet = logging.getLogger("mcpgov.loopback")
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
        connection = request.transport.get_protocol() if request.transport is not None else None
        reply = HttpReply(request)
        if not isinstance(connection, ClientConnection):
            raise ConnectionResetError
        connection.request_begins(reply)
        try:
            head = RequestHead(request.method, request.raw_path, request.version, request.raw_headers)
            refused = self._checked(connection, head)
            if refused is not None:
                await self._refuse(reply, refused.status, refused.why)
            else:
                await self._answer(HttpRequest(request, head, self.limits), reply)
        finally:
            connection.request_ends()
        assert reply.response is not None
        return reply.response

    def _checked(self, connection: ClientConnection, head: RequestHead) -> Refusal | None:
        """A client says the same with every request: that is looked at once."""
        before, connection.accepted = connection.accepted, head
        if before is not None and before.repeated_by(head):
            head.upstream_headers, head.route = before.upstream_headers, before.route
            return None
        refused = self._check(head, self.hosts)
        if refused is not None:
            connection.accepted = None
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
        await reply.whole(status, self._refusal_headers, f"mcpgov: {why}\n".encode())

    async def close(self, seconds: float) -> None:
        """No new connections; those that are open may finish within this time."""
        for server in self._servers:
            server.close()
        self.server.pre_shutdown()
        await self.server.shutdown(seconds)
