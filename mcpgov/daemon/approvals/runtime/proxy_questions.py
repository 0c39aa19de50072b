"""Questions of linked proxies: asked, withdrawn, answered over the link. The wire is told in the package's docstring.

Laws: what a link says counts only for the session that it registered with; an app's answer only from the link whose
question is open. A link that closes takes its questions with it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Protocol

from mcpgov.daemon.approvals import wording
from mcpgov.daemon.approvals.choices import APP_SURFACE
from mcpgov.daemon.approvals.effects import DENY, UNREACHABLE, Answer, OfferQuestion
from mcpgov.daemon.approvals.grants import Now
from mcpgov.daemon.approvals.lifecycle import Brought, Lifecycle
from mcpgov.daemon.approvals.question import NoQuestion, Question, question_from
from mcpgov.daemon.approvals.runtime.driver import QuestionDriver
from mcpgov.daemon.approvals.surfaces import elicitation
from mcpgov.daemon.control.question_requests import (
    AppWordRequest,
    AskAnswer,
    AskRequest,
    DispatchedRequest,
    NotDispatchedRequest,
    NotedAnswer,
    ParkedRequest,
)
from mcpgov.daemon.control.replies import Caller, Later
from mcpgov.errors import McpgovError

SLACK = 60.0  # seconds that an answer may come after its time: the lifecycle's own clock is the one that counts
LARGEST = 128 * 1024  # of a question: what nobody reads nobody can answer
GONE, TAKEN_BACK = "its proxy is gone", "the call was withdrawn"


class LinksLike(Protocol):
    def session_of(self, link: int) -> str: ...
    def sessions(self) -> Iterable[str]: ...
    def push(self, link: int, op: str, **fields: object) -> bool: ...


@dataclass(frozen=True, slots=True)
class OpenAsk:
    later: Later[AskAnswer]
    link: int
    version: str


@dataclass(eq=False)
class ProxyQuestions:
    """`wait`: seconds for a client's question; `app`: may questions be asked inside apps; `locked`: is all denied."""

    _life: Lifecycle
    _driver: QuestionDriver
    _links: LinksLike
    _now: Callable[[], Now]
    _wait: Callable[[str, str], float]
    _app: Callable[[], bool]
    _locked: Callable[[], bool]
    _open: dict[str, OpenAsk] = field(default_factory=dict, init=False)

    # --- from proxies

    def ask(self, request: AskRequest, caller: Caller) -> Later[AskAnswer] | AskAnswer:
        question = self._question(request, caller)
        if self._locked():
            return AskAnswer(DENY, UNREACHABLE, "locked", wording.locked())
        number, wait = question.number, self._wait(question.client, question.server)
        later: Later[AskAnswer] = Later(wait + SLACK, lambda: self._taken_back(number))
        self._open[number] = OpenAsk(later, caller.link, request.version)
        brought = None
        if request.brought is not None:
            brought = Brought(request.brought.number, elicitation.CHOICES[request.brought.word])
        desk = self._driver.surfaces.at_the_desk()
        effects = self._life.ask(question, wait, desk, self._now(), brought)
        self._driver.perform(effects)
        if not effects:
            self._open.pop(number, None)
            raise McpgovError(f"`{number}` was asked before")
        if later.open:
            self._links.push(caller.link, "waits", number=number, wait=wait)
        return later

    def _question(self, request: AskRequest, caller: Caller) -> Question:
        session = self._session(caller)
        if len(json.dumps(request.question)) > LARGEST:
            raise McpgovError("the question is too long to be shown to a person")
        try:
            found = question_from(request.question)
        except NoQuestion as problem:
            raise McpgovError(f"no question: {problem}") from None
        if found.session != session or found.number.rpartition("-")[0] != session:
            raise McpgovError("a question of another session")
        if found.number in self._open:
            raise McpgovError(f"`{found.number}` is asked already")
        return found if self._app() else replace(found, app="")

    def _session(self, caller: Caller) -> str:
        session = self._links.session_of(caller.link) if caller.by_proxy else ""
        if not session:
            raise McpgovError("only a linked proxy asks")
        return session

    def _own(self, number: str, caller: Caller) -> str:
        if number.rpartition("-")[0] != self._session(caller):
            raise McpgovError("a call of another session")
        return number

    def _waiting(self, number: str, caller: Caller) -> str:
        """A call whose ask is open, by the very link that asked."""
        held = self._open.get(self._own(number, caller))
        if held is None or held.link != caller.link:
            raise McpgovError("the question is over")
        return number

    def app(self, request: AppWordRequest, caller: Caller) -> NotedAnswer:
        number = self._own(request.number, caller)
        if not request.word:  # also of a call that was ended by asking inside its result
            self._driver.failed(number, APP_SURFACE, request.why[:200])
            return NotedAnswer()
        self._waiting(number, caller)
        choice = elicitation.CHOICES[request.word]
        why, effects = self._life.answer(number, choice, APP_SURFACE, f"the app, pid {caller.pid}", self._now())
        self._driver.perform(effects)
        if why:
            raise McpgovError(why)
        return NotedAnswer()

    def parked(self, request: ParkedRequest, caller: Caller) -> NotedAnswer:
        number = self._waiting(request.number, caller)
        self._life.parked(number)
        self._open.pop(number).later.answer(AskAnswer("parked"))
        return NotedAnswer()

    def dispatched(self, request: DispatchedRequest, caller: Caller) -> NotedAnswer:
        self._driver.perform(self._life.granting.dispatched(self._own(request.number, caller)))
        return NotedAnswer()

    def not_dispatched(self, request: NotDispatchedRequest, caller: Caller) -> NotedAnswer:
        number = self._own(request.number, caller)
        self._driver.perform(self._life.granting.refused(number, request.why[:500]))
        return NotedAnswer()

    def _taken_back(self, number: str) -> None:
        """Cancelled, or the link is gone."""
        if self._open.pop(number, None) is not None:
            self._driver.perform(self._life.cancel(number, TAKEN_BACK, self._now()))

    def session_gone(self, session: str) -> None:
        """Its link has closed; another link of the same session, if there is one, goes on."""
        if session and session not in set(self._links.sessions()):
            self._driver.perform(self._life.session_gone(session, GONE, self._now()))

    # --- to proxies

    def deliver(self, answer: Answer) -> None:
        held = self._open.pop(answer.number, None)
        if held is not None:
            grant = answer.grant.as_data() if answer.grant is not None else None
            held.later.answer(AskAnswer(answer.verdict, answer.answer, answer.reason_code, answer.text, grant))

    def elicit(self, effect: OfferQuestion) -> None:
        """The surface `app`: the proxy asks inside its app. Raises where it cannot be told."""
        held = self._open[effect.number]
        params = elicitation.params(effect.question, held.version)
        if not self._links.push(held.link, "elicit", number=effect.number, params=params):
            raise McpgovError("its proxy does not take it")
