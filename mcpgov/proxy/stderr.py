"""Standard error: the server's, passed on as it comes, and our own words between. Never waits for its reader."""

from __future__ import annotations

import posix
import select

from mcpgov.proxy.buffers import CHUNK, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

TAIL = 2000
KEPT = 8192  # more than is told, so that what is told does not begin in the middle of a secret
LAST_WORDS = 1 << 20
MOST_SHOWN = 1 << 18  # of lines that were no messages, while nobody reads
AT_ONCE = 4096  # what a pipe that is ready takes without waiting


class StderrRelay:
    """`fd`: the server's standard error, -1 once it is closed; `waiting`: bytes for ours, `out`."""

    __slots__ = ("_kept", "fd", "left_out", "out", "waiting")

    def __init__(self, fd: int, out: int = 2) -> None:
        self.fd = fd
        self.out = out
        self.waiting = b""
        self.left_out = 0
        self._kept = b""

    @property
    def has_room(self) -> bool:
        return len(self.waiting) < CHUNK

    def tail(self, hidden: Callable[[str], str]) -> bytes:
        """The server's last words, for those who ask why it is gone. They go on record: secrets are masked, and
        `hidden` takes out what the policy hides, before anything is cut off."""
        if not self._kept:
            return b""
        from mcpgov.core.audit.secrets import masked

        text = self._kept.decode("utf-8", "replace")
        return hidden(masked(text, len(text)) or text).encode("utf-8", "replace")[-TAIL:]

    def say(self, text: str) -> None:
        self.waiting += (text + "\n").encode("utf-8", "replace")

    def show(self, line: bytes | bytearray) -> None:
        """Something from the server that was no message. It is on record; here it has room while somebody reads."""
        if len(self.waiting) > MOST_SHOWN:
            self.left_out += 1
            return
        if self.left_out:
            self.say(f"mcpgov: {self.left_out} lines of the server are left out here")
            self.left_out = 0
        self.waiting += bytes(line[:CHUNK]) + b"\n"

    def listen(self) -> bool:
        """Take what the server says. True: there was something."""
        data = read(self.fd)
        if data:
            self._kept = (self._kept + data)[-KEPT:]
            self.waiting += data
        elif data is not None:
            posix.close(self.fd)
            self.fd = -1
        return bool(data)

    def listen_out(self) -> None:
        """What is left in the pipe; whoever still fills it is not heard to the end."""
        while self.fd >= 0 and len(self.waiting) < LAST_WORDS and self.listen():
            pass

    def speak(self) -> None:
        """Standard error may be shared, so it stays blocking: at most what a ready pipe takes at once."""
        if not self.waiting:
            return
        ready = select.poll()
        ready.register(self.out, select.POLLOUT)
        try:
            while self.waiting and ready.poll(0):
                self.waiting = self.waiting[posix.write(self.out, self.waiting[:AT_ONCE]) :]
        except BlockingIOError:
            return
        except OSError:
            self.waiting = b""
