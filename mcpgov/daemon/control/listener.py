"""The daemon's side of the control socket: accept, read one line, have it answered; keep what is to stay.

Laws: the directory is ours and private, so is the socket; a peer of another user is not heard; nobody who is slow,
silent or talkative holds up anybody else. A live socket is never taken over.
"""

from __future__ import annotations

import errno
import os
import socket
import stat
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from mcpgov.daemon.control.connection import Connection
from mcpgov.daemon.log import Log
from mcpgov.daemon.reactor import READ, Reactor
from mcpgov.errors import McpgovError, UnsafeFileError
from mcpgov.host import private_directory
from mcpgov.peer_credentials import peer_credentials

BACKLOG = 128
MOST_OPEN = 512
MOST_HELD = 64 * 1024 * 1024  # bytes of lines that have not ended yet, of all peers together
NO_ROOM = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
LOOK = 30.0  # seconds between two looks at whether the socket is still in its place
_BUSY = 0.5  # how long a live daemon may take to let us in


@dataclass(eq=False)
class Listener:
    """`serve` gets each request with its connection, and sees to the reply."""

    _path: Path
    _reactor: Reactor
    _log: Log
    _serve: Callable[[dict[str, object], Connection], None]
    _clock: Callable[[], float] = time.monotonic
    _sock: socket.socket | None = field(default=None, init=False)
    _place: tuple[int, int] = field(default=(0, 0), init=False)
    _open: set[Connection] = field(default_factory=set, init=False)
    _looked: float = field(default=0.0, init=False)
    _rest: float = field(default=0.0, init=False)  # no descriptors left: nobody is let in until then

    def open(self) -> None:
        """Listen. Raises McpgovError where another daemon does, UnsafeFileError where the place is not ours alone."""
        private_place(self._path.parent)
        clear_stale(self._path)
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        before = os.umask(0o177)
        try:
            sock.bind(os.fspath(self._path))
        except OSError as error:
            sock.close()
            raise McpgovError(f"cannot listen on `{self._path}`: {(error.strerror or str(error)).lower()}") from None
        finally:
            os.umask(before)
        sock.listen(BACKLOG)
        sock.setblocking(False)
        self._sock = sock
        self._place = _place(self._path)
        self._looked = self._clock()
        self._reactor.listen(sock.fileno(), READ, self._accept, "control socket")

    def _accept(self, _events: int) -> None:
        assert self._sock is not None
        try:
            sock, _ = self._sock.accept()
        except OSError as error:
            if error.errno in NO_ROOM:
                self._log.warning("no room for connections", problem=error.strerror)
                self._reactor.ignore(self._sock.fileno())
                self._rest = self._clock() + 1.0
            return
        try:
            pid, uid = peer_credentials(sock)
        except OSError:
            pid, uid = 0, -1
        if uid != os.geteuid() or self._counted() >= MOST_OPEN:
            self._log.warning("connection refused", uid=uid, pid=pid, open=len(self._open))
            sock.close()
            return
        self._open.add(Connection(sock, pid, self._reactor, self._serve, self._open.discard, self._clock, self._room))

    def _counted(self) -> int:
        return sum(connection.counted for connection in self._open)

    def _room(self) -> bool:
        return sum(connection.held for connection in self._open) <= MOST_HELD

    def due(self) -> float | None:
        ends = [*self._deadlines(), self._looked + LOOK, *([self._rest] if self._rest else [])]
        return min(ends) - self._clock()

    def work(self) -> None:
        """Time has passed: late peers are dropped, and the socket is put back where somebody took it away."""
        now = self._clock()
        for connection in [c for c in self._open if c.deadline is not None and c.deadline <= now]:
            connection.late()
        if self._rest and self._rest <= now and self._sock is not None:
            self._rest = 0.0
            self._reactor.listen(self._sock.fileno(), READ, self._accept, "control socket")
        if now - self._looked >= LOOK:
            self._looked = now
            if _place(self._path) != self._place:
                self._log.warning("socket lost", path=str(self._path))
                self._shut()
                self.open()

    def _deadlines(self) -> Iterable[float]:
        return (connection.deadline for connection in self._open if connection.deadline is not None)

    def close(self) -> None:
        """What is still to be said has its last chance; the socket goes, unless it is another's by now."""
        for connection in list(self._open):
            connection.close()
        ours = self._sock is not None and _place(self._path) == self._place
        self._shut()
        if ours:
            self._path.unlink(missing_ok=True)

    def _shut(self) -> None:
        if self._sock is not None:
            self._reactor.ignore(self._sock.fileno())
            self._sock.close()
            self._sock = None


def private_place(directory: Path) -> None:
    """The directory is there, is no link, is ours, and nobody else may enter it."""
    private_directory(str(directory))
    try:
        fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        raise UnsafeFileError(f"`{directory}` is no directory of ours: {(error.strerror or '').lower()}") from None
    try:
        found = os.fstat(fd)
        if found.st_uid != os.geteuid():
            raise UnsafeFileError(
                f"`{directory}` belongs to another user", hint="remove it, or set another state place"
            )
        if stat.S_IMODE(found.st_mode) != 0o700:
            os.fchmod(fd, 0o700)
    finally:
        os.close(fd)


def clear_stale(path: Path) -> None:
    """Take away a socket nobody listens on. INVARIANT: a live one is never touched, and nothing that is no socket."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found.st_mode):
        raise UnsafeFileError(f"`{path}` is in the way and is no socket", hint="move it away")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        sock.settimeout(_BUSY)
        try:
            sock.connect(os.fspath(path))
        except ConnectionRefusedError:
            path.unlink(missing_ok=True)
            return
        except OSError as error:
            if error.errno == errno.ENOENT:
                return
    raise McpgovError(f"another process listens on `{path}`", hint="mcpgov status")


def _place(path: Path) -> tuple[int, int]:
    try:
        found = path.lstat()
    except OSError:
        return 0, 0
    return found.st_dev, found.st_ino
