"""One config file of the sync loop: what is known of it, and when its next pass is due. Pure.

busy -> retry after 50 ms, 100, 200 … 5 s, after about a minute of that every minute. error -> retry after a minute.
We wrote -> check after 50 ms, 0.5 s and 5 s that our text is still there. A change event waits for none of these.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from mcpgov import reason_codes
from mcpgov.configs.pass_result import BUSY

if TYPE_CHECKING:
    from mcpgov.configs.config_pass import FileResult
    from mcpgov.configs.locations import ConfigSource
    from mcpgov.configs.plan import EntryState

CHECKS_AFTER_WRITE = (0.05, 0.5, 5.0)  # seconds
FIRST_RETRY, LAST_RETRY, SLOW_RETRY = 0.05, 5.0, 60.0
FAST_RETRIES = 20  # of a busy file: about a minute
STALE = 5.0  # seconds for which the last known entries are reported of a file that cannot be read
UNREADABLE = "cannot be read"
CLOCK_TICK = 0.1  # seconds: two writes within one tick of the file system's clock may look the same
CHILD_TIMEOUT = 120.0  # seconds

Identity = tuple[int, int, int]  # mtime in ns, size, inode
NO_FILE: Identity = (0, -1, 0)


class Pending(Protocol):
    """A pass that runs in a child process."""

    def fileno(self) -> int: ...  # when readable, call ready()
    def ready(self) -> bool: ...
    def result(self) -> FileResult: ...
    def close(self) -> None: ...


@dataclass(slots=True)
class FileJob:
    source: ConfigSource
    path: str
    timers: list[float] = field(default_factory=list)
    retry: float | None = None  # of a contested entry
    identity: Identity | None = None  # of the file when the last pass ended; None: the next pass runs in any case
    certain: bool = False  # a write after `identity` was taken would have changed it
    retries: int = 0
    before: Identity = NO_FILE  # of the file when the running pass began
    began: float = 0.0
    pending: Pending | None = None
    postponed: bool = False  # a pass is due, but another child is running
    # How the last pass ended, for people; an empty result means that there was none yet.
    result: str = ""
    reason: str = ""
    hint: str = ""
    reason_code: str = ""
    states: tuple[EntryState, ...] = ()
    unreadable_since: float | None = None

    def due(self) -> float | None:
        times = list(self.timers)
        if self.retry is not None:
            times.append(self.retry)
        if self.pending is not None:
            times.append(self.began + CHILD_TIMEOUT)
        return min(times, default=None)

    def take(self, now: float) -> bool:
        """Whether a pass is due now; removes the timers that have expired."""
        due = any(timer <= now for timer in self.timers)
        self.timers = [timer for timer in self.timers if timer > now]
        if self.retry is not None and self.retry <= now:
            self.retry = self.identity = None
            due = True
        return due

    def is_unchanged(self, identity: Identity, *, forced: bool) -> bool:
        return identity == self.identity and (self.certain or not forced)

    def invalidate(self, now: float) -> None:
        """Run a pass now, whatever is known."""
        self.identity = None
        self.timers.append(now)

    def keep_entries(self, result: FileResult, now: float) -> None:
        """Remember the entries of the file, if it could be read."""
        if result.result == BUSY and result.containers is None:
            self.unreadable_since = now if self.unreadable_since is None else self.unreadable_since
        else:
            self.states, self.unreadable_since = result.states, None

    def entries(self, now: float) -> tuple[EntryState, ...]:
        """The last known entries. A file that stays unreadable longer than a client takes to write has errors only."""
        if self.unreadable_since is None or now - self.unreadable_since <= STALE:
            return self.states
        return tuple(
            replace(state, state="error", reason=UNREADABLE, reason_code=reason_codes.UNREADABLE)
            for state in self.states
        )

    def wrote(self, now: float, after: Identity) -> None:
        self.identity, self.certain, self.retries = after, False, 0
        self.timers = [now + pause for pause in CHECKS_AFTER_WRITE]

    def read(self, now: float, after: Identity, wall: float) -> bool:
        """The pass changed nothing. False: the file was changed while the pass ran."""
        self.retries = 0
        if self.before != after:
            self.identity = None
            return False
        self.identity, self.certain = after, abs(wall - after[0] / 1e9) >= CLOCK_TICK
        soon = now + CHECKS_AFTER_WRITE[1]
        if not self.certain and not any(timer <= soon for timer in self.timers):
            self.timers.append(soon)
        return True

    def busy(self, now: float) -> None:
        self.identity, self.retries = None, self.retries + 1
        pause = FIRST_RETRY * 2.0 ** (self.retries - 1)
        self.timers = [now + (min(LAST_RETRY, pause) if self.retries < FAST_RETRIES else SLOW_RETRY)]

    def failed(self, now: float) -> None:
        # The cause may be a permission: the next pass may succeed although the file has not changed.
        self.identity, self.retries, self.timers = None, 0, [now + SLOW_RETRY]
