"""Which URL is probed when. Pure: the clock is an argument.

Laws: a URL that begins to wait is probed at once; one that still waits after a probe is probed again after 5 s, then at
pauses that double, up to 5 minutes. A few are probed at a time; a probe that is never answered has found nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

FIRST_PAUSE, LONGEST_PAUSE = 5.0, 300.0  # seconds
ANSWER_WITHIN = 30.0
MOST_AT_ONCE = 8


@dataclass(slots=True)
class WaitingUrl:
    """`at`: when it is probed next; while it is being probed, until when an answer is waited for."""

    at: float
    pause: float = FIRST_PAUSE
    probing: bool = False

    def ended(self, now: float) -> None:
        self.at, self.probing = now + self.pause, False
        self.pause = min(self.pause * 2, LONGEST_PAUSE)


class ProbeSchedule:
    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._urls: dict[str, WaitingUrl] = {}

    def __len__(self) -> int:
        return len(self._urls)

    def want(self, urls: Iterable[str]) -> None:
        """These wait, and no others."""
        now = self._clock()
        self._urls = {url: self._urls.get(url) or WaitingUrl(now) for url in dict.fromkeys(urls)}

    def ended(self, url: str) -> None:
        """A probe of this URL has ended, whatever it found."""
        if url in self._urls:
            self._urls[url].ended(self._clock())

    def restart(self) -> None:
        """Whoever probed is gone: what it had begun is begun anew, by the next one."""
        now = self._clock()
        for waiting in self._urls.values():
            if waiting.probing:
                waiting.at, waiting.probing = now, False

    def due(self) -> float | None:
        """Seconds until `take` has something to do."""
        full = self._probing() >= MOST_AT_ONCE
        moments = [waiting.at for waiting in self._urls.values() if waiting.probing or not full]
        return max(0.0, min(moments) - self._clock()) if moments else None

    def take(self) -> list[str]:
        """The URLs to probe now."""
        now = self._clock()
        for waiting in self._urls.values():
            if waiting.probing and waiting.at <= now:
                waiting.ended(now)
        room = MOST_AT_ONCE - self._probing()
        ready = [url for url, waiting in self._urls.items() if not waiting.probing and waiting.at <= now][:room]
        for url in ready:
            self._urls[url].at, self._urls[url].probing = now + ANSWER_WITHIN, True
        return ready

    def _probing(self) -> int:
        return sum(waiting.probing for waiting in self._urls.values())
