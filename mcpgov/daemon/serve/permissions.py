"""Permissions that a server asks for by itself: a question to a person, and what became of it.

Laws: what is asked for is one exact resource, checked here whatever was checked before; the question says who asks as
the system tells it, and shows the justification as the caller's own words. A yes holds for calls of the governed
server that the caller is, and where it is none for nothing: it is only told and on record. Programs that are neither
server, app nor token have one count together: a new process is no new caller.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import count

from mcpgov import host
from mcpgov.core.approvals.question import DESK, cut_middle, masked_text, masked_whole
from mcpgov.core.approvals.resource_grants import ASKED, EXECUTE, PERMISSION, why_not_exact
from mcpgov.core.messages.elicitation import host_of
from mcpgov.core.rules.links import canonical
from mcpgov.core.rules.path_arguments import is_url
from mcpgov.core.world import World
from mcpgov.daemon.approvals import wording
from mcpgov.daemon.approvals.effects import ALLOW, Answer
from mcpgov.daemon.approvals.grants import Now
from mcpgov.daemon.approvals.lifecycle import Lifecycle
from mcpgov.daemon.approvals.question import ArgumentPlace, Question
from mcpgov.daemon.approvals.runtime.driver import QuestionDriver
from mcpgov.daemon.control.replies import Caller, Later
from mcpgov.daemon.serve.caller_identity import ServeCaller
from mcpgov.daemon.serve.serve_requests import ResourceAnswer, ResourceRequest
from mcpgov.errors import CallerError, McpgovError
from mcpgov.serve_limits import CallLimits

SHORTEST, LONGEST = 1.0, 300.0  # seconds
LONGEST_WORDS = 2000  # of a justification
SLACK = 60.0  # seconds that an answer may come after its time: the lifecycle's own clock is the one that counts
TOO_MANY = "programs that are no governed server have asked for too much"
PERMIT = "requestPermission"
REVOKED = "the token was revoked while the user was asked"
TAKEN_BACK = "whoever asked has gone"


class ResourcePermissions:
    """`identify`: who a pid or a token is; `locked`: is every call denied now."""

    def __init__(
        self,
        life: Lifecycle,
        driver: QuestionDriver,
        now: Callable[[], Now],
        locked: Callable[[], bool],
        identify: Callable[[int, str], ServeCaller],
    ) -> None:
        self._life, self._driver, self._now, self._locked, self._identify = life, driver, now, locked, identify
        self._session = os.urandom(6).hex()  # of questions that no governed server asks
        self._numbers = count(1)
        self._open: dict[str, tuple[Later[ResourceAnswer], ResourceRequest, bool]] = {}
        self._of_others = CallLimits(lambda: now().mono)
        self._world = World(host.readlink, "", host.home())

    def ask(self, request: ResourceRequest, caller: Caller) -> Later[ResourceAnswer] | ResourceAnswer:
        if self._locked():
            return ResourceAnswer(False, why=wording.locked())
        who = self._identify(caller.pid, request.token)
        question = self.question(request, who)
        if who.is_process and (wait := self._of_others.retry_after("", PERMIT)):
            return ResourceAnswer(False, why=f"{TOO_MANY}: try again in {wait:.0f} s")
        number, wait = question.number, request.seconds
        later: Later[ResourceAnswer] = Later(wait + SLACK, lambda: self._taken_back(number))
        self._open[number] = later, request, bool(question.service)
        self._driver.perform(self._life.ask(question, wait, self._driver.surfaces.at_the_desk(), self._now()))
        return later

    def question(self, request: ResourceRequest, caller: ServeCaller) -> Question:
        """Raises McpgovError for what may not be asked."""
        resource, operation = request.resource, request.operation
        if not SHORTEST <= request.seconds <= LONGEST:
            raise McpgovError(f"a question waits from {SHORTEST:g} to {LONGEST:g} seconds")
        if why := why_not_exact(resource, operation):
            raise McpgovError(why)
        if masked_whole(resource) != resource:
            raise McpgovError("the resource has what looks like a secret in it: nobody is asked about that")
        target, paths, hosts = self._places(resource, operation)
        return Question(
            number=f"{caller.session or self._session}-p{next(self._numbers)}",
            session=caller.session or self._session,
            server=caller.server or caller.name,
            client=caller.client,
            project=caller.project,
            method=PERMISSION + operation,
            target=target,
            service=caller.server,
            operations=(operation,),
            operation_why="",
            asked_by=ASKED,
            message=masked_text(request.justification[:LONGEST_WORDS]),
            file="",
            line=0,
            ask=(DESK,),
            layer="user",
            revision=caller.session,
            shown={"resource": target},
            masked=(),
            paths=paths,
            hosts=hosts,
            complete=True,
            args=None,
            folders=(),
            tool_digest="",
            args_digest=f"{operation} {target}",
            app="",
        )

    def _places(
        self, resource: str, operation: str
    ) -> tuple[str, tuple[ArgumentPlace, ...], tuple[ArgumentPlace, ...]]:
        """The resource as it really is, and where it leads, for a person."""
        if operation != EXECUTE and is_url(resource):
            return resource, (), (ArgumentPlace("resource", resource, (cut_middle(host_of(resource)),)),)
        if operation == EXECUTE:
            return resource, (), ()
        real = canonical(resource, self._world)
        if not real:
            raise McpgovError("the resource leads each process elsewhere, or through links in a circle")
        return real, (ArgumentPlace("resource", resource, (real,)),), ()

    def deliver(self, answer: Answer) -> bool:
        """False: it is for somebody else."""
        held = self._open.pop(answer.number, None)
        if held is None:
            return False
        later, request, governed = held
        grant = answer.grant
        if answer.verdict == ALLOW and grant is not None and self._revoked(request.token):
            self._driver.perform(self._life.granting.revoke(grant.id))
            later.answer(ResourceAnswer(False, why=REVOKED))
        elif answer.verdict == ALLOW and grant is not None:
            later.answer(ResourceAnswer(True, grant.term, grant.until, governed))
        else:
            later.answer(ResourceAnswer(False, why=answer.text))
        return True

    def _revoked(self, token: str) -> bool:
        """Was the token that asked revoked while a person was asked? Then the yes is nobody's."""
        try:
            return bool(token) and not self._identify(0, token)
        except CallerError:
            return True

    def _taken_back(self, number: str) -> None:
        """The asker has closed its connection: nobody waits for an answer any more."""
        if self._open.pop(number, None) is not None:
            self._driver.perform(self._life.cancel(number, TAKEN_BACK, self._now()))
