"""A word on the desktop, best effort: notify-send or osascript, whichever is there.

Laws: it never waits and never fails; the same word comes once in a while; nothing in a text is markup or script.
"""

from __future__ import annotations

import shutil
import subprocess
import time
from collections import deque
from collections.abc import Callable, Sequence

AGAIN = 600.0  # seconds until the same word may come again
SPAN, MOST = 60.0, 5  # so many of all kinds in that time
LONGEST = 240
PATIENCE = 5.0
MOST_KEYS = 256
_SCRIPT = ("on run argv", "display notification (item 2 of argv) with title (item 1 of argv)", "end run")


def command(title: str, body: str, which: Callable[[str], str | None] = shutil.which) -> list[str] | None:
    """How to show it here; None where nobody can."""
    found = which("notify-send")
    if found:
        # The body is markup to most desktops.
        marked = clean(body).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        return [found, "--app-name=mcpgov", "--", clean(title), marked]
    found = which("osascript")
    if found:
        # The words are arguments of the script, never part of it.
        lines = [word for line in _SCRIPT for word in ("-e", line)]
        return [found, *lines, clean(title), clean(body)]
    return None


def clean(text: str) -> str:
    """One printable line that is no option."""
    shown = "".join(c if c.isprintable() else " " for c in text).strip()
    shown = shown if len(shown) <= LONGEST else shown[: LONGEST - 1] + "…"
    return shown.lstrip("-") or "mcpgov"


class DesktopNotifier:
    """`start` begins a process; `build` says which."""

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        build: Callable[[str, str], Sequence[str] | None] = command,
    ) -> None:
        self.enabled = True
        self._clock = clock
        self._build = build
        self._told: dict[str, float] = {}
        self._recent: deque[float] = deque(maxlen=MOST)
        self._shown: list[tuple[subprocess.Popen[bytes], float]] = []

    def tell(self, title: str, body: str, key: str = "") -> bool:
        """True: it is on its way. `key` names what is the same word; without one it is the text itself."""
        now = self._clock()
        self.work()
        if not self.enabled or not self._may(key or f"{title}\n{body}", now):
            return False
        words = self._build(title, body)
        if words is None:
            return False
        quiet = subprocess.DEVNULL
        try:
            process = subprocess.Popen(words, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)
        except OSError:
            return False
        self._shown.append((process, now + PATIENCE))
        return True

    def _may(self, key: str, now: float) -> bool:
        if now - self._told.get(key, -AGAIN) < AGAIN or (len(self._recent) == MOST and now - self._recent[0] < SPAN):
            return False
        if len(self._told) >= MOST_KEYS:
            self._told.clear()
        self._told[key] = now
        self._recent.append(now)
        return True

    def forget(self, key: str) -> None:
        """What it told of is over; the next time is news."""
        self._told.pop(key, None)

    def due(self) -> float | None:
        """Seconds until there is something to clear away."""
        return 1.0 if self._shown else None

    def work(self) -> None:
        """Nobody stays behind: the ended are reaped, the late are ended."""
        now = self._clock()
        for process, end in self._shown:
            if now >= end and process.poll() is None:
                process.kill()
                process.wait()
        self._shown = [item for item in self._shown if item[0].poll() is None]
