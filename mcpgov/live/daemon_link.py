"""A word to the daemon: which proxy this is, and on request how it does.

Laws: the proxy never depends on it. Nothing here waits, every failure is silence, and nothing is loaded or asked
unless there is a socket. Whoever listens is told nothing unless it is of our own user.
"""

from __future__ import annotations

import posix

from mcpgov import __version__
from mcpgov.core.json.values import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Callable

PROTOCOL = 1
AGAIN = 5.0  # seconds between two tries
LONGEST = 65536
MOST_UNSENT = 4 * 1024 * 1024
COUNTERS = b'{"op":"counters"', b'{"op": "counters"'


class DaemonLink:
    """`fd` is -1 while nobody listens. `counters` gives the answer to the question that every proxy is asked.

    `hear` gets every other line of the daemon, and None when the link is lost; it stays unset in a proxy that asks
    nothing (daemon_calls.py sets it). While `unsent` holds something, `writable` is to be called when it may go out.
    """

    __slots__ = ("_counters", "_held", "_hello", "_path", "_sock", "_tried", "fd", "hear", "unsent")

    def __init__(self, path: str, hello: dict[str, object], counters: Callable[[], dict[str, object]]) -> None:
        self.fd = -1
        self._path = path
        self._hello = hello
        self._counters = counters
        self._sock: socket | None = None
        self._held = b""
        self._tried = -AGAIN
        self.hear: Callable[[bytes | None], None] | None = None
        self.unsent = b""

    def fileno(self) -> int:
        return self.fd

    def retry(self, now: float) -> bool:
        """Connect where that is not done and was not tried just now; `now` is any clock that only goes forward.

        True: there is a descriptor to listen to that was not there before.
        """
        if self.fd >= 0 or not self._path or now - self._tried < AGAIN:
            return False
        self._tried = now
        try:
            posix.stat(self._path)  # without a daemon this is all it costs
            self._connect()
        except Exception:
            self.drop()
        return self.fd >= 0

    def retry_now(self) -> bool:
        """The same for somebody who needs it now."""
        self._tried = -AGAIN
        return self.retry(0.0)

    def _connect(self) -> None:
        import _socket

        from mcpgov.peer_credentials import peer_credentials

        sock = self._sock = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        sock.setblocking(False)
        sock.connect(self._path)
        if peer_credentials(sock)[1] != posix.geteuid():
            raise OSError
        hello = dumps({"v": PROTOCOL, "op": "register", "version": __version__, **self._hello})
        self._send(hello)
        self.fd = sock.fileno()

    def readable(self) -> None:
        """Something came, or the daemon went. Afterwards `fd` may be -1."""
        try:
            assert self._sock is not None
            data = self._sock.recv(LONGEST)
            *lines, self._held = (self._held + data).split(b"\n")
            if not data or len(self._held) > LONGEST:
                self.drop()
                return
            for line in lines:
                if line.startswith(COUNTERS):
                    self._send(dumps(self._counters()))
                elif self.hear is not None:
                    self.hear(line)
            self.writable()
        except BlockingIOError:
            return
        except Exception:
            self.drop()

    def _send(self, text: str) -> None:
        """All of it or nothing more: what does not fit into the socket's buffer is not worth a wait."""
        raw = text.encode("ascii") + b"\n"
        if self.unsent:
            self.unsent += raw  # a line may not begin inside another
        elif self._sock is None or self._sock.send(raw) != len(raw):
            raise OSError

    def send(self, text: str) -> bool:
        """A line of our own. False: nobody listens, or does not take what was sent before."""
        raw = text.encode("ascii") + b"\n"
        if self.fd < 0 or len(self.unsent) + len(raw) > MOST_UNSENT:
            return False
        self.unsent += raw
        self.writable()
        return self.fd >= 0

    def writable(self) -> None:
        """Send what is left to send, as far as it goes."""
        try:
            while self.unsent and self._sock is not None:
                self.unsent = self.unsent[self._sock.send(self.unsent) :]
        except BlockingIOError:
            return
        except OSError:
            self.drop()

    def drop(self) -> None:
        lost = self.fd >= 0
        self.fd, self._held, self.unsent = -1, b"", b""
        sock, self._sock = self._sock, None
        if lost and self.hear is not None:
            self.hear(None)
        if sock is not None:
            try:
                sock.close()
            except OSError:
                return
