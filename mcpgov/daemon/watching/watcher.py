"""Changes of files, told as paths. The only watchdog in the house.

Laws: the thread only asks whether a name is of interest, queues it, and wakes us; everything else is done by whoever
calls take() and poll(). INVARIANT: no change is missed for good: a slow poll finds what events did not tell.
"""

from __future__ import annotations

import os
import queue
import sys
from collections.abc import Callable, Iterable, Set
from pathlib import Path

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver, ObservedWatch

from mcpgov.daemon.watching.watch_points import MOUNTS, Trail, remote, trail
from mcpgov.policy_cache import state_of

SAFETY, UNWATCHED, REMOTE = 30.0, 5.0, 2.0  # seconds between polls
TURNS = 5
# Where the end of a write is an event, each write on the way need not be one.
WRITTEN: type[FileSystemEvent] = FileClosedEvent if sys.platform == "linux" else FileModifiedEvent
EVENTS: list[type[FileSystemEvent]] = [
    WRITTEN,
    FileCreatedEvent,
    FileDeletedEvent,
    FileMovedEvent,
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
]


class _Ear(FileSystemEventHandler):
    """Runs in watchdog's thread. `names` is replaced as a whole, never changed."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self.names: Set[str] = frozenset()
        self.heard: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._wake = wake

    def dispatch(self, event: FileSystemEvent) -> None:
        for path in (event.src_path, event.dest_path):
            if path in self.names:
                self.heard.put(os.fsdecode(path))
                self._wake()


class Watcher:
    """Tells which of the paths it was given may have changed, in the words they were given in."""

    def __init__(
        self,
        clock: Callable[[], float],
        log: Callable[..., None],
        wake: Callable[[], None],
        *,
        mounts: Path = MOUNTS,
        observer: Callable[[], BaseObserver] = Observer,
    ) -> None:
        self._clock, self._log, self._mounts, self._make = clock, log, mounts, observer
        self._ear = _Ear(wake)
        self._observer: BaseObserver | None = None
        self._trails: dict[str, Trail] = {}
        self._states: dict[str, tuple[int, int, int]] = {}
        self._watches: dict[str, tuple[ObservedWatch, tuple[int, int]]] = {}
        self._failed: set[str] = set()
        self._next = 0.0
        self.trouble = ""  # why directories are polled instead of watched

    def set_paths(self, paths: Iterable[str]) -> None:
        """What to watch from now on. What is new counts as unchanged: whoever adds it looks at it."""
        wanted = list(dict.fromkeys(paths))
        self._trails = {path: self._trails.get(path) or trail(path) for path in wanted}
        self._states = {path: self._states.get(path) or state_of(path) for path in wanted}
        for path in self._follow():
            self._ear.heard.put(path)
        self._next = self._clock() + self._pause()

    def due(self) -> float:
        """In how many seconds take() or poll() has something to do."""
        return 0.0 if not self._ear.heard.empty() else max(0.0, self._next - self._clock())

    def take(self) -> list[str]:
        """The paths that events were about."""
        heard = set()
        while not self._ear.heard.empty():
            heard.add(self._ear.heard.get())
        for directory in heard & self._watches.keys():
            self._drop(directory)  # made, moved or deleted: a watch on it may be one on something else by now
        told = {path for path, steps in self._trails.items() if any(os.path.join(*step) in heard for step in steps)}
        told |= heard & self._trails.keys()
        if any(trail(path) != self._trails[path] for path in told) or not self._complete():
            told |= self._follow()
        self._states |= {path: state_of(path) for path in told}
        return [path for path in self._trails if path in told]

    def poll(self) -> list[str]:
        """The paths that have changed although no event told it; does nothing until it is due."""
        if self._clock() < self._next:
            return []
        self._revive()
        told = self._follow()
        self._next = self._clock() + self._pause()
        return [path for path in self._trails if path in told]

    def close(self) -> None:
        if self._observer is not None:
            self._observer.stop()
            self._observer.join()
            self._observer = None
            self._watches = {}

    # --- the watches

    def _follow(self) -> set[str]:
        """Watch where the paths lead now; the paths that lead elsewhere than before."""
        moved: set[str] = set()
        for _ in range(TURNS):
            found = {path: trail(path) for path in self._trails}
            moved |= {path for path, steps in found.items() if steps != self._trails[path]}
            still = found == self._trails and self._complete()
            self._trails = found
            # INVARIANT: the names are known before the watch begins, and the trail is walked again after it.
            self._ear.names = {os.path.join(*step) for steps in found.values() for step in steps} | self._wanted()
            if still:
                break
            self._arrange()
        states = {path: state_of(path) for path in self._trails}
        moved |= {path for path, state in states.items() if state != self._states[path]}
        self._states = states
        return moved

    def _wanted(self) -> set[str]:
        return {directory for steps in self._trails.values() for directory, _ in steps}

    def _complete(self) -> bool:
        """Whether every directory is watched that can be, and still the one that it was."""
        known = all(identity == _identity(directory) for directory, (_, identity) in self._watches.items())
        return known and self._watches.keys() | self._failed == self._wanted()

    def _arrange(self) -> None:
        wanted = self._wanted()
        for directory in [*self._watches]:
            if directory not in wanted or self._watches[directory][1] != _identity(directory):
                self._drop(directory)
        problems = {directory: self._place(directory) for directory in sorted(wanted - self._watches.keys())}
        self._failed = {directory for directory, problem in problems.items() if problem}
        self._tell(next(filter(None, problems.values()), ""))

    def _place(self, directory: str) -> str:
        """Watch a directory; why that cannot be."""
        try:
            if self._observer is None:
                made = self._make()
                made.start()
                self._observer = made
            if not os.access(directory, os.R_OK) and os.path.exists(directory):
                return f"`{directory}` cannot be read"  # the observer would not say so
            identity = _identity(directory)
            watch = self._observer.schedule(self._ear, directory, event_filter=EVENTS)
            self._watches[directory] = watch, identity
        except (FileNotFoundError, NotADirectoryError):
            return ""  # gone since; the next walk sees it
        except (OSError, RuntimeError) as error:
            return f"`{directory}` cannot be watched: {str(getattr(error, 'strerror', '') or error).lower()}"
        return ""

    def _drop(self, directory: str) -> None:
        watch, _ = self._watches.pop(directory)
        if self._observer is not None:
            self._observer.unschedule(watch)

    def _revive(self) -> None:
        """What could not be watched is tried again; threads that have died, if any, are replaced."""
        self._failed = set()
        if self._observer is None:
            return
        if not self._observer.is_alive():
            self.close()
            return
        alive = {emitter.watch for emitter in self._observer.emitters if emitter.is_alive()}
        for directory in [directory for directory, (watch, _) in self._watches.items() if watch not in alive]:
            self._drop(directory)

    # --- the poll

    def _pause(self) -> float:
        if remote(sorted(self._wanted()), self._mounts):
            return REMOTE
        return UNWATCHED if self.trouble else SAFETY

    def _tell(self, trouble: str) -> None:
        if trouble != self.trouble:
            self.trouble = trouble
            if trouble:
                self._log("warning", "polling", reason=trouble)
            else:
                self._log("info", "watching again")


def _identity(directory: str) -> tuple[int, int]:
    try:
        found = os.stat(directory)
    except OSError:
        return 0, 0
    return found.st_dev, found.st_ino
