"""Watches files and reports the paths that may have changed. The only user of watchdog.

Laws: watchdog's thread only checks whether a name is watched, queues it, and wakes the loop; everything else is done by
the caller of take() and poll(). INVARIANT: no change is missed for good: a slow poll finds what events did not report.
"""

from __future__ import annotations

import os
import queue
import sys
from collections.abc import Callable, Iterable, Set
from pathlib import Path

from watchdog import events
from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver, ObservedWatch

from mcpgov.atomic_file import file_identity
from mcpgov.daemon.watching.watch_points import MOUNTS, WatchPoints, remote_type, watch_points
from mcpgov.policy_cache import state_of

SAFETY, UNWATCHED, REMOTE = 30.0, 5.0, 2.0  # seconds between polls
MOST_ROUNDS = 5
# Where closing a written file is an event, each single write need not be one.
WRITTEN: type[FileSystemEvent] = events.FileClosedEvent if sys.platform == "linux" else events.FileModifiedEvent
EVENTS: list[type[FileSystemEvent]] = [
    WRITTEN, events.FileCreatedEvent, events.FileDeletedEvent, events.FileMovedEvent,
    events.DirCreatedEvent, events.DirDeletedEvent, events.DirMovedEvent,
]  # fmt: skip


class _EventQueue(FileSystemEventHandler):
    """Runs in watchdog's thread. `names` is replaced as a whole, never changed."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self.names: Set[str] = frozenset()
        self.paths: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._wake = wake

    def dispatch(self, event: FileSystemEvent) -> None:
        for path in (event.src_path, event.dest_path):
            if path in self.names:
                self.paths.put(os.fsdecode(path))
                self._wake()


class Watcher:
    """Reports which of the given paths may have changed, spelled as they were given."""

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
        self._events = _EventQueue(wake)
        self._observer: BaseObserver | None = None
        self._points: dict[str, WatchPoints] = {}
        self._states: dict[str, tuple[int, int, int]] = {}
        self._watches: dict[str, tuple[ObservedWatch, tuple[int, int]]] = {}
        self._failed: set[str] = set()
        self._next = 0.0
        self.problem = ""  # why directories are polled instead of watched

    def set_paths(self, paths: Iterable[str]) -> None:
        """Watch these paths from now on. A new path counts as unchanged: its first read is the caller's task."""
        wanted = list(dict.fromkeys(paths))
        self._points = {path: self._points.get(path) or watch_points(path) for path in wanted}
        self._states = {path: self._states.get(path) or state_of(path) for path in wanted}
        for path in self._follow():
            self._events.paths.put(path)
        self._next = self._clock() + self._pause()

    def due(self) -> float:
        """Seconds until take() or poll() has something to do."""
        return 0.0 if not self._events.paths.empty() else max(0.0, self._next - self._clock())

    def take(self) -> list[str]:
        """The paths that events were about."""
        names = set()
        while not self._events.paths.empty():
            names.add(self._events.paths.get())
        for directory in names & self._watches.keys():
            self._drop(directory)  # created, moved or deleted: its watch may be on another directory by now
        changed = {path for path, points in self._points.items() if any(os.path.join(*at) in names for at in points)}
        changed |= names & self._points.keys()
        if any(watch_points(path) != self._points[path] for path in changed) or not self._complete():
            changed |= self._follow()
        self._states |= {path: state_of(path) for path in changed}
        return [path for path in self._points if path in changed]

    def poll(self) -> list[str]:
        """The paths that have changed without an event; does nothing before it is due."""
        if self._clock() < self._next:
            return []
        self._revive()
        changed = self._follow()
        self._next = self._clock() + self._pause()
        return [path for path in self._points if path in changed]

    def close(self) -> None:
        if self._observer is not None:
            self._observer.stop()
            self._observer.join()
            self._observer = None
            self._watches = {}

    # --- the watches

    def _follow(self) -> set[str]:
        """Watch the directories that the paths lead through now; returns the paths that have changed."""
        moved: set[str] = set()
        for _ in range(MOST_ROUNDS):
            points_now = {path: watch_points(path) for path in self._points}
            moved |= {path for path, points in points_now.items() if points != self._points[path]}
            stable = points_now == self._points and self._complete()
            self._points = points_now
            # INVARIANT: the names are known before a watch begins, and the path is walked again after it.
            self._events.names = {os.path.join(*at) for points in points_now.values() for at in points} | self._wanted()
            if stable:
                break
            self._arrange()
        states = {path: state_of(path) for path in self._points}
        moved |= {path for path, state in states.items() if state != self._states[path]}
        self._states = states
        return moved

    def _wanted(self) -> set[str]:
        return {directory for points in self._points.values() for directory, _ in points}

    def _complete(self) -> bool:
        """Whether every directory that can be watched is, and is still the same directory."""
        known = all(identity == file_identity(directory) for directory, (_, identity) in self._watches.items())
        return known and self._watches.keys() | self._failed == self._wanted()

    def _arrange(self) -> None:
        wanted = self._wanted()
        for directory in [*self._watches]:
            if directory not in wanted or self._watches[directory][1] != file_identity(directory):
                self._drop(directory)
        problems = {directory: self._place(directory) for directory in sorted(wanted - self._watches.keys())}
        self._failed = {directory for directory, problem in problems.items() if problem}
        self._log_problem(next(filter(None, problems.values()), ""))

    def _place(self, directory: str) -> str:
        """Watch a directory; returns why it cannot be watched."""
        try:
            if self._observer is None:
                made = self._make()
                made.start()
                self._observer = made
            if not os.access(directory, os.R_OK) and os.path.exists(directory):
                return f"`{directory}` cannot be read"  # the observer would not report it
            identity = file_identity(directory)
            watch = self._observer.schedule(self._events, directory, event_filter=EVENTS)
            self._watches[directory] = watch, identity
        except (FileNotFoundError, NotADirectoryError):
            return ""  # it has gone meanwhile; the next round notices
        except (OSError, RuntimeError) as error:
            return f"`{directory}` cannot be watched: {str(getattr(error, 'strerror', '') or error).lower()}"
        return ""

    def _drop(self, directory: str) -> None:
        watch, _ = self._watches.pop(directory)
        if self._observer is not None:
            self._observer.unschedule(watch)

    def _revive(self) -> None:
        """Retry directories that could not be watched, and replace threads that have died."""
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
        if remote_type(sorted(self._wanted()), self._mounts):
            return REMOTE
        return UNWATCHED if self.problem else SAFETY

    def _log_problem(self, problem: str) -> None:
        if problem != self.problem:
            self.problem = problem
            if problem:
                self._log("warning", "polling", reason=problem)
            else:
                self._log("info", "watching again")
