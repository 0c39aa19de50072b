"""When a path that something happened to deserves a look. Pure: events and a clock in, paths out.

Laws: a path is looked at once it is quiet, and soon even if it never is; looks that find nothing cost at most a small
share of the time; one path's noise never delays another.
"""

from __future__ import annotations

from dataclasses import dataclass

QUIET = 0.15  # seconds without an event
BOUND = 0.5  # seconds after the first event, however many follow
PATIENT = 3  # looks in vain before a file counts as chatty
SHARE = 20.0  # a chatty file rests this many times what its last look has cost
LONGEST = 5.0


@dataclass(slots=True)
class _Path:
    first: float | None = None  # since the last look
    last: float = 0.0
    vain: int = 0
    rested: float = 0.0  # not before


class Settle:
    def __init__(self) -> None:
        self._paths: dict[str, _Path] = {}

    def event(self, path: str, now: float) -> None:
        state = self._paths.setdefault(path, _Path())
        if state.first is None:
            state.first = now
        state.last = now

    def take(self, now: float) -> list[str]:
        """The paths that are due, the longest waiting first; they are not waiting any more."""
        due = [
            (when, path) for path, state in self._paths.items() if (when := _when(state)) is not None and when <= now
        ]
        due.sort()
        for _, path in due:
            self._paths[path].first = None
        return [path for _, path in due]

    def looked(self, path: str, now: float, cost: float, worked: bool) -> None:
        """What a look at the path has cost, and whether there was anything to do."""
        state = self._paths.setdefault(path, _Path())
        state.vain = 0 if worked else state.vain + 1
        state.rested = now + min(LONGEST, SHARE * cost) if state.vain >= PATIENT else now

    def forget(self, path: str) -> None:
        self._paths.pop(path, None)

    def due(self) -> float | None:
        """When the next path is due; None: nothing waits."""
        return min((when for state in self._paths.values() if (when := _when(state)) is not None), default=None)


def _when(state: _Path) -> float | None:
    if state.first is None:
        return None
    return max(min(state.last + QUIET, state.first + BOUND), state.rested)
