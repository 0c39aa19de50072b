"""Status requests: each waits a moment for the counters of the linked proxies, then all are answered from one look."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from mcpgov.daemon.control.connection import PATIENCE
from mcpgov.daemon.control.proxy_links import Links
from mcpgov.daemon.control.replies import Caller, Later
from mcpgov.daemon.control.requests import StatusAnswer, StatusRequest

# How long a status waits for counters; a proxy that takes longer is reported with its last ones.
COUNTERS = 0.25


@dataclass(frozen=True, slots=True)
class WaitingStatus:
    request: StatusRequest
    later: Later[StatusAnswer]
    until: float


@dataclass(slots=True, eq=False)
class StatusRequests:
    """`explain` says what a request that failed is told, as Dispatcher.explain does."""

    _links: Links
    _gather: Callable[[StatusRequest], StatusAnswer]
    _explain: Callable[[Exception, str], tuple[str, str, str]]
    _clock: Callable[[], float] = time.monotonic
    _waiting: list[WaitingStatus] = field(default_factory=list, init=False)

    def serve(self, request: StatusRequest, _caller: Caller) -> Later[StatusAnswer]:
        self._links.ask_all()
        later: Later[StatusAnswer] = Later(PATIENCE)
        self._waiting.append(WaitingStatus(request, later, self._clock() + COUNTERS))
        return later

    def due(self) -> float | None:
        if not self._waiting:
            return None
        if not self._links.waiting(COUNTERS):
            return 0.0
        return min(item.until for item in self._waiting) - self._clock()

    def work(self) -> None:
        now, complete = self._clock(), not self._links.waiting(COUNTERS)
        ready = [item for item in self._waiting if complete or item.until <= now]
        self._waiting = [item for item in self._waiting if item not in ready]
        for item in ready:
            if not item.later.open:
                continue  # nobody waits for it any more
            try:
                item.later.answer(self._gather(item.request))
            except Exception as problem:
                item.later.decline(*self._explain(problem, "status"))
