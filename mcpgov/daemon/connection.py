"""One peer of the control socket: a request line in, a reply line out; or a proxy that stays.

Law: nothing here waits. Whoever has not said or taken what is due by `deadline` is dropped.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Callable

from mcpgov.daemon.control import LONGEST_REQUEST, PROTOCOL
from mcpgov.daemon.reactor import READ, WRITE, Reactor

PATIENCE = 5.0
MOST_WAITING = 32 * 1024 * 1024
LONGEST_LINE = 4096  # of a peer that stays


class Connection:
    """`pid` comes from the kernel, never from a message. deadline None: it may be silent."""

    def __init__(
        self,
        sock: socket.socket,
        pid: int,
        reactor: Reactor,
        serve: Callable[[dict[str, object], Connection], None],
        forget: Callable[[Connection], None],
        clock: Callable[[], float],
    ) -> None:
        self.pid = pid
        self.closed = False
        self.deadline: float | None = clock() + PATIENCE
        self._sock = sock
        self._reactor = reactor
        self._serve = serve
        self._forget = forget
        self._clock = clock
        self._in = bytearray()
        self._out = bytearray()
        self._asked = False
        self._ending = False
        self._hear: Callable[[bytes], None] | None = None
        self._gone: Callable[[], None] | None = None
        sock.setblocking(False)
        self._listen(READ)

    # --- for whoever serves

    def reply(self, fields: dict[str, object]) -> None:
        """The one answer; the connection ends with it."""
        self._ending = True
        self.send({"v": PROTOCOL, "ok": True, **fields})

    def decline(self, message: str, hint: str = "") -> None:
        self._ending = True
        self.send({"v": PROTOCOL, "ok": False, "error": message, "hint": hint})

    def keep(self, hear: Callable[[bytes], None], gone: Callable[[], None]) -> None:
        """It stays: further lines go to `hear`, its end to `gone`."""
        self._hear, self._gone = hear, gone
        self.deadline = None
        self.send({"v": PROTOCOL, "ok": True})

    def send(self, message: dict[str, object]) -> None:
        if self.closed:
            return
        self._out += json.dumps(message, default=str).encode("ascii") + b"\n"
        if len(self._out) > MOST_WAITING:
            self.close()
            return
        self._flush()

    def later(self, seconds: float) -> None:
        """The reply takes this long at most."""
        self.deadline = self._clock() + seconds

    def late(self) -> None:
        """The deadline has passed."""
        if not self._asked:
            self.decline("no whole request came in time")
        self.close()

    def close(self) -> None:
        if self.closed:
            return
        self.closed = True
        self._reactor.ignore(self._sock.fileno())
        self._sock.close()
        self._forget(self)
        if self._gone is not None:
            self._gone()

    # --- what comes and goes

    def _listen(self, events: int) -> None:
        self._reactor.listen(self._sock.fileno(), events, self._ready, "connection")

    def _ready(self, events: int) -> None:
        try:
            if events & WRITE:
                self._flush()
            if events & READ and not self.closed:
                self._read()
        except Exception:
            self.close()
            raise

    def _read(self) -> None:
        try:
            data = self._sock.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            self.close()
            return
        if not data and self._asked and self._hear is None:
            self._reactor.ignore(self._sock.fileno())  # it has said all; its reply is still to come
        elif not data:
            self.close()
        elif self._hear is not None:
            self._take_lines(data, self._hear)
        elif not self._asked:
            self._take_request(data)

    def _take_lines(self, data: bytes, hear: Callable[[bytes], None]) -> None:
        *lines, rest = (self._in + data).split(b"\n")
        self._in = bytearray(rest)
        if any(len(line) > LONGEST_LINE for line in (*lines, rest)):
            self.close()
            return
        for line in lines:
            hear(bytes(line))

    def _take_request(self, data: bytes) -> None:
        self._in += data
        line, end, rest = self._in.partition(b"\n")
        if len(line) > LONGEST_REQUEST:
            self._asked = True
            self.decline(f"the request is longer than {LONGEST_REQUEST} bytes")
        elif end:
            self._asked, self._in = True, rest
            self._answer(bytes(line))

    def _answer(self, line: bytes) -> None:
        try:
            request = json.loads(line)
        except (ValueError, RecursionError):
            request = None
        if not isinstance(request, dict):
            self.decline("the request is no JSON object")
        elif request.get("v") != PROTOCOL:
            said = json.dumps(request.get("v"))[:40]
            hint = "this mcpgov and the daemon are of different versions: mcpgov daemon restart"
            self.decline(f"protocol version {said} is not known here, {PROTOCOL} is", hint)
        else:
            self.later(PATIENCE)
            self._serve(request, self)

    def _flush(self) -> None:
        try:
            while self._out:
                del self._out[: self._sock.send(self._out)]
        except BlockingIOError:
            self.deadline = self._clock() + PATIENCE if self.deadline is None else self.deadline
            self._listen(READ | WRITE)
            return
        except OSError:
            self.close()
            return
        if self._ending:
            self.close()
        else:
            self.deadline = None if self._hear is not None else self.deadline
            self._listen(READ)
