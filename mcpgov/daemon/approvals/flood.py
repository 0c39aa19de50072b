"""How much a server may ask. Pure.

Law: a server that asks without end is denied with that reason; the person is not worn out.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

MINUTE = 60.0


@dataclass(frozen=True, slots=True)
class QuestionLimits:
    """For each server."""

    open: int = 5
    a_minute: int = 20


class Flood:
    """When each server asked, over the last minute."""

    def __init__(self, limits: QuestionLimits) -> None:
        self.limits = limits
        self._asked: dict[str, deque[float]] = {}

    def too_many(self, server: str, are_open: int, now: float) -> str:
        """Why this server may ask no new question; "": it may, and did. `now`: on a clock that is never set."""
        self._forget(now)
        times = self._asked.setdefault(server, deque())
        if are_open >= self.limits.open:
            return f"{self.limits.open} questions of it are open"
        if len(times) >= self.limits.a_minute:
            return f"it asked {self.limits.a_minute} questions within a minute"
        times.append(now)
        return ""

    def _forget(self, now: float) -> None:
        for server, times in list(self._asked.items()):
            while times and now - times[0] >= MINUTE:
                times.popleft()
            if not times:
                del self._asked[server]
