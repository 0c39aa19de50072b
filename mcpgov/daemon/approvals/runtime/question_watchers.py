"""Whoever watches the questions: a snapshot after every change. While one can answer, where it is shown is a surface.

Law: who does not keep up gets the latest snapshot once there is room again, and none of those between.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mcpgov.daemon.control.approval_requests import QuestionsAnswer, WatchQuestionsRequest
from mcpgov.daemon.control.replies import Caller, Stream


@dataclass(slots=True, eq=False)
class _Watcher:
    stream: Stream[QuestionsAnswer]
    interactive: bool
    surface: str
    behind: bool = False


class QuestionWatchers:
    """`snapshot`: the questions now; `nobody`: the last one that could answer on that surface has left."""

    def __init__(self, snapshot: Callable[[], QuestionsAnswer], nobody: Callable[[str], None]) -> None:
        self._snapshot = snapshot
        self._nobody = nobody
        self._all: list[_Watcher] = []
        self._news = False

    def watch(self, request: WatchQuestionsRequest, _caller: Caller) -> Stream[QuestionsAnswer]:
        stream: Stream[QuestionsAnswer] = Stream(lambda: self._left(watcher), self._drained)
        watcher = _Watcher(stream, request.interactive, request.surface)
        self._all.append(watcher)
        stream.send(self._snapshot())
        return stream

    def reaches(self, surface: str) -> bool:
        return any(watcher.interactive and watcher.surface == surface for watcher in self._all)

    def _left(self, watcher: _Watcher) -> None:
        self._all.remove(watcher)
        if watcher.interactive and not self.reaches(watcher.surface):
            self._nobody(watcher.surface)

    def changed(self) -> None:
        self._news = bool(self._all)

    def _drained(self) -> None:
        self._news = self._news or any(watcher.behind for watcher in self._all)

    def due(self) -> float | None:
        return 0.0 if self._news else None

    def work(self) -> None:
        if not self._news:
            return
        self._news = False
        found = self._snapshot()
        for watcher in list(self._all):
            watcher.behind = watcher.stream.full
            if not watcher.behind:
                watcher.stream.send(found)

    def close(self) -> None:
        watchers, self._all = self._all, []
        for watcher in watchers:
            watcher.stream.end()
