"""Rate limits of the page's requests: a token bucket for each key. Pure."""

from __future__ import annotations

MOST_KEYS = 64


class RequestRate:
    """`burst` at once, `rate` a second in the long run, for each key."""

    def __init__(self, burst: float, rate: float) -> None:
        self._burst, self._rate = burst, rate
        self._left: dict[str, tuple[float, float]] = {}

    def wait(self, key: str, now: float) -> float:
        """0: it may; else in how many seconds. Nothing is counted."""
        return self._wait(self._held(key, now))

    def _held(self, key: str, now: float) -> float:
        left, since = self._left.get(key, (self._burst, now))
        return min(self._burst, left + max(0.0, now - since) * self._rate)

    def _wait(self, left: float) -> float:
        return 0.0 if left >= 1.0 else (1.0 - left) / self._rate

    def take(self, key: str, now: float) -> float:
        """The same, and one is counted where it may."""
        left = self._held(key, now)
        wait = self._wait(left)
        self._left.pop(key, None)
        self._left[key] = (left if wait else left - 1.0, now)
        while len(self._left) > MOST_KEYS:
            del self._left[next(iter(self._left))]
        return wait
