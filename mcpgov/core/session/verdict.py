"""The verdict on a request, and what a denied one gets to hear: the one place where all judges meet. Pure.

Order: built-in protection and the rules; then pins and earlier denials; then the guards that the policy needs, in the
order of their table. The strictest holds: allow, log, redact, prompt (a person is asked), deny.

Law: whatever fails while judging is a denial.
"""

from __future__ import annotations

from mcpgov.core.decision import DENY, PROMPT, REDACT, Decision
from mcpgov.core.messages import wire
from mcpgov.core.messages.methods import CLIENT, GOVERNED, NEVER_DENIED
from mcpgov.core.session.session_state import LOCKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.core.messages.input_requests import Place
    from mcpgov.core.rules.call import Call
    from mcpgov.core.session.effects import Line
    from mcpgov.core.session.guard import Guards
    from mcpgov.core.session.open_requests import OpenRequest
    from mcpgov.core.session.session_state import State

STOPPED = (DENY, PROMPT)
LOCKED_WHY = "everything is locked until the user runs: mcpgov unlock"
UNACCEPTED = "the tool is new or has changed since it was first seen"


class Stopped(Exception):
    """A verdict on something inside a message that does not pass."""

    def __init__(self, decision: Decision) -> None:
        super().__init__(decision.action)
        self.decision = decision


class AnswerPart:
    """What of an answer was judged: an input request in it, or the answer as a whole (then `place` is empty)."""

    __slots__ = ("call", "decision", "guards", "number", "place")

    def __init__(
        self, place: Place, number: str, call: Call, decision: Decision | None, guards: Guards | None = None
    ) -> None:
        """`guards`: who hears of the end of an input request."""
        self.place = place
        self.number = number
        self.call = call
        self.decision = decision
        self.guards = guards

    @property
    def asks(self) -> bool:
        return self.decision is not None and self.decision.action == PROMPT

    def settle(self, reason: str) -> None:
        """Guards hear of the end of what they were asked about; of the answer as a whole they hear elsewhere."""
        if self.guards is not None:
            self.guards.settle(self.call, reason)


class AskFirst(Exception):
    """Some part of an answer needs a person's yes."""

    def __init__(self, parts: list[AnswerPart]) -> None:
        super().__init__(len(parts))
        self.parts = parts


class Judge:
    """Judges by the policy that is in force at the moment it is asked."""

    def __init__(self, state: State) -> None:
        self._state = state

    def knows(self, known: bool, method: str) -> bool:
        """Is a request of this method passed on at all?"""
        policy = self._state.policy
        return known or (policy is not None and policy.names(method))

    def by_rules(self, call: Call) -> Decision | None:
        """What the rules say; None for methods that pass unless a rule names them and none does."""
        if call.method in NEVER_DENIED:
            return None
        policy = self._state.policy
        if self._state.locked and call.method in GOVERNED:
            return Decision(DENY, None, LOCKED, LOCKED_WHY, "")
        if policy is None:
            return Decision(DENY, None, "unauthorized", "no policy is in force", "")
        try:
            decision = policy.decide(call, self._state.today)
        except Exception as problem:  # INVARIANT: a policy that fails opens no door and ends no conversation.
            return failed(problem)
        return None if call.method not in GOVERNED and decision.rule is None else decision

    def verdict(self, call: Call, sender: str, *, approved: bool = False) -> Decision | None:
        """What becomes of a request; None: it passes without a verdict. `approved`: a person has said yes to it."""
        decision = self.by_rules(call)
        if sender == CLIENT:
            decision = self._by_earlier_lines(call, decision)
        guards = self.guards_of(call)
        if guards is None or decision is None:
            return decision
        call.session = self._state.who.session
        return guards.check(call, decision, approved=approved)

    def guards_of(self, call: Call) -> Guards | None:
        """Who judges a governed request after the rules, and hears of its end."""
        policy = self._state.policy
        return policy.guards if policy is not None and call.method in GOVERNED else None

    def _by_earlier_lines(self, call: Call, decision: Decision | None) -> Decision | None:
        """Tools that are held, and input requests that were denied."""
        state = self._state
        revision = decision.revision if decision is not None else ""
        if decision is not None and call.tool is not None and state.tool_list.holds(call.tool):
            # A question about the tool goes before a rule's: what a rule asks, it asks of the tool that was accepted.
            decision = decision if decision.action == DENY else Decision(*self._pinned(), revision)
        retries = state.retries
        if retries is not None and call.method not in NEVER_DENIED and retries.answers_refused(call.params):
            rule = decision.rule if decision is not None else None
            return Decision(DENY, rule, "policy", "it answers a request that was denied", revision)
        return decision

    def _pinned(self) -> tuple[str, None, str, str]:
        """The verdict on a tool that nobody has accepted."""
        return (PROMPT, None, "pin", UNACCEPTED) if self._state.tool_list.mode == PROMPT else (DENY, None, "pin", "")

    def of_answer(self, call: Call | None, answer: object, *, is_error: bool = False) -> Decision | None:
        """What rules with `contains` and the guards say of an answer; None: nothing. `is_error`: it is one."""
        policy = self._state.policy
        if policy is None or call is None or not policy.watches_answers:
            return None
        wire.check_depth(answer, wire.DEEPEST_ARGUMENTS)
        try:
            decision = policy.judge_answer(call, answer, self._state.today)
        except Exception as problem:  # INVARIANT: as above.
            decision = failed(problem)
        return decision if policy.guards is None else policy.guards.scan(call, answer, decision, is_error=is_error)

    # --- requests that are to be cut

    def with_cuts(
        self, text: str, method: str, decision: Decision | None
    ) -> tuple[Decision | None, dict[str, object] | None]:
        """The verdict, and the request as it may go out where it is to be cut; what cannot be cut is denied."""
        if decision is None or decision.action != REDACT:
            return decision, None
        from mcpgov.core.session.redaction import cut_request

        made = cut_request(wire.exact(text), method, decision.cuts)
        return (uncut(decision), None) if made is None else (decision, made)

    # --- denials

    def denial(self, ident: str | int, request: OpenRequest, decision: Decision) -> bytes:
        """The answer to a request of the client that is denied."""
        self._state.denied += 1
        return self.refusal(ident, request, decision)

    def refusal(self, ident: str | int, request: OpenRequest, decision: Decision) -> bytes:
        from mcpgov.core.session import denials

        policy = self._state.policy
        wanted = policy.deny_as(self._state.who.server) if policy is not None else "result"
        if request.method == "tools/call" and wanted == "result":
            return denials.as_result(ident, request.tool or "", decision, request.number, request.modern)
        return denials.as_error(ident, decision, request.number)


def failed(problem: BaseException) -> Decision:
    return Decision(DENY, None, "policy", f"the policy failed: {type(problem).__name__}", "")


def uncut(decision: Decision) -> Decision:
    """What was to be cut stands where nothing can be cut."""
    return Decision(DENY, decision.rule, decision.kind, decision.message, decision.revision)


def body_of(made: dict[str, object] | None, line: Line, text: str) -> Line:
    """A request as it goes out; `made`: its value, where something was cut out of it."""
    if made is None:
        return wire.outgoing(line, text)
    from mcpgov.core.session.redaction import rewritten

    return rewritten(text, made)
