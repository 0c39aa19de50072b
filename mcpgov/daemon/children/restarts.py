"""When to restart a process that has ended, and when to give up. Pure: a clock's times in, a new state out.

STARTING -> RUNNING: it has lived for a while. STARTING, RUNNING -> BACKOFF: it ended. BACKOFF -> STARTING: the pause is
over. BACKOFF -> FAILED: it ended too often within the window. FAILED is final until a person restarts it (`again`);
a service without which things break (`most` 0) never gets there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

STARTING, RUNNING, BACKOFF, FAILED = "starting", "running", "backing off", "failed"


@dataclass(frozen=True, slots=True)
class RestartLimits:
    """Seconds; after `most` ends within `window` it is not started again. `most` 0: it always is."""

    first: float = 1.0
    longest: float = 60.0
    most: int = 5
    window: float = 300.0
    steady: float = 60.0  # after running this long, the next pause is `first` again


@dataclass(frozen=True, slots=True)
class Restarts:
    limits: RestartLimits = RestartLimits()
    state: str = STARTING
    since: float = 0.0
    pause: float = 0.0
    ends: tuple[float, ...] = ()

    def running(self, now: float) -> Restarts:
        return replace(self, state=RUNNING, since=now) if self.state == STARTING else self

    def ended(self, now: float) -> Restarts:
        if self.state in (BACKOFF, FAILED):
            return self
        ends = (*(end for end in self.ends if now - end < self.limits.window), now)
        if 0 < self.limits.most <= len(ends):
            return replace(self, state=FAILED, since=now, pause=0.0, ends=ends)
        steady = self.state == RUNNING and now - self.since >= self.limits.steady
        pause = self.limits.first if steady or not self.pause else min(self.pause * 2, self.limits.longest)
        return replace(self, state=BACKOFF, since=now, pause=pause, ends=ends)

    def due(self, now: float) -> float | None:
        """Seconds until the next start; None: no start is pending."""
        return max(0.0, self.since + self.pause - now) if self.state == BACKOFF else None

    def starting(self, now: float) -> Restarts:
        """It is started now: for the first time, after its pause, or after an intended stop."""
        waits = self.state == FAILED or self.due(now)
        return self if waits else replace(self, state=STARTING, since=now)

    def again(self, now: float) -> Restarts:
        """A person asks for it: earlier failures no longer count."""
        return Restarts(self.limits, STARTING, now)
