"""The daemon's event loop: descriptors that are ready, parts that are due.

Laws: only the selector waits; a part that raises is logged and paused with a back-off, and never ends the loop or spins
in it.
"""

from __future__ import annotations

import os
import selectors
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from mcpgov.daemon.log import Log

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
READ, WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE


class Breaker:
    """Circuit breaker of one part or descriptor. `until`: paused until then."""

    __slots__ = ("_clock", "_log", "_pause", "name", "until")

    def __init__(self, name: str, log: Log, clock: Callable[[], float]) -> None:
        self.name = name
        self.until = 0.0
        self._pause = FIRST_PAUSE
        self._log = log
        self._clock = clock

    def call(self, do: Callable[[], None], *, heals: bool = True) -> bool:
        """False: it raised. `heals`: success resets the back-off."""
        try:
            do()
        except Exception as problem:
            self._log.crash("broken", problem, part=self.name, pause=self._pause)
            self.until = self._clock() + self._pause
            self._pause = min(self._pause * 2, LONGEST_PAUSE)
            return False
        if heals:
            self._pause, self.until = FIRST_PAUSE, 0.0
        return True


@dataclass(slots=True, eq=False)
class EventSource:
    """A descriptor, the events to wait for, and what to call then."""

    fd: int
    events: int
    do: Callable[[int], None]
    guard: Breaker


@dataclass(slots=True, eq=False)
class Part:
    """A part with a timer: `due` gives the seconds until `work` is to be called (None: no time is set)."""

    due: Callable[[], float | None]
    work: Callable[[], None]
    guard: Breaker

    def left(self, now: float) -> float | None:
        if self.guard.until > now:
            return self.guard.until - now
        found: list[float | None] = []
        if not self.guard.call(lambda: found.append(self.due()), heals=False):
            return self.guard.until - now
        return found[0]


class Reactor:
    """Serves descriptors and parts until stop() is called."""

    def __init__(self, log: Log, clock: Callable[[], float] = time.monotonic) -> None:
        self.stopped = False
        self._log = log
        self._clock = clock
        self._selector = selectors.DefaultSelector()
        self._parts: list[Part] = []
        self._paused: list[EventSource] = []
        self._soon: deque[Callable[[], None]] = deque()
        self._wake_read_fd, self.wake_fd = os.pipe()
        for fd in (self._wake_read_fd, self.wake_fd):
            os.set_blocking(fd, False)
        self.listen(self._wake_read_fd, READ, self._drain, "wake")

    # --- registration

    def listen(self, fd: int, events: int, do: Callable[[int], None], name: str) -> None:
        """`do` gets the events. A second call for the same descriptor replaces the first."""
        source = EventSource(fd, events, do, Breaker(name, self._log, self._clock))
        self.ignore(fd)
        self._selector.register(fd, events, source)

    def ignore(self, fd: int) -> None:
        self._paused = [source for source in self._paused if source.fd != fd]
        if fd in self._selector.get_map():
            self._selector.unregister(fd)

    def part(self, name: str, due: Callable[[], float | None], work: Callable[[], None]) -> None:
        self._parts.append(Part(due, work, Breaker(name, self._log, self._clock)))

    def wake(self) -> None:
        """End the wait now; may be called from any thread."""
        with suppress(BlockingIOError):  # a full pipe wakes the selector as well
            os.write(self.wake_fd, b"\0")

    def soon(self, do: Callable[[], None]) -> None:
        """Run it in the loop; may be called from any thread and any signal handler."""
        self._soon.append(do)
        self.wake()

    # --- the loop

    def run(self) -> None:
        while not self.stopped:
            self.turn()

    def stop(self) -> None:
        self.stopped = True
        self.wake()

    def turn(self) -> None:
        """Wait for the next event, and serve all that is ready or due."""
        for key, events in self._selector.select(self._timeout()):
            source: EventSource = key.data
            # A callback of this turn may have unregistered it.
            if key.fd in self._selector.get_map() and self._selector.get_key(key.fd).data is source:
                self._serve(source, events)
        while self._soon:
            Breaker("soon", self._log, self._clock).call(self._soon.popleft())
        for part in self._parts:
            left = part.left(self._clock())
            if left is not None and left <= 0:
                part.guard.call(part.work)

    def _serve(self, source: EventSource, events: int) -> None:
        if source.guard.call(lambda: source.do(events)):
            return
        if source.fd in self._selector.get_map():
            self._selector.unregister(source.fd)
            self._paused.append(source)

    def _timeout(self) -> float | None:
        now = self._clock()
        for source in [source for source in self._paused if source.guard.until <= now]:
            self._paused.remove(source)
            self._selector.register(source.fd, source.events, source)
        due = [left for part in self._parts if (left := part.left(now)) is not None]
        due += [source.guard.until - now for source in self._paused]
        return max(0.0, min(due)) if due else None

    def _drain(self, _events: int) -> None:
        while True:
            try:
                if len(os.read(self._wake_read_fd, 4096)) < 4096:
                    return
            except BlockingIOError:
                return

    def close(self) -> None:
        self._selector.close()
        os.close(self._wake_read_fd)
        os.close(self.wake_fd)
