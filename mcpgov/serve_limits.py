"""How many calls a minute a caller of our own MCP server may make of each tool. Pure; the clock comes in. Leaf.

Laws: a call that is refused does not count; it is a sliding window, so no minute lets more pass, wherever it
begins. A caller is whoever the transport or the daemon says, never whom a request names.
"""

from __future__ import annotations

import math
from bisect import insort
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress

MINUTE = 60.0
LIMITS = {"checkIntent": 100, "requestPermission": 10, "reportAction": 1000}  # a minute; any other tool has none
MOST_CALLERS = 10_000


class CallLimits:
    def __init__(self, clock: Callable[[], float]) -> None:
        """`clock`: seconds, never set."""
        self._clock = clock
        self._calls: dict[tuple[str, str], deque[float]] = {}

    def retry_after(self, caller: str, tool: str) -> float:
        """Seconds until this caller may call this tool; 0: it may now, and has."""
        return self.take(caller, tool, 1)[1]

    def take(self, caller: str, tool: str, calls: int, ahead: float = 0.0) -> tuple[int, float]:
        """So many calls at once, or as many as there are left; and seconds until the next one where there is none.

        `ahead`: seconds within which all but the first are made: they count as made at the end of that.
        """
        most = LIMITS.get(tool)
        if most is None:
            return calls, 0.0
        now = self._clock()
        made = self._calls.get((caller, tool))
        if made is None:
            if len(self._calls) >= MOST_CALLERS:
                self._forget(now)
            made = self._calls[caller, tool] = deque()
        while made and now - made[0] >= MINUTE:
            made.popleft()
        if len(made) >= most:
            return 0, math.ceil((made[0] + MINUTE - now) * 1000) / 1000
        taken = min(calls, most - len(made))
        insort(made, now)
        for _ in range(taken - 1):
            insort(made, now + ahead)
        return taken, 0.0

    def give_back(self, caller: str, tool: str, times: Iterable[float]) -> None:
        """Calls that were not made after all, by the time that they count as made."""
        made = self._calls.get((caller, tool), deque())
        for time in times:
            with suppress(ValueError):  # a minute old
                made.remove(time)

    def _forget(self, now: float) -> None:
        """Callers whose last call is over a minute old."""
        self._calls = {key: calls for key, calls in self._calls.items() if calls and now - calls[-1] < MINUTE}
