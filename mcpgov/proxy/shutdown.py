"""How a conversation ends: the server gets a second, then SIGTERM, then SIGKILL.

Law: two seconds after the end began nothing of the server is left: neither its process group nor what has left that
(strays). SDK clients kill us at two.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` itself costs an enum at every start
import posix
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from mcpgov.proxy.stray_processes import StrayProcesses

POLITE, FIRM, DONE = 1.0, 1.6, 1.9  # seconds after the end began: SIGTERM, SIGKILL, leave
ADOPTS = sys.platform == "linux"  # orphans of the server become our children (launch.adopt_orphans)
PEEK = posix.WEXITED | posix.WNOHANG | posix.WNOWAIT
DRAIN = 0.2  # how long a dead server's pipe may still be held open by its children
FLUSH = 0.3  # how long the last bytes may take


class Shutdown:
    """The end of one server: begun or not, and how far."""

    __slots__ = ("_asked", "_spared", "_strays", "died", "has_client_left", "near", "pid", "since", "status")

    def __init__(self, pid: int, spared: Callable[[], Collection[int]] | None = None) -> None:
        """`spared` names our own helpers; without it only the server's group is looked after."""
        self.pid = pid
        self._spared = spared
        self._strays: StrayProcesses | None = None
        self.status: int | None = None
        self.since = 0.0
        self.died = 0.0
        self.near = False  # begun, or the server is dead: time matters from now on
        self.has_client_left = False  # the client is gone, or has told us to go
        self._asked = False

    def begin(self) -> None:
        """The server has nobody to talk to, or no longer listens or speaks: it has a second to end by itself."""
        if not self.since:
            self.since = time.monotonic()
            self.near = True
            if not ADOPTS and self._spared is not None:
                self._look_for_strays()  # as long as their parents live

    def client_left(self) -> None:
        """The client is gone: from now on every moment counts."""
        self.has_client_left = True
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
        self.client_left()
        self._asked = True
        self.kill(number)
        self._signal_strays(_signal.SIGTERM)

    def pass_time(self) -> None:
        if not self.since:
            return
        passed = time.monotonic() - self.since
        if passed >= FIRM:
            self.kill(_signal.SIGKILL)
            self._signal_strays(_signal.SIGKILL)
            self.reap()
        elif passed >= POLITE and not self._asked:
            self._asked = True
            self.kill(_signal.SIGTERM)
            self._signal_strays(_signal.SIGTERM)

    def kill(self, number: int) -> None:
        """The whole group: `npx` -> `sh` -> `node`."""
        try:
            posix.killpg(self.pid, number)
        except OSError:
            return  # nobody is left in it

    def _look_for_strays(self) -> StrayProcesses | None:
        """Those of the server's processes that have a group or a session of their own, where there may be some."""
        if self._spared is None or (ADOPTS and not _has_children()):
            return None
        if self._strays is None:
            from mcpgov.proxy.stray_processes import StrayProcesses

            self._strays = StrayProcesses(self.pid, self._spared)
        self._strays.look()
        return self._strays

    def _signal_strays(self, number: int) -> None:
        strays = self._look_for_strays()
        if strays is not None:
            strays.signal(number)

    def end_strays(self) -> None:
        """The server is gone, and what it left behind goes too."""
        strays, now = self._look_for_strays(), time.monotonic()
        if strays is not None:
            strays.end(min(now + FLUSH, max(now, self.since + DONE)) if self.since else now + FLUSH)

    def reap_orphans(self) -> None:
        """What was left to us and has ended is forgotten; our own helpers are waited for by those who started them."""
        spared = (self.pid, *(self._spared() if self._spared is not None else ()))
        try:
            while found := posix.waitid(posix.P_ALL, 0, PEEK):
                if found.si_pid in spared:
                    return
                posix.waitpid(found.si_pid, posix.WNOHANG)
        except ChildProcessError:
            return

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
        return min(now + FLUSH, max(now, self.since + DONE)) if self.has_client_left else now + POLITE

    def exit_reason(self, tail: bytes) -> str:
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


def _has_children() -> bool:
    try:
        posix.waitid(posix.P_ALL, 0, PEEK)
    except ChildProcessError:
        return False
    return True
