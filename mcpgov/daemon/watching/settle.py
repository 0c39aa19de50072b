"""Debounces change events: when does a changed path get its pass? Pure: events and a clock in, paths out.

Laws: a path is due once it has been quiet, and soon even if it never is; passes that change nothing cost at most a
small share of the time; one path's events never delay another's.
"""

from __future__ import annotations

from dataclasses import dataclass

QUIET = 0.15  # seconds without an event
MOST_DELAY = 0.5  # seconds after the first event, however many follow
FREE_PASSES = 3  # that change nothing, before a file counts as chatty
PAUSE_FACTOR = 20.0  # a chatty file pauses for this many times the cost of its last pass
LONGEST_PAUSE = 5.0


@dataclass(slots=True)
class _PathState:
    first: float | None = None  # event since the last pass
    last: float = 0.0
    unchanged: int = 0  # passes in a row
    pause_until: float = 0.0


class Settle:
    def __init__(self) -> None:
        self._paths: dict[str, _PathState] = {}

    def event(self, path: str, now: float) -> None:
        state = self._paths.setdefault(path, _PathState())
        if state.first is None:
            state.first = now
        state.last = now

    def take(self, now: float) -> list[str]:
        """The paths that are due, the longest waiting first; they wait for a new event from now on."""
        due = [
            (when, path) for path, state in self._paths.items() if (when := _due_at(state)) is not None and when <= now
        ]
        due.sort()
        for _, path in due:
            self._paths[path].first = None
        return [path for _, path in due]

    def finished(self, path: str, now: float, cost: float, changed: bool) -> None:
        """A pass has ended: its cost in seconds, and whether it changed the file."""
        state = self._paths.setdefault(path, _PathState())
        state.unchanged = 0 if changed else state.unchanged + 1
        state.pause_until = now + min(LONGEST_PAUSE, PAUSE_FACTOR * cost) if state.unchanged >= FREE_PASSES else now

    def forget(self, path: str) -> None:
        self._paths.pop(path, None)

    def due(self) -> float | None:
        """When the next path is due; None: nothing waits."""
        return min((when for state in self._paths.values() if (when := _due_at(state)) is not None), default=None)


def _due_at(state: _PathState) -> float | None:
    if state.first is None:
        return None
    return max(min(state.last + QUIET, state.first + MOST_DELAY), state.pause_until)
