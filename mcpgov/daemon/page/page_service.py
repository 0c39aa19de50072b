"""The page's service as the daemon sees it: started when somebody opens the page, given its codes, ended when unused.

Laws: the daemon makes every code and opens no network socket itself; a code goes to the very process that was started
as this service, and to the person's command. The service runs while somebody uses the page, and comes back with a
daemon that is restarted while a page is open.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from typing import Any, Protocol

from mcpgov.atomic_file import read_json
from mcpgov.daemon.children.service_switch import ServiceSwitch
from mcpgov.daemon.children.services import PAGE
from mcpgov.daemon.control.dispatch import Handler
from mcpgov.daemon.control.question_requests import NotedAnswer
from mcpgov.daemon.control.replies import Caller, Later, Stream
from mcpgov.daemon.control.request_row import ControlRequest
from mcpgov.daemon.log import Log
from mcpgov.daemon.page.code_file import remove_old, write_code_file
from mcpgov.daemon.page.page_requests import (
    OpenPageAnswer,
    OpenPageRequest,
    PageCode,
    PageIdleRequest,
    PageServiceRequest,
)
from mcpgov.errors import CallerError, McpgovError
from mcpgov.places import Places

STARTS_WITHIN = 20.0  # seconds in which the service must be there, on a busy machine too
FILE_HOLDS, TYPED_HOLDS = 60.0, 180.0  # seconds
LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"  # none that is taken for another
TYPED_GROUPS, TYPED_GROUP = 3, 4
LARGEST_PORT = 65535
UNTIL = "until"  # in the service's own file: when its last session ends, by the day's clock


class PageServices(Protocol):
    def use(self, name: str) -> Callable[[], None]: ...
    def pid_of(self, name: str) -> int | None: ...


class PageService:
    def __init__(self, places: Places, services: PageServices, log: Log, wall: Callable[[], float] = time.time) -> None:
        self._places, self._services, self._log, self._wall = places, services, log, wall
        self._switch = ServiceSwitch(services, PAGE)
        self._stream: Stream[PageCode] | None = None
        self._url = ""
        self._waiting: list[tuple[OpenPageRequest, Later[OpenPageAnswer]]] = []

    def open(self) -> None:
        """At the daemon's start: a page that was open finds its service again."""
        remove_old(self._places.page)
        until = read_json(self._places.page_sessions).get(UNTIL)
        if isinstance(until, (int, float)) and until > self._wall():
            self._start_service()

    def owns(self, pid: int) -> bool:
        """Is this the process that runs as the page's service now?"""
        return pid > 0 and pid == self._services.pid_of(PAGE)

    def handlers(self) -> dict[type[ControlRequest[Any]], Handler]:
        return {OpenPageRequest: self.open_page, PageServiceRequest: self.serve, PageIdleRequest: self.idle}

    # --- what people ask

    def open_page(self, request: OpenPageRequest, caller: Caller) -> Later[OpenPageAnswer]:
        later: Later[OpenPageAnswer] = Later(STARTS_WITHIN, lambda: self._forget_waiting(later))
        self._log.info("page asked for", pid=caller.pid)
        self._start_service()
        self._waiting.append((request, later))
        if self._stream is not None:
            self._hand_out_codes()
        return later

    def _forget_waiting(self, later: Later[OpenPageAnswer]) -> None:
        self._waiting = [(request, held) for request, held in self._waiting if held is not later]

    def _start_service(self) -> None:
        self._switch.turn(on=True)

    def _hand_out_codes(self) -> None:
        waiting, self._waiting = self._waiting, []
        for request, later in waiting:
            try:
                later.answer(self._code_for(request))
            except McpgovError as problem:
                later.decline(str(problem), problem.hint)

    def _code_for(self, request: OpenPageRequest) -> OpenPageAnswer:
        assert self._stream is not None
        if request.typed:
            parts = ("".join(secrets.choice(LETTERS) for _ in range(TYPED_GROUP)) for _ in range(TYPED_GROUPS))
            code = "-".join(parts)
            self._stream.send(PageCode(code, TYPED_HOLDS))
            return OpenPageAnswer(self._url, TYPED_HOLDS, one_time_code=code)
        code = secrets.token_urlsafe(32)
        file = str(write_code_file(self._places.page, f"{self._url}enter", code))
        self._stream.send(PageCode(code, FILE_HOLDS, file))
        return OpenPageAnswer(self._url, FILE_HOLDS, file=file)

    # --- what the service says

    def serve(self, request: PageServiceRequest, caller: Caller) -> Stream[PageCode]:
        self._check(caller)
        if not 0 < request.port <= LARGEST_PORT or not request.base.isalnum():
            raise McpgovError(f"{request.port} is no port, or `{request.base[:40]}` no path")
        self._url = f"http://127.0.0.1:{request.port}/{request.base}/"
        stream: Stream[PageCode] = Stream(lambda: self._service_left(stream))
        self._stream = stream
        self._log.info("page service ready", port=request.port)
        self._hand_out_codes()
        return stream

    def idle(self, _request: PageIdleRequest, caller: Caller) -> NotedAnswer:
        self._check(caller)
        if not self._waiting:
            self._switch.turn(on=False)
        return NotedAnswer()

    def _service_left(self, stream: Stream[PageCode]) -> None:
        if self._stream is stream:
            self._stream = None

    def _check(self, caller: Caller) -> None:
        if not self.owns(caller.pid):
            raise CallerError("only the page's own service says so")
