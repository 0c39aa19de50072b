"""The child process that compiles a policy. This module is loaded when the first child is needed."""

from __future__ import annotations

import posix
import select
import time

TIMEOUT = 20.0  # seconds
SIGKILL = 9


class Compiler:
    """One running child. `fd`: its standard error, where it writes errors. Raises OSError if it cannot be started."""

    def __init__(self, command: list[str]) -> None:
        read, write = posix.pipe()
        actions = [(posix.POSIX_SPAWN_OPEN, 0, "/dev/null", posix.O_RDONLY, 0), (posix.POSIX_SPAWN_DUP2, write, 2),
                   (posix.POSIX_SPAWN_OPEN, 1, "/dev/null", posix.O_WRONLY, 0)]  # fmt: skip
        try:
            self.pid = posix.posix_spawn(command[0], command, posix.environ, file_actions=actions, setsigmask=())
        except OSError:
            posix.close(read)
            raise
        finally:
            posix.close(write)
        self.fd = read
        self.deadline = time.monotonic() + TIMEOUT
        self._output = b""

    def ready(self) -> bool:
        """Has it written something, or run out of time?"""
        poll = select.poll()
        poll.register(self.fd, select.POLLIN)
        return bool(poll.poll(0)) or time.monotonic() >= self.deadline

    def read(self) -> str | None:
        """Its error message once it has ended or run out of time, "" for success; None: it is still running."""
        if time.monotonic() >= self.deadline:
            self.kill()
            return f"compiling the policy took more than {TIMEOUT:.0f} seconds"
        data = posix.read(self.fd, 65536)
        if data:
            self._output = (self._output + data)[:4096]
            return None
        if self._end() == 0:
            return ""
        error = self._output.decode("utf-8", "replace").strip().removeprefix("mcpgov: ")
        return error or "the policy cannot be compiled"

    def kill(self) -> None:
        posix.kill(self.pid, SIGKILL)
        self._end()

    def _end(self) -> int:
        posix.close(self.fd)
        return posix.waitpid(self.pid, 0)[1]
