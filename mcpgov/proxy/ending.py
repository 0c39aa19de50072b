"""How a conversation ends: the server gets a second, then SIGTERM, then SIGKILL.

Law: two seconds after the end began nothing of the server's process group is left. SDK clients kill us at two.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` itself costs an enum at every start
import posix
import time

POLITE, FIRM, DONE = 1.0, 1.6, 1.9  # seconds after the end began: SIGTERM, SIGKILL, leave
DRAIN = 0.2  # how long a dead server's pipe may still be held open by its children
FLUSH = 0.3  # how long the last bytes may take


class Ending:
    """The end of one server: begun or not, and how far."""

    __slots__ = ("_asked", "died", "near", "parted", "pid", "since", "status")

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.status: int | None = None
        self.since = 0.0
        self.died = 0.0
        self.near = False  # begun, or the server is dead: time matters from now on
        self.parted = False  # the client is gone, or has told us to go
        self._asked = False

    def begin(self) -> None:
        """The server has nobody to talk to, or no longer listens or speaks: it has a second to end by itself."""
        if not self.since:
            self.since = time.monotonic()
            self.near = True

    def part(self) -> None:
        """The client is gone: from now on every moment counts."""
        self.parted = True
        self.begin()

    def put_off(self) -> None:
        """A dead server's last words wait for a client that is slow to read: that time does not count."""
        if self.died:
            self.died = time.monotonic()

    def hurry(self) -> None:
        """The conversation cannot go on: SIGTERM now."""
        self.begin()
        self.since = min(self.since, time.monotonic() - POLITE)

    def pass_on(self, number: int) -> None:
        """A signal for us is one for the server."""
        self.part()
        self._asked = True
        self.kill(number)

    def pass_time(self) -> None:
        if not self.since:
            return
        passed = time.monotonic() - self.since
        if passed >= FIRM:
            self.kill(_signal.SIGKILL)
            self.reap()
        elif passed >= POLITE and not self._asked:
            self._asked = True
            self.kill(_signal.SIGTERM)

    def kill(self, number: int) -> None:
        """The whole group: `npx` -> `sh` -> `node`."""
        try:
            posix.killpg(self.pid, number)
        except OSError:
            return  # nobody is left in it

    def reap(self) -> None:
        if self.status is not None:
            return
        try:
            pid, status = posix.waitpid(self.pid, posix.WNOHANG)
        except ChildProcessError:
            pid, status = self.pid, 0
        if pid:
            self.status = status
            self.died = time.monotonic()
            self.near = True

    def limit(self) -> float:
        """When to leave even though the server's output is still open; 0.0: not in sight."""
        if self.status is None:
            return self.since + DONE if self.since else 0.0
        # Its children may still have answers: they get the second that the server would have had.
        return max(self.died, self.since + POLITE if self.since else 0.0) + DRAIN

    def finished(self, *, speaks: bool) -> bool:
        """May we leave? `speaks`: somebody still holds the server's output open."""
        if self.status is not None and not speaks:
            return True
        limit = self.limit()
        return bool(limit) and time.monotonic() >= limit

    def due(self) -> list[float]:
        """The moments at which something is to be done."""
        if not self.near:
            return []
        steps = [self.since + seconds for seconds in (POLITE, FIRM)] if self.since else []
        return [*steps, self.limit()] if self.limit() else steps

    def flush_until(self) -> float:
        now = time.monotonic()
        return min(now + FLUSH, max(now, self.since + DONE)) if self.parted else now + POLITE

    def obituary(self, tail: bytes) -> str:
        """What became of the server, with its last words."""
        if self.status is None:
            how = "the server did not end"
        elif posix.WIFSIGNALED(self.status):
            how = f"the server was ended by signal {posix.WTERMSIG(self.status)}"
        else:
            how = f"the server ended with status {posix.WEXITSTATUS(self.status)}"
        lines = tail.decode("utf-8", "replace").strip().splitlines()[-5:]
        return how + (": " + " | ".join(lines) if lines else "")

    def exit_status(self) -> int:
        """As a shell tells it."""
        if self.status is None:
            return 1
        return 128 + posix.WTERMSIG(self.status) if posix.WIFSIGNALED(self.status) else posix.WEXITSTATUS(self.status)
