"""What each of the four tools answers. The arguments are checked; who calls comes from the transport.

Laws: an answer has the fields that clients know and no others; nothing of a request is in it unescaped. What a person
is asked about is judged first: what the policy denies is refused without asking, whoever would say yes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol, TypeVar

from mcpgov.core.approvals.resource_grants import CONNECT, why_not_exact
from mcpgov.core.decision import DENY, PROMPT, Decision
from mcpgov.core.rules.ruleset import stricter
from mcpgov.daemon.control.request_row import ControlRequest
from mcpgov.daemon.serve.serve_requests import ReportRequest, ResourceRequest
from mcpgov.daemon_client import DaemonError
from mcpgov.serve import policy_view, risks, verdicts
from mcpgov.serve.arguments import WrongArguments, escaped, escaped_and_cut
from mcpgov.serve.current_policy import CurrentPolicy
from mcpgov.serve.intent import FILE_ACTIONS, KINDS
from mcpgov.serve.policy_view import ALL, MATCHING, word_for
from mcpgov.serve.tools import FILE_DELETE, FILE_READ, FILE_WRITE, NETWORK, RESOURCE, SHELL

A = TypeVar("A")
GONE = "mcpgov.gone"  # of a request over HTTP: a function that returns once nobody waits for the answer
GRACE = 30.0  # seconds that the daemon's answer may come after a question's time
RELATIVE = Decision(DENY, None, "policy", "a relative path may be any path here", "")
LOCKED = Decision(DENY, None, "locked", "mcpgov is locked: every call is denied until the user unlocks it", "")
PATH_ACTIONS = (*FILE_ACTIONS, RESOURCE)
ACTION_OF = {"read": FILE_READ, "write": FILE_WRITE, "delete": FILE_DELETE, "execute": SHELL, CONNECT: NETWORK}
OPERATION_OF = {RESOURCE: "read", **{action: operation for operation, action in ACTION_OF.items()}}


class ToolFailed(Exception):
    """What kept a tool from answering, for whoever called."""


@dataclass(frozen=True, slots=True)
class CallingParty:
    """Who calls: `name` for counting; server, client and project where known; `token`: what it showed over HTTP."""

    name: str
    server: str = ""
    client: str = ""
    project: str = ""
    token: str = ""

    @property
    def who(self) -> tuple[str, str, str]:
        return self.server, self.client, self.project


class AsksDaemon(Protocol):
    async def ask(self, request: ControlRequest[A], timeout: float = ...) -> A: ...


class ToolAnswers:
    """`reveal`: what of the policy may be told now (the setting `serve.reveal`)."""

    def __init__(self, policy: CurrentPolicy, daemon: AsksDaemon, reveal: Callable[[], str]) -> None:
        self._policy, self._daemon, self._reveal = policy, daemon, reveal

    async def _verdict(self, action: str, target: str, caller: CallingParty) -> Decision:
        if self._policy.locked:
            return LOCKED
        if action in PATH_ACTIONS and self._policy.may_be_any_path(target):
            return RELATIVE
        judges = await self._policy.judges(caller.project)
        return verdicts.decide(judges, action, target, caller.who, self._policy.today)

    async def check_intent(self, given: Mapping[str, Any], caller: CallingParty) -> dict[str, object]:
        action, target = given["action_type"], given["target"]
        decision = await self._verdict(action, target, caller)
        allowed, asks = policy_view.passes(decision.action), decision.action == PROMPT
        real = self._policy.real(target)
        found = risks.concerns(action, dict.fromkeys((target, real)), decision.rule == verdicts.PROTECTED)
        answer: dict[str, object] = {
            "allowed": allowed,
            "risk_level": risks.risk_level(action, found, allowed),
            "explanation": self._explained(action, target, decision),
            "policy_rule": word_for(decision.action),
        }
        if allowed:
            return answer
        askable = asks and await self._may_be_granted(action, target, decision, caller)
        advice = [risks.WHOLE] if decision is RELATIVE else []
        return {**answer, "suggestions": [*advice, *risks.suggestions(action, found, askable)]}

    async def _may_be_granted(self, action: str, target: str, decision: Decision, caller: CallingParty) -> bool:
        """Would requestPermission ask a person about this?"""
        operation = OPERATION_OF.get(action)
        if operation is None or why_not_exact(risks.path_of_file_uri(target) or target, operation):
            return False
        return not verdicts.why_unanswerable(await self._policy.judges(caller.project), decision)

    def _explained(self, action: str, target: str, decision: Decision) -> str:
        what = f"{KINDS[action].label} on '{escaped_and_cut(target)}'"
        if policy_view.passes(decision.action):
            text = f"Action allowed: {what} is permitted by current policy."
        elif decision.action == PROMPT:
            text = f"Action needs approval: {what} is not permitted by current policy before the user was asked."
        else:
            text = f"Action blocked: {what} is not permitted by current policy."
        text += f" {escaped(decision.message)}" if decision.message else ""
        return f"{text} (rule {escaped(decision.rule)})" if self._reveal() == ALL and decision.rule else text

    async def request_permission(self, given: Mapping[str, Any], caller: CallingParty) -> tuple[dict[str, object], str]:
        """The answer, and why it is as it is: beside the fields that clients know."""
        resource, operation = given["resource"], given["operation"]
        if why := why_not_exact(resource, operation):
            raise WrongArguments(why)
        action = NETWORK if "://" in resource and operation != "execute" else ACTION_OF[operation]
        decision = await self._verdict(action, resource, caller)
        if policy_view.passes(decision.action):
            return _permission(True, "policy", None), "the policy allows it already"
        if decision.action != PROMPT:
            why = "no rule allows it" if decision.kind == "unauthorized" else "the policy denies it"
            return _permission(False, "none", None), f"{why}: nobody is asked. {escaped(decision.message)}".strip()
        if why := verdicts.why_unanswerable(await self._policy.judges(caller.project), decision):
            return _permission(False, "none", None), f"{why}: nobody is asked"
        seconds = float(given["timeout_seconds"])
        request = ResourceRequest(resource, operation, given["justification"], seconds, caller.token)
        found = await self._asked(request, seconds + GRACE)
        if not found.granted:
            return _permission(False, "none", None), found.why
        until = None if found.term == "session" else _moment(found.until)
        held = f"calls of {caller.server or 'the server'} pass by it" if found.honoured else "it holds for no call"
        return _permission(True, found.term, until), held

    async def report_action(self, given: Mapping[str, Any], caller: CallingParty) -> dict[str, object]:
        details = given.get("details")
        told = given["description"], given["action_type"], given["target"], given["result"]
        found = await self._asked(ReportRequest(*told, details, caller.token), 10.0)
        return {"recorded": True, "event_id": found.event_id}

    async def _asked(self, request: ControlRequest[A], timeout: float) -> A:
        try:
            return await self._daemon.ask(request, timeout)
        except DaemonError as error:
            raise ToolFailed(f"{error}{f'. Ask the user to run: {error.hint}' if error.hint else ''}") from None

    async def get_policy(self, given: Mapping[str, Any], caller: CallingParty) -> dict[str, object]:
        action, tool = given.get("action_type", ""), given.get("tool_name", "")
        resource = given.get("resource", "")
        judges = await self._policy.judges(caller.project)
        if not judges or self._policy.locked:
            decision = await self._verdict(action or FILE_READ, resource, caller)
            return {"rules": [policy_view.matched(decision)], "default_action": "block"}
        default = word_for(judges[0].rules.default)
        asked = action, tool, resource
        if (reveal := self._reveal()) != MATCHING:
            found = [rule for judge in judges for rule in policy_view.listed(judge.rules, reveal, *asked)]
            return {"rules": found, "default_action": default}
        verdict = await self._matching(judges, action, tool, resource, caller)
        rules = [policy_view.matched(verdict)] if verdict is not None and verdict.rule is not None else []
        return {"rules": rules, "default_action": default}

    async def _matching(
        self, judges: tuple[verdicts.IntentJudge, ...], action: str, tool: str, resource: str, caller: CallingParty
    ) -> Decision | None:
        if tool and resource and self._policy.may_be_any_path(resource):
            return RELATIVE
        if tool:
            try:
                asked = tool, action, resource, caller.who, self._policy.today
                first, *others = [judge.decide_tool(*asked) for judge in judges]
            except ValueError as problem:
                raise WrongArguments(str(problem)) from None
            for other in others:
                first = stricter(first, other)
            return first
        if not action and not resource:
            return None
        return await self._verdict(action or (NETWORK if "://" in resource else FILE_READ), resource, caller)


def _permission(granted: bool, scope: str, expires_at: str | None) -> dict[str, object]:
    return {"granted": granted, "scope": scope, "expires_at": expires_at}


def _moment(wall: float) -> str:
    return datetime.fromtimestamp(wall, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
