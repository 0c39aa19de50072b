"""The child that compiles a policy, with the whole package in it. Loaded when the first one is needed."""

from __future__ import annotations

import posix
import select
import time

LONGEST = 20.0  # seconds that compiling may take
KILL = 9


class Compiler:
    """One child at work. `fd`: its standard error, where it complains. Raises OSError if it cannot be started."""

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
        self.deadline = time.monotonic() + LONGEST
        self._told = b""

    def ready(self) -> bool:
        """Has it something to tell, or no time left?"""
        poll = select.poll()
        poll.register(self.fd, select.POLLIN)
        return bool(poll.poll(0)) or time.monotonic() >= self.deadline

    def read(self) -> str | None:
        """Its complaint once it has ended or its time is over, "" for none; None: it goes on."""
        if time.monotonic() >= self.deadline:
            self.kill()
            return f"compiling the policy took more than {LONGEST:.0f} seconds"
        data = posix.read(self.fd, 65536)
        if data:
            self._told = (self._told + data)[:4096]
            return None
        if self._end() == 0:
            return ""
        return self._told.decode("utf-8", "replace").strip().removeprefix("mcpgov: ") or "the policy cannot be compiled"

    def kill(self) -> None:
        posix.kill(self.pid, KILL)
        self._end()

    def _end(self) -> int:
        posix.close(self.fd)
        return posix.waitpid(self.pid, 0)[1]
