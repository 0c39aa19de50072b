"""Requests that are held while a person is asked, and how they go on. Pure; loaded with the first question.

Laws: a held request gets exactly one answer, or none if whoever sent it cancels it. It is judged again when it is sent:
a yes brings a grant, which is held against what the policy in force asks now, the tool as it is listed now and the
arguments; a denial wins over it, and what a grant does not hold for is denied.
"""

from __future__ import annotations

from mcpgov.core.decision import DENY, PROMPT, Decision
from mcpgov.core.session.call_records import of_decision, of_guards, passed
from mcpgov.core.session.effects import Ask, Dispatched, Record, Withdraw
from mcpgov.core.session.open_requests import CANCELLED, DENIED, WITHDRAWN
from mcpgov.core.session.session_state import BrokenOff
from mcpgov.core.session.verdict import body_of, failed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from mcpgov.core.approvals.grants import Grant
    from mcpgov.core.rules.call import Call
    from mcpgov.core.session.client_side import ClientSide
    from mcpgov.core.session.effects import Effect, Note
    from mcpgov.core.session.open_requests import OpenRequest
    from mcpgov.core.session.server_side import ServerSide

    Side: TypeAlias = ClientSide | ServerSide

# Why a question ended in a no.
REFUSED, TIMEOUT, UNREACHABLE = "refused", "timeout", "unreachable"  # and WITHDRAWN
CLIENT_GONE = "the client has gone"


class HeldRequest:
    """What is kept of a request that is held: its text, the verdict that asks, and the number of the question."""

    __slots__ = ("decision", "numbers", "text")

    def __init__(self, number: str, decision: Decision, text: str) -> None:
        self.numbers = (number,)
        self.decision = decision
        self.text = text

    def closed(self, reason: str) -> None:
        """Guards hear of its end by the request itself."""


class Resolution:
    """What came of a question: a no with its code (REFUSED and so on) and what to tell the client, or a grant."""

    __slots__ = ("code", "grant", "now", "text")

    def __init__(self, code: str, text: str = "", grant: Grant | None = None, now: float = 0.0) -> None:
        """`now`: wall seconds, by which the grant still holds or does not."""
        self.code = code
        self.text = text
        self.grant = grant
        self.now = now


NOBODY_TO_ASK = Resolution(UNREACHABLE)


def allowed(grant: Grant, now: float) -> Resolution:
    return Resolution("", "", grant, now)


def park(
    side: Side,
    ident: str | int,
    request: OpenRequest,
    decision: Decision,
    text: str,
    brought: tuple[str, str] | None = None,
) -> Effect:
    """Hold a request. Its id is in use from now on; other requests go on."""
    assert request.call is not None
    side.requests.open(ident, request, HeldRequest(request.number, decision, text))
    return Ask(request.number, side.sender, request.call, decision, brought, _continues(side, request.call))


def _continues(side: Side, call: Call) -> str:
    """The approved call that this one repeats, with what the server asked for."""
    known = side.state.continued
    if not known or "inputResponses" not in call.params:
        return ""
    state = call.params.get("requestState")
    return known.pop(state if isinstance(state, str) else "", "")


def resume(side: Side, number: str, resolution: Resolution) -> list[Effect]:
    """Continue a held request of this side. A number that is not held: it was resumed or withdrawn before."""
    ident = side.requests.held.get(number)
    request = side.requests.held_at(ident) if ident is not None else None
    if ident is None or request is None:
        return []
    if not isinstance(request.held, HeldRequest):
        from mcpgov.core.approvals import held_answers

        return held_answers.resume(side.results, side.requests, ident, number, resolution)
    if resolution.grant is None:
        if resolution.code == UNREACHABLE and request.guards is not None and request.call is not None:
            request.guards.unasked(request.call)
        return _refuse(side, ident, request, request.held.decision, resolution)
    try:
        return _dispatch(side, ident, request, request.held, resolution)
    except (RecursionError, MemoryError, BrokenOff) as problem:
        return _deny(side, ident, request, failed(problem))


def cancel(side: Side, ident: str | int) -> list[Effect]:
    """Whoever sent a held request does not want it any more, and waits for no answer."""
    waiting = side.requests.held_at(ident)
    if waiting is not None and not isinstance(waiting.held, HeldRequest):
        from mcpgov.core.approvals import held_answers

        return held_answers.cancelled(side.requests, ident)
    request = side.requests.close(ident, CANCELLED)
    assert request is not None
    return [
        Record({**_note(side, request), "action": "withdrawn", "why": CANCELLED}),
        Withdraw(request.number, CANCELLED),
    ]


def withdraw_all(side: Side, why: str) -> list[Effect]:
    """Nobody is there any more to be asked about these."""
    effects: list[Effect] = []
    for number in list(side.requests.held):
        effects += [Withdraw(number, why), *resume(side, number, Resolution(WITHDRAWN, why))]
    return effects


def _refuse(
    side: Side, ident: str | int, request: OpenRequest, asked: Decision, resolution: Resolution
) -> list[Effect]:
    if resolution.code == UNREACHABLE and not resolution.text:
        return [side.deny(ident, asked)]  # the record of the request says so already
    decision = Decision(PROMPT, asked.rule, asked.kind, resolution.text, asked.revision, (), resolution.code)
    note = {**_note(side, request), "action": DENY, "rule": asked.rule, "answer": resolution.code}
    reason = WITHDRAWN if resolution.code == WITHDRAWN else DENIED
    return [Record({**note, "why": resolution.text}), side.deny(ident, decision, reason)]


def _dispatch(
    side: Side, ident: str | int, request: OpenRequest, held: HeldRequest, resolution: Resolution
) -> list[Effect]:
    """A yes: judge the request by the policy in force now, and send it."""
    call, grant, now = request.call, resolution.grant, resolution.now
    assert grant is not None
    assert call is not None
    if call.tool is not None:
        call.annotate(side.state.tool_list.annotations.get(call.tool))
    if (denial := side.judge.read_again(side.sender, call, held.text, call.screened)) is not None:
        return _deny(side, ident, request, denial)
    decision, made = side.judge.with_cuts(held.text, call.method, side.judge.verdict(call, side.sender, approved=True))
    if decision is not None and decision.action == DENY:
        return _deny(side, ident, request, decision)
    if decision is not None and decision.action == PROMPT and (why := _objection(side, call, decision, grant, now)):
        return _deny(side, ident, request, _moved(decision, why))
    body = body_of(made, held.text.encode(), held.text)
    request.call = side.kept(call)
    side.requests.release(request)
    request.approved = True
    told = of_decision(decision) if decision is not None else {}
    waited = (side.state.clock() - request.start) // 1000
    note = {**_note(side, request), **told, "action": "resumed", "grant": grant.id, "waited_us": waited}
    return [Record(note), *of_guards(request), side.send(ident, call.method, body), Dispatched(request.number)]


def _objection(side: Side, call: Call, decision: Decision, grant: Grant, now: float) -> str:
    """Why the grant does not hold for what is asked now."""
    from mcpgov.core.approvals.asking import attempt_of
    from mcpgov.core.approvals.grants import refusal

    policy = side.state.policy
    assert policy is not None  # a policy asks
    return refusal(grant, attempt_of(side.state, call, decision), policy.rules.reader, now)


def _moved(asked: Decision, why: str) -> Decision:
    text = f"the answer does not hold for this call any more: {why}; try again"
    return Decision(PROMPT, asked.rule, asked.kind, text, asked.revision, (), REFUSED)


def _deny(side: Side, ident: str | int, request: OpenRequest, decision: Decision) -> list[Effect]:
    note = {**_note(side, request), **of_decision(decision), "action": DENY, "why": decision.message}
    return [Record(note), side.deny(ident, decision), Dispatched(request.number, decision.message or decision.kind)]


def _note(side: Side, request: OpenRequest) -> Note:
    note = {**passed(side.sender, request.method), "decision": request.number}
    return note if request.tool is None else {**note, "tool": request.tool}
