"""One config file in the loop: what is known of it, and when it is to be looked at next. Pure.

busy -> again in 50 ms, 100, 200 … 5 s, in the end every minute; error -> in a minute; we wrote -> in 50 ms, 0.5 s
and 5 s, whether it is still there. A change is an event, and waits for none of these.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from mcpgov import reason_codes

if TYPE_CHECKING:
    from mcpgov.configs.config_pass import FileResult
    from mcpgov.configs.locations import ConfigSource
    from mcpgov.configs.plan import EntryState
    from mcpgov.daemon.watching.vanished import Lost

CHANGED, UNCHANGED, BUSY, FAILED = "changed", "unchanged", "busy", "error"
AFTER = (0.05, 0.5, 5.0)  # seconds after our write
FIRST_RETRY, LAST_RETRY, SLOW = 0.05, 5.0, 60.0
HOPEFUL = 20  # tries at a busy file, about a minute
STALE = 5.0  # seconds that what was read last is told of a file that cannot be read
UNREADABLE = "cannot be read"
YOUNG = 0.1  # seconds: a write in the same tick of the file system's clock might not show
LIMIT = 120.0  # seconds for heavy work

Identity = tuple[int, int, int]  # mtime in ns, size, inode
NOWHERE: Identity = (0, -1, 0)


class Pending(Protocol):
    """Work that is going on elsewhere."""

    def fileno(self) -> int: ...  # readable: ask ready()
    def ready(self) -> bool: ...
    def result(self) -> FileResult: ...
    def close(self) -> None: ...


@dataclass(slots=True)
class FileJob:
    source: ConfigSource
    path: str
    timers: list[float] = field(default_factory=list)
    retry: float | None = None  # of a contested entry
    seen: Identity | None = None  # as the last look left it
    sure: bool = False  # no write can hide behind `seen`
    tries: int = 0
    before: Identity = NOWHERE  # as the look found it
    began: float = 0.0
    pending: Pending | None = None
    again: bool = False  # it is due, but others are in the way
    # The last look, for people; times of day.
    result: str = ""
    reason: str = ""
    hint: str = ""
    reason_code: str = ""
    states: tuple[EntryState, ...] = ()
    blind: float | None = None  # since when the file cannot be read
    looked: float = 0.0
    changed: float = 0.0

    def due(self) -> float | None:
        times = list(self.timers)
        if self.retry is not None:
            times.append(self.retry)
        if self.pending is not None:
            times.append(self.began + LIMIT)
        return min(times, default=None)

    def take(self, now: float) -> bool:
        """Whether a look is due; its timers have done their work."""
        due = any(timer <= now for timer in self.timers)
        self.timers = [timer for timer in self.timers if timer > now]
        if self.retry is not None and self.retry <= now:
            self.retry = self.seen = None
            due = True
        return due

    def nothing_new(self, found: Identity, *, forced: bool) -> bool:
        return found == self.seen and (self.sure or not forced)

    def anew(self, now: float) -> None:
        """Look again, whatever is known."""
        self.seen = None
        self.timers.append(now)

    def note(self, result: FileResult, now: float) -> None:
        """What is in the file, as far as it could be read."""
        if result.result == BUSY and result.containers is None:
            self.blind = now if self.blind is None else self.blind
        else:
            self.states, self.blind = result.states, None

    def known(self, now: float) -> tuple[EntryState, ...]:
        """A client is given the time to write; after that nothing is governed that nobody can read."""
        if self.blind is None or now - self.blind <= STALE:
            return self.states
        return tuple(
            replace(state, state="error", reason=UNREADABLE, reason_code=reason_codes.UNREADABLE)
            for state in self.states
        )

    def wrote(self, now: float, after: Identity) -> None:
        self.seen, self.sure, self.tries = after, False, 0
        self.timers = [now + pause for pause in AFTER]

    def read(self, now: float, after: Identity, wall: float) -> bool:
        """A look that changed nothing; False: the file has moved meanwhile."""
        self.tries = 0
        if self.before != after:
            self.seen = None
            return False
        self.seen, self.sure = after, abs(wall - after[0] / 1e9) >= YOUNG
        soon = now + AFTER[1]
        if not self.sure and not any(timer <= soon for timer in self.timers):
            self.timers.append(soon)
        return True

    def busy(self, now: float) -> None:
        self.seen, self.tries = None, self.tries + 1
        pause = FIRST_RETRY * 2.0 ** (self.tries - 1)
        self.timers = [now + (min(LAST_RETRY, pause) if self.tries < HOPEFUL else SLOW)]

    def failed(self, now: float) -> None:
        # A permission may be the cause: the file need not change before we may succeed.
        self.seen, self.tries, self.timers = None, 0, [now + SLOW]


@dataclass(frozen=True, slots=True)
class FileReport:
    """One file: how the last look ended and what is in it. Times of day, 0: never."""

    client: str
    title: str
    file: str
    result: str  # changed | unchanged | busy | error | "" before the first look
    reason: str
    states: tuple[EntryState | Lost, ...]
    looked: float
    changed: float  # by us
    reversals: int  # within the last hour
    in_work: bool
    hint: str = ""
    reason_code: str = ""


@dataclass(frozen=True, slots=True)
class LoopReport:
    files: tuple[FileReport, ...]
    lost: tuple[Lost, ...]
