"""One connection of a client, in front of aiohttp's own protocol.

Laws: another user's connection is refused before a byte of it is read; a head that is not whole in time, or is still
none after MOST_WAITING bytes, ends the connection. How long a whole head may be is checked in request_checks.py.
"""

from __future__ import annotations

import asyncio
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.loopback.listener import HttpReply, LoopbackListener
    from mcpgov.loopback.request_checks import RequestHead

GRACE = 0.5  # seconds
# Bytes that may come before a request is seen in them: its head, and what was read with it of its body.
MOST_WAITING = 1024 * 1024


def _closing_reply(status: str, why: str) -> bytes:
    body = f"mcpgov: {why}\n"
    head = f"HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nConnection: close\r\nContent-Length: {len(body)}"
    return f"{head}\r\n\r\n{body}".encode("ascii")


FULL = _closing_reply("503 Service Unavailable", "too many connections")
FOREIGN = _closing_reply("403 Forbidden", "another user's connection")
LONG_HEAD = _closing_reply("431 Request Header Fields Too Large", "the head is too long")


class ClientConnection(asyncio.Protocol):
    def __init__(self, listener: LoopbackListener) -> None:
        self._listener = listener
        self._inner: asyncio.Protocol = listener.server()  # reads what is not refused here
        self._loop = asyncio.get_running_loop()
        self._clock: asyncio.TimerHandle | None = None
        self._since = 0.0  # when the head that is still to come whole began; 0: none is
        self._waiting = 0  # bytes that have come since then
        self._busy = False
        self._transport: asyncio.Transport | None = None
        self._refused = False  # nothing more is read
        self.reply: HttpReply | None = None  # of the request that is under way
        self.accepted: RequestHead | None = None  # the latest that was checked

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        if len(self._listener.connections) >= self._listener.limits.connections:
            self._refuse(FULL)
            return
        sock, peer, ours = (transport.get_extra_info(name) for name in ("socket", "peername", "sockname"))
        if self._listener.is_foreign(sock.family, peer[:2], ours[:2], os.getuid()):
            self._refuse(FOREIGN)
            return
        self._listener.connections.add(self)
        self._inner.connection_made(transport)
        self._start_clock()

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return
        if not self._busy:
            if not self._since:
                self._start_clock()
            self._waiting += len(data)
            if self._waiting > MOST_WAITING:
                self._refuse(LONG_HEAD)
                return
        self._inner.data_received(data)

    def _refuse(self, answer: bytes) -> None:
        assert self._transport is not None
        self._refused = True
        self._transport.write(answer)
        self._transport.close()

    def eof_received(self) -> None:
        """Half a connection is none: the client is taken to be gone."""

    def connection_lost(self, problem: Exception | None) -> None:
        self._stop_clock()
        if self in self._listener.connections:
            self._listener.connections.discard(self)
            self._inner.connection_lost(problem)
            if self.reply is not None:
                self.reply.on_disconnect()

    def pause_writing(self) -> None:
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        self._inner.resume_writing()

    def request_begins(self, reply: HttpReply) -> None:
        self._busy, self.reply, self._since, self._waiting = True, reply, 0.0, 0

    def request_ends(self) -> None:
        if self.reply is not None and not self.reply.body_was_read:
            self._waiting = -self._listener.limits.largest  # what is left of the body comes before the next head
        self._busy, self.reply = False, None

    def _start_clock(self) -> None:
        """One timer for many heads: it is not stopped by each, and looks what it was for when it rings."""
        self._since = self._loop.time()
        if self._clock is None:
            self._clock = self._loop.call_later(self._listener.limits.head, self._check_time)

    def _stop_clock(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def _check_time(self) -> None:
        """A busy loop may be late itself: what has come meanwhile is looked at before a client counts as too slow."""
        self._clock = None
        if self._since:
            left = self._seconds_left()
            wait, then = (left, self._check_time) if left > 0 else (GRACE, self._close_if_late)
            self._clock = self._loop.call_later(wait, then)

    def _close_if_late(self) -> None:
        if self._transport is not None and self._since and self._seconds_left() <= 0:
            self._clock = None
            self._transport.abort()
        else:
            self._check_time()

    def _seconds_left(self) -> float:
        """Seconds in which the head that has begun must be whole."""
        return self._since + self._listener.limits.head - self._loop.time()
