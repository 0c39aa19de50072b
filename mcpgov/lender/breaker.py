"""A circuit breaker: when an engine that was not reached is tried again. Pure: the clock's times come in.

UP -> DOWN: one failure. DOWN -> UP: one success. While it is down nobody waits for it; it is tried after a pause that
grows, and sooner where a call asks for it.
"""

from __future__ import annotations

FIRST, LONGEST = 0.25, 30.0  # seconds
ASKED = 0.5  # seconds after a failure in which even a call does not make it try again


class EngineBreaker:
    def __init__(self) -> None:
        self.down = False
        self.lasting = False  # trying again is useless until the settings change
        self._pause = 0.0
        self._tried = float("-inf")

    def failed(self, now: float, *, lasting: bool = False) -> None:
        self._pause = min(self._pause * 2, LONGEST) if self.down else FIRST
        self.down, self.lasting, self._tried = True, lasting, now

    def reached(self) -> None:
        self.down, self.lasting, self._pause = False, False, 0.0

    def may_try(self, now: float, *, asked: bool) -> bool:
        if not self.down:
            return True
        return not self.lasting and now - self._tried >= (min(ASKED, self._pause) if asked else self._pause)

    def due(self, now: float) -> float | None:
        """Seconds until it is tried again; None: it is up, or trying is useless."""
        return None if not self.down or self.lasting else max(0.0, self._tried + self._pause - now)
