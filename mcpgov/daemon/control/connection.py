"""One peer of the control socket: a request line in, one answer or many out; or a proxy that stays linked.

Laws: nothing here waits. Whoever has not said or taken what is due by `deadline` is dropped; who does not read what
is sent is not read from either.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Callable

from mcpgov.daemon.control import line_client
from mcpgov.daemon.control.line_client import LONGEST_LINE, PROTOCOL
from mcpgov.daemon.reactor import READ, WRITE, Reactor

PATIENCE = 5.0
HIGH_WATER = 256 * 1024  # bytes not yet taken by the peer, above which senders should hold back
MOST_WAITING = 2 * LONGEST_LINE  # above which the peer is dropped
PIECE = 65536


class Connection:
    """`pid` comes from the kernel, never from a message. deadline None: the peer may be silent.

    `counted`: among the connections that the listener has room for; a session of the remote service is not.
    """

    link = 0  # what comes over a link is a LinkCall's

    def __init__(
        self,
        sock: socket.socket,
        pid: int,
        reactor: Reactor,
        serve: Callable[[dict[str, object], Connection], None],
        forget: Callable[[Connection], None],
        clock: Callable[[], float],
        room: Callable[[], bool] = lambda: True,
    ) -> None:
        """`room`: whether there is memory left for long lines that have not ended."""
        self.pid = pid
        self.closed = False
        self.counted = True
        self.deadline: float | None = clock() + PATIENCE
        self._sock = sock
        self._reactor = reactor
        self._serve = serve
        self._forget = forget
        self.clock = clock
        self._room = room
        self._in = bytearray()
        self._out = bytearray()
        self._asked = False
        self._ending = False
        self._held_back = False  # senders were told to hold back
        self._lasting = False  # a stream or a link: no deadline but for what it does not take
        self._hear: Callable[[bytes], None] | None = None
        self._left: Callable[[], None] | None = None
        self._drained: Callable[[], None] | None = None
        sock.setblocking(False)
        self._listen(READ)

    # --- for whoever serves

    @property
    def held(self) -> int:
        """Bytes of a line that has not ended yet."""
        return len(self._in)

    @property
    def full(self) -> bool:
        return len(self._out) > HIGH_WATER

    def reply(self, fields: dict[str, object]) -> None:
        """The one answer; the connection ends with it."""
        self._finish({"v": PROTOCOL, "ok": True, **fields})

    def decline(self, message: str, hint: str = "", code: str = "") -> None:
        self._finish({"v": PROTOCOL, "ok": False, "error": message, "hint": hint, "code": code})

    def item(self, fields: dict[str, object]) -> None:
        """One answer of many."""
        if not self.send({"v": PROTOCOL, "ok": True, "item": fields}):
            self.decline(f"an answer is longer than {LONGEST_LINE} bytes", code=line_client.TOO_LONG)

    def end(self) -> None:
        """There are no more answers."""
        self._finish({"v": PROTOCOL, "ok": True, "end": True})

    def hold(self, seconds: float | None, left: Callable[[], None], drained: Callable[[], None]) -> None:
        """The answer comes within so many seconds; None: many answers, at any time. `left`: the peer went first."""
        self._left, self._drained = left, drained
        self._lasting = seconds is None
        self.deadline = None if seconds is None else self.clock() + seconds

    def keep(self, hear: Callable[[bytes], None], gone: Callable[[], None]) -> None:
        """A link: further lines go to `hear`, its end to `gone`."""
        self._hear = hear
        self.hold(None, gone, lambda: None)
        self.send({"v": PROTOCOL, "ok": True})

    def send(self, message: dict[str, object]) -> bool:
        """Send one line. False: it is longer than any line may be, and was not sent."""
        line = json.dumps(message, default=str).encode("ascii") + b"\n"
        if len(line) > LONGEST_LINE:
            return False
        if not self.closed:
            self._out += line
            if len(self._out) > MOST_WAITING:
                self.close()
            else:
                self._flush()
        return True

    def late(self) -> None:
        """The deadline has passed."""
        if not self._asked:
            self.decline("no whole request came in time", code=line_client.TIMEOUT)
        elif not self._out:
            self.decline("no answer came in time", code=line_client.TIMEOUT)
        self.close()

    def close(self) -> None:
        if self.closed:
            return
        self.closed = True
        self._reactor.ignore(self._sock.fileno())
        self._sock.close()
        self._forget(self)
        if self._left is not None:
            self._left()

    # --- what comes and goes

    def _finish(self, message: dict[str, object]) -> None:
        self._ending, self.deadline = True, self.clock() + PATIENCE
        if not self.send(message):
            self.decline(f"the answer is longer than {LONGEST_LINE} bytes", code=line_client.TOO_LONG)

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
            data = self._sock.recv(PIECE)
        except BlockingIOError:
            return
        except OSError:
            self.close()
            return
        if not data and self._asked and self._left is None:
            self._reactor.ignore(self._sock.fileno())  # it has said all; its reply is still to come
        elif not data:
            self.close()
        elif not self._asked or self._hear is not None:
            self._take(data)

    def _take(self, data: bytes) -> None:
        """Whole lines out of what has come; a line that is too long ends it, in words where nothing was asked yet."""
        start = len(self._in)
        self._in += data
        while not self.closed and (end := self._in.find(b"\n", start)) >= 0:
            line, start = bytes(self._in[:end]), 0
            del self._in[: end + 1]
            if len(line) > LONGEST_LINE:
                self._too_long()
                return
            if not self._line(line):
                return
        if len(self._in) > LONGEST_LINE and not self.closed:
            self._too_long()
        elif len(self._in) > PIECE and not self._room() and not self.closed:
            self._asked = True
            self.decline("too many long requests at once", code=line_client.BUSY)
            self.close()

    def _line(self, line: bytes) -> bool:
        """One line; False: no further one is heard."""
        if self._hear is not None:
            self._hear(line)
            return True
        self._asked = True
        self._answer(line)
        return self._hear is not None

    def _too_long(self) -> None:
        if self._asked:
            self.close()
        else:
            self._asked = True
            self.decline(f"the request is longer than {LONGEST_LINE} bytes", code=line_client.TOO_LONG)

    def _answer(self, line: bytes) -> None:
        try:
            request = json.loads(line)
        except (ValueError, RecursionError):
            request = None
        if not isinstance(request, dict):
            self.decline("the request is no JSON object", code=line_client.WRONG)
        elif request.get("v") != PROTOCOL:
            said = json.dumps(request.get("v"))[:40]
            hint = f"this mcpgov and the daemon are of different versions: {line_client.RESTART}"
            self.decline(f"protocol version {said} is not known here, {PROTOCOL} is", hint, line_client.VERSION)
        else:
            self.deadline = self.clock() + PATIENCE
            self._serve(request, self)

    def _flush(self) -> None:
        before = len(self._out)
        try:
            while self._out:
                del self._out[: self._sock.send(self._out)]
        except BlockingIOError:
            # Whoever takes something of a stream now and then may be slow.
            if self.deadline is None or (self._lasting and len(self._out) < before):
                self.deadline = self.clock() + PATIENCE
            self._held_back = self._held_back or self.full
            self._listen(WRITE if self.full else READ | WRITE)
            return
        except OSError:
            self.close()
            return
        if self._ending:
            self.close()
            return
        self.deadline = None if self._lasting else self.deadline
        self._listen(READ)
        if self._held_back and self._drained is not None:
            self._held_back = False
            self._drained()
