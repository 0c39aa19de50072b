"""Bytes in, lines out, and bytes out without ever waiting. One buffer per direction, no second copy of a large line."""

from __future__ import annotations

import posix

TYPE_CHECKING = False
if TYPE_CHECKING:
    Line = bytes | bytearray

CHUNK = 1 << 16
HIGH_WATER = 1 << 20
LARGE = 1 << 20


class LineBuffer:
    """Cuts a byte stream into lines. A line over the limit is thrown away and told as its length."""

    __slots__ = ("_buffer", "_limit", "held")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._buffer = bytearray()
        self.held = 0  # the length of the line that is not complete yet; over the limit nothing is kept of it

    def feed(self, data: bytes) -> list[bytes | bytearray | int]:
        """The lines this completes, without their LF; a number stands for a line that was too long."""
        out: list[bytes | bytearray | int] = []
        if not self.held and data.endswith(b"\n") and len(data) <= self._limit:
            return data[:-1].split(b"\n")  # type: ignore[return-value]
        start = 0
        while True:
            end = data.find(b"\n", start)
            if end < 0:
                self._hold(data[start:] if start else data)
                return out
            out.append(self._finish(data[start:end]))
            start = end + 1
            if start == len(data):
                return out

    def _hold(self, piece: bytes) -> None:
        self.held += len(piece)
        if self.held <= self._limit:
            self._buffer += piece
        elif self._buffer:
            self._buffer = bytearray()

    def _finish(self, piece: bytes) -> bytes | bytearray | int:
        if not self.held and len(piece) <= self._limit:
            return piece
        self._hold(piece)
        size, self.held = self.held, 0
        if size > self._limit:
            return size
        line, self._buffer = self._buffer, bytearray()
        return line

    def rest(self) -> bytes:
        """What stands behind the last LF."""
        left, self._buffer, self.held = bytes(self._buffer), bytearray(), 0
        return left


def read(fd: int) -> bytes | None:
    """What is there: nothing at the end or where reading fails, None where there is nothing yet."""
    try:
        return posix.read(fd, CHUNK)
    except BlockingIOError:
        return None
    except OSError:
        return b""


def joined(sent: list[Line]) -> Line:
    """Messages as lines; a single large one is not copied."""
    if len(sent) == 1:
        part = sent[0]
        if part.endswith(b"\n"):
            return part
        if isinstance(part, bytearray):
            part += b"\n"
            return part
        return part + b"\n"
    return b"".join([part if part.endswith(b"\n") else part + b"\n" for part in sent])


class WriteBuffer:
    """A queue in front of a file descriptor that may be full. `size`: bytes that wait; -1 once nobody reads."""

    __slots__ = ("_at", "_queue", "closing", "fd", "size")

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.size = 0
        self.closing = False
        self._queue: list[bytes | bytearray] = []
        self._at = 0

    @property
    def broken(self) -> bool:
        return self.size < 0

    def send_lines(self, sent: list[Line]) -> None:
        """Messages as lines, at once. A single large one is not copied for its end's sake."""
        if len(sent) == 1 and isinstance(sent[0], bytes) and len(sent[0]) > LARGE:
            self.send(sent[0])
            self.send(b"\n")
        else:
            self.send(joined(sent))

    def send(self, data: bytes | bytearray) -> bool:
        """Write at once if nothing waits; keep what does not fit. True: nothing is left to do."""
        if not self.size:
            try:
                done = posix.write(self.fd, data)
            except BlockingIOError:
                done = 0
            except OSError:
                self.size = -1
                return False
            if done == len(data):
                return True
            self._at = done
        if self.size >= 0:
            self._queue.append(data)
            self.size += len(data)
        return False

    def flush(self) -> bool:
        """Write what fits. True: nothing is left waiting."""
        queue, moves = self._queue, False
        while queue:
            # Small ones go together, but only once something goes at all.
            if moves and len(queue) > 1 and len(queue[0]) < CHUNK:
                queue[:256] = [b"".join(queue[:256])]
            view = memoryview(queue[0])
            try:
                while self._at < len(view):
                    self._at += posix.write(self.fd, view[self._at :])
            except BlockingIOError:
                return False
            except OSError:
                self.size = -1
                return True
            finally:
                view.release()
                if self.size < 0:
                    queue.clear()
            self.size -= len(queue[0])
            self._at, moves = 0, True
            del queue[0]
        return True

    def close(self) -> None:
        if self.fd >= 0:
            posix.close(self.fd)
            self.fd = self.size = -1
