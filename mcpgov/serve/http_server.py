"""The HTTP listener: uvicorn, with what it leaves out. The only `uvicorn` in the house.

Laws: no head is longer than LARGEST_HEAD, however it comes; a connection that does not bring a whole head in time is
closed (slow loris); shutdown is graceful, for a few seconds.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from contextlib import closing
from http import HTTPStatus
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0
LARGEST_HEAD = 64 * 1024
MOST_CONNECTIONS = 1024
GRACE = 3  # seconds for what is under way
LINGER = 1.0  # seconds in which the rest of what was refused is thrown away
TOO_LONG = 431
NO_PASSWORD = "-"  # else OpenSSL asks the terminal for that of an encrypted key; a service has none
IDLE = 60  # seconds that a connection is kept for the next request


class MeasuredHeads(h11.Connection):
    """h11 measures heads and trailers only while they are not whole: those that come in one piece are measured here."""

    refusal = 400  # the status for what is no request

    def next_event(self) -> Any:
        before = len(self.trailing_data[0])
        try:
            event = super().next_event()
            taken = before - len(self.trailing_data[0])
            if taken > LARGEST_HEAD and not isinstance(event, h11.Data):
                raise h11.RemoteProtocolError("the head is too long", error_status_hint=TOO_LONG)
        except h11.RemoteProtocolError as problem:
            self.refusal = problem.error_status_hint
            raise
        return event


class BoundedHeads(H11Protocol):
    """Closes a connection whose next head, once it has begun, is not whole in time; the first one begins at once."""

    head_seconds = HEAD_SECONDS
    _deadline: asyncio.TimerHandle | None = None
    _refused = False

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.conn: MeasuredHeads = MeasuredHeads(h11.SERVER, LARGEST_HEAD)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._deadline = self.loop.call_later(self.head_seconds, self._late)

    def data_received(self, data: bytes) -> None:
        if not self._refused:
            super().data_received(data)
            self._watch_head()

    def _watch_head(self) -> None:
        if self._refused:
            return
        if self.conn.their_state is not h11.IDLE:
            self._stop_clock()
        elif self._deadline is None and self.conn.trailing_data[0]:
            self._deadline = self.loop.call_later(self.head_seconds, self._late)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_clock()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """For what is no request. What still comes is thrown away for a while, or the answer could not be read."""
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.abort()  # in the middle of an answer there is no place for another
            return
        self._refused = True
        if self.cycle is not None:  # whoever reads the body has nobody to answer
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self._stop_clock()
        self._unset_keepalive_if_required()
        status = self.conn.refusal
        headers = [(b"content-length", b"0"), (b"connection", b"close")]
        response = h11.Response(status_code=status, headers=headers, reason=HTTPStatus(status).phrase.encode("ascii"))
        for event in (response, h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self._deadline = self.loop.call_later(LINGER, self.transport.close)

    def _stop_clock(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _late(self) -> None:
        self._deadline = None
        if self.conn.their_state is h11.IDLE:
            self.transport.close()


class HttpServer(uvicorn.Server):
    """`app`: an ASGI application; it ends by a signal, or when `should_exit` is set.

    Raises OSError for a certificate or a key that cannot be used.
    """

    def __init__(self, app: Any, cert: str = "", key: str = "") -> None:
        logging.getLogger("uvicorn").setLevel(logging.CRITICAL)
        config = uvicorn.Config(
            app, lifespan="off", log_config=None, access_log=False, server_header=False, proxy_headers=False, ws="none",
            http=BoundedHeads, timeout_keep_alive=IDLE, timeout_graceful_shutdown=GRACE,
            limit_concurrency=MOST_CONNECTIONS, h11_max_incomplete_event_size=LARGEST_HEAD,
            ssl_certfile=cert or None, ssl_keyfile=key or None, loop="asyncio",
            ssl_keyfile_password=NO_PASSWORD,
        )  # fmt: skip
        config.load()
        super().__init__(config)


def bind(host: str, port: int) -> list[socket.socket]:
    """The sockets at this address; for `localhost` both loopback addresses. Raises OSError."""
    if host != "localhost":
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return [_bound(family, host, port)]
    first = _bound(socket.AF_INET, "127.0.0.1", port)
    try:
        return [first, _bound(socket.AF_INET6, "::1", first.getsockname()[1])]
    except OSError as error:
        if port and error.errno not in (99, 97, 49, 47):  # EADDRNOTAVAIL, EAFNOSUPPORT: there is no IPv6 here
            first.close()
            raise
        return [first]


def _bound(family: socket.AddressFamily, host: str, port: int) -> socket.socket:
    # Named by its protocol, or asyncio leaves TCP_NODELAY off: an answer of two writes then waits 40 ms.
    sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        sock.bind((host, port))
        sock.listen(512)
    except BaseException:
        with closing(sock):
            raise
    sock.setblocking(False)
    return sock
