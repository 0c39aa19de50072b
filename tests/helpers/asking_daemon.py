"""A small daemon that serves the control requests about questions: real socket, real rows, answers set by the test."""

import contextlib
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from mcpgov.core.approvals.grants import SCOPES
from mcpgov.daemon.approvals.choices import TERMS
from mcpgov.daemon.approvals.question import question_from
from mcpgov.daemon.approvals.wording import details, headline
from mcpgov.daemon.callers.caller_rules import Verdict
from mcpgov.daemon.callers.gate import Gate
from mcpgov.daemon.control import approval_requests as requests
from mcpgov.daemon.control.approval_requests import QuestionsAnswer, QuestionView
from mcpgov.daemon.control.dispatch import Dispatcher
from mcpgov.daemon.control.listener import Listener
from mcpgov.daemon.control.replies import Stream
from mcpgov.daemon.control.requests import PermissionAnswer, PermissionRequest, RequestRow
from mcpgov.daemon.log import Log
from mcpgov.daemon.reactor import Reactor
from mcpgov.errors import McpgovError
from mcpgov.places import Places
from tests.helpers.daemons import turning
from tests.helpers.questions import question_data

ROWS = (*requests.ROWS, RequestRow("may", PermissionRequest, PermissionAnswer))


def view(number: str = "4f1d0c92ab37-12", state: str = "offered", **change: Any) -> QuestionView:
    """A question as the daemon shows it; what is of the question itself goes by its own names."""
    own = {key: change.pop(key) for key in list(change) if key in question_data()}
    data = question_data(number=number, session=number.rpartition("-")[0], **own)
    made = question_from(data)
    usual: dict[str, Any] = {"remaining": 20.0, "late": 600.0 if state == "expired" else 0.0, "calls": 1}
    usual |= {"suggests": False, "asked_at": time.time(), "terms": TERMS, "scopes": SCOPES, "surfaces": ("command",)}
    told = {"headline": headline(made), "details": tuple(details(made)), "question": data}
    usual["numbers"] = (number,)
    return QuestionView(number=number, state=state, **{**told, **usual, **change})


class AskingDaemon:
    """`waiting` and `ended` are what it knows; `got` every request that changed something."""

    def __init__(self, root: Path) -> None:
        self.places = Places(root)
        self.log = Log(self.places.log / "daemon.jsonl")
        self.reactor = Reactor(self.log)
        self.waiting: list[QuestionView] = []
        self.ended: list[QuestionView] = []
        self.grants: list[requests.GrantView] = []
        self.locked: requests.LockAnswer | None = None
        self.got: list[Any] = []
        self.streams: list[Stream[QuestionsAnswer]] = []
        self.refuses = ""
        handlers = {
            requests.QuestionsRequest: lambda _request, _caller: self.told(),
            requests.WatchQuestionsRequest: self._watch,
            requests.ApproveRequest: self._approve,
            requests.DenyRequest: self._deny,
            requests.GrantsRequest: lambda _request, _caller: requests.GrantsAnswer(tuple(self.grants)),
            requests.RevokeRequest: self._revoke,
            requests.SuggestionsRequest: lambda _request, _caller: requests.SuggestionsAnswer(()),
            requests.LockRequest: self._lock,
            requests.UnlockRequest: self._unlock,
            PermissionRequest: lambda _request, _caller: PermissionAnswer(True),
        }
        gate = Gate(self.places, self.log, judge=lambda _pid: Verdict(self.refuses))
        self.listener = Listener(
            self.places.socket, self.reactor, self.log, Dispatcher(handlers, self.log, gate, ROWS).serve
        )

    @contextlib.contextmanager
    def running(self) -> Iterator["AskingDaemon"]:
        self.listener.open()
        self.reactor.part("listener", self.listener.due, self.listener.work)
        try:
            with turning(self.reactor):
                yield self
        finally:
            self.listener.close()
            self.reactor.close()

    def told(self) -> QuestionsAnswer:
        return QuestionsAnswer(tuple(self.waiting), tuple(self.ended), self.locked is not None)

    def put(self, *waiting: QuestionView, ended: tuple[QuestionView, ...] = ()) -> None:
        """What it knows from now on; whoever watches is told."""

        def change() -> None:
            self.waiting, self.ended = list(waiting), list(ended)
            self._changed()

        self.reactor.soon(change)

    def _changed(self) -> None:
        for stream in self.streams:
            stream.send(self.told())

    def _watch(self, request: Any, _caller: object) -> Stream[QuestionsAnswer]:
        self.got.append(request)
        self.streams.append(Stream())
        self.streams[-1].send(self.told())
        return self.streams[-1]

    def _end(self, number: str, answer: str, surface: str) -> bool:
        """Whether it was late."""
        for views in (self.waiting, self.ended):
            for at, each in enumerate(views):
                if number in each.numbers and each.state in ("offered", "expired"):
                    del views[at]
                    self.ended.insert(0, replace(each, state="answered", answer=answer, surface=surface, remaining=0.0))
                    self._changed()
                    return each.state == "expired"
        raise McpgovError("it was answered, or is over")

    def _approve(self, request: requests.ApproveRequest, _caller: object) -> requests.ApproveAnswer:
        late = self._end(request.number, "yes", request.surface)
        self.got.append(request)
        kept = late or request.term in ("session", "time")
        return requests.ApproveAnswer(request.number, late, request.number if kept else "")

    def _deny(self, request: requests.DenyRequest, _caller: object) -> requests.DenyAnswer:
        self._end(request.number, "no", request.surface)
        self.got.append(request)
        return requests.DenyAnswer(request.number)

    def _revoke(self, request: requests.RevokeRequest, _caller: object) -> requests.RevokeAnswer:
        self.got.append(request)
        wanted = [grant.grant for grant in self.grants] if request.every else list(request.grants)
        held = [grant.grant for grant in self.grants if grant.grant in wanted or grant.number in wanted]
        self.grants = [grant for grant in self.grants if grant.grant not in held]
        return requests.RevokeAnswer(tuple(held), tuple(each for each in wanted if each not in held))

    def _lock(self, request: requests.LockRequest, _caller: object) -> requests.LockAnswer:
        changed = self.locked is None
        self.locked = self.locked or requests.LockAnswer(True, False, time.time() - 65, request.why)
        return replace(self.locked, changed=changed)

    def _unlock(self, _request: object, _caller: object) -> requests.LockAnswer:
        before, self.locked = self.locked, None
        return requests.LockAnswer(
            False, before is not None, before.since if before else 0.0, before.why if before else ""
        )
