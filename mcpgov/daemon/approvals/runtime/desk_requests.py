"""Control requests of people: questions, answers, grants. Who may ask was checked before (control.dispatch)."""

from __future__ import annotations

from collections.abc import Callable

from mcpgov.daemon.approvals.choices import NO, PAGE, Choice
from mcpgov.daemon.approvals.effects import Answer, Effect, GrantMade
from mcpgov.daemon.approvals.grants import Now
from mcpgov.daemon.approvals.lifecycle import UNKNOWN, Lifecycle
from mcpgov.daemon.approvals.runtime.driver import UNRECORDED, QuestionDriver
from mcpgov.daemon.approvals.runtime.question_views import grant_view, questions_answer
from mcpgov.daemon.control.approval_requests import (
    ApproveAnswer,
    ApproveRequest,
    DenyAnswer,
    DenyRequest,
    GrantsAnswer,
    GrantsRequest,
    QuestionsAnswer,
    QuestionsRequest,
    RevokeAnswer,
    RevokeRequest,
    SuggestionsAnswer,
    SuggestionsRequest,
)
from mcpgov.daemon.control.replies import Caller
from mcpgov.errors import CallerError, McpgovError

LIST = "mcpgov approvals"


class DeskRequests:
    """`locked`: is every call denied now; `is_page`: is a process the local page's service."""

    def __init__(
        self,
        life: Lifecycle,
        driver: QuestionDriver,
        now: Callable[[], Now],
        locked: Callable[[], bool],
        is_page: Callable[[int], bool] = lambda _pid: False,
    ) -> None:
        self._life, self._driver, self._now, self._locked, self._is_page = life, driver, now, locked, is_page

    def snapshot(self) -> QuestionsAnswer:
        return questions_answer(self._life, self._now(), self._locked())

    def questions(self, _request: QuestionsRequest, _caller: Caller) -> QuestionsAnswer:
        return self.snapshot()

    def check_surface(self, surface: str, caller: Caller) -> None:
        """Raises CallerError. INVARIANT: `page` on record means that a person let in by a code has answered there."""
        if surface == PAGE and not self._is_page(caller.pid):
            raise CallerError("only the local page answers as the page", hint="mcpgov open")

    def approve(self, request: ApproveRequest, caller: Caller) -> ApproveAnswer:
        if self._locked():
            raise McpgovError("mcpgov is locked: every call is denied", hint="mcpgov unlock")
        choice = Choice(True, request.term, request.scope, request.seconds)
        effects = self._answer(request.number, choice, request.surface, caller)
        kept = next((effect.grant.id for effect in effects if isinstance(effect, GrantMade)), "")
        return ApproveAnswer(request.number, not any(isinstance(effect, Answer) for effect in effects), kept)

    def deny(self, request: DenyRequest, caller: Caller) -> DenyAnswer:
        self._answer(request.number, NO, request.surface, caller)
        return DenyAnswer(request.number)

    def _answer(self, number: str, choice: Choice, surface: str, caller: Caller) -> list[Effect]:
        self.check_surface(surface, caller)
        why, effects = self._life.answer(number, choice, surface, f"pid {caller.pid}", self._now())
        recorded = self._driver.perform(effects)
        if why:
            raise McpgovError(f"`{number[:60]}`: {why}", hint=LIST if why == UNKNOWN else "")
        if not recorded and choice.yes:
            raise McpgovError(f"`{number}` was not allowed: {UNRECORDED}", hint="mcpgov doctor")
        return effects

    def grants(self, _request: GrantsRequest, _caller: Caller) -> GrantsAnswer:
        self._driver.perform(self._life.tick(self._now()))  # what is listed holds
        return GrantsAnswer(tuple(map(grant_view, self._life.granting.grants)))

    def revoke(self, request: RevokeRequest, _caller: Caller) -> RevokeAnswer:
        before = {grant.id for grant in self._life.granting.grants}
        unknown: list[str] = []
        for ident in ("",) if request.every else request.grants:
            effects = self._life.granting.revoke(ident)
            self._driver.perform(effects)
            unknown += [] if effects or not ident else [ident]
        left = {grant.id for grant in self._life.granting.grants}
        return RevokeAnswer(tuple(sorted(before - left)), tuple(unknown))

    def suggestions(self, _request: SuggestionsRequest, _caller: Caller) -> SuggestionsAnswer:
        return SuggestionsAnswer(tuple(self._life.habits))
