"""The verdict on a request, and what a denied one gets to hear: the one place where all judges meet. Pure.

Order: built-in protection and the rules; then pins and earlier denials; then the guards that the policy needs, in the
order of their table. The strictest holds: allow, log, redact, prompt (a person is asked), deny.

Law: whatever fails while judging is a denial.
"""

from __future__ import annotations

from mcpgov.core.decision import DENY, PROMPT, REDACT, Decision
from mcpgov.core.messages import wire
from mcpgov.core.messages.methods import CLIENT, GOVERNED, NEVER_DENIED, SERVER
from mcpgov.core.rules.call import Call, call_of
from mcpgov.core.session.effects import Record
from mcpgov.core.session.session_state import LOCKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.core.messages.input_requests import Place
    from mcpgov.core.session.effects import Effect, Line, Note
    from mcpgov.core.session.guard import Guards, Screened
    from mcpgov.core.session.open_requests import OpenRequest
    from mcpgov.core.session.session_state import State

STOPPED = (DENY, PROMPT)
LOCKED_WHY = "everything is locked until the user runs: mcpgov unlock"
READ_OTHERWISE = "what may pass of it has changed; try again"
# What a record says of a line in the line's own words.
SAID = ("tool", "prompt", "uris", "args", "listed", "changed", "flagged", "line", "method", "why")
OURS = ("method", "why")  # of these what we say ourselves where nothing could be read
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
        decision = self.before_guards(call, sender)
        guards = self.guards_of(call)
        if guards is None or decision is None:
            return decision
        self.introduce(call)
        return guards.check(call, decision, approved=approved)

    def introduce(self, call: Call) -> None:
        """Tell a call what its guards want to know of it."""
        call.session, call.notes = self._state.who.session, self._state.guard_notes
        call.number = call.number or self._state.next_number

    def before_guards(self, call: Call, sender: str) -> Decision | None:
        """What rules, earlier lines and its own line say of a request."""
        decision = self.by_rules(call)
        if sender == CLIENT:
            decision = self._by_earlier_lines(call, decision)
        if call.screened is not None and call.screened.decision is not None:
            from mcpgov.core.session.guard import stricter

            decision = stricter(decision, call.screened.decision)
        return decision

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
        call.notes = self._state.guard_notes
        wire.check_depth(answer, wire.DEEPEST_ARGUMENTS)
        try:
            decision = policy.judge_answer(call, answer, self._state.today)
        except Exception as problem:  # INVARIANT: as above.
            decision = failed(problem)
        return decision if policy.guards is None else policy.guards.scan(call, answer, decision, is_error=is_error)

    # --- lines that a guard reads

    def look(self, line: Line) -> None:
        """A line begins: does a guard that reads lines have to see it?"""
        state, guards = self._state, self._line_guards
        state.screened = None
        state.dirty = guards is not None and not guards.is_clean(line, state.memory)

    @property
    def _line_guards(self) -> Guards | None:
        policy = self._state.policy
        return policy.guards if policy is not None and policy.reads_lines else None

    def screen(self, sender: str, call: Call, line: Line, text: str) -> tuple[Line, str] | None:
        """The message as it may go out, its line and its text, which is empty for a large line; None: as it came.

        `call`: the message, or of an answer what it answers. Whether it is denied: `line_denial`.
        """
        state, guards = self._state, self._line_guards
        if not state.dirty or guards is None:
            return None
        found = state.screened = guards.screen(sender, call, text or wire.decode(line), state.memory)
        if found is None or found.text == found.original:
            return None
        return found.text.encode(), found.text if text else ""

    @property
    def line_denial(self) -> Decision | None:
        """Does the guard that reads lines deny this one?"""
        screened = self._state.screened
        return screened.decision if screened is not None else None

    def subject(self, method: str, params: object) -> Call:
        """A message as the rules of a guard see it, whatever its shape."""
        who, call = self._state.who, None
        tool = params.get("name") if isinstance(params, dict) else None
        hints = self._state.tool_list.annotations.get(tool) if isinstance(tool, str) else None
        try:
            call = call_of(method, params, who.server, who.client, who.project, None, hints)
        except ValueError:
            call = Call(method, {}, who.server, who.client, who.project)
        return call

    def attach(self, call: Call) -> None:
        """Give a request what a guard has made of its line: its verdict goes by that, records and questions show it."""
        screened = call.screened = self._state.screened
        if screened is not None and screened.shown != screened.text:
            call.shown = self._shown(call, screened.shown)

    def _shown(self, call: Call, text: str) -> Call:
        if not text:
            made = Call(call.method, {}, call.server, call.client, call.project)
            made.tool, made.args = call.tool, None if call.args is None else {}
            return made
        if len(text) > wire.LARGE_LINE:
            from mcpgov.core.large import large_messages

            return self.subject(call.method, large_messages.read(text.encode(), judged=True).get("params"))
        return self.subject(call.method, wire.read(text, judged=True).get("params"))

    def read_part(self, call: Call, request: dict[str, object]) -> None:
        """A request of the server inside of an answer, read once more as what it is: rules may name its method."""
        state, guards = self._state, self._line_guards
        text = wire.dump(request) if guards is not None else ""
        if guards is None or guards.is_clean(text.encode(), state.memory):
            return
        # A memory of its own: what was put in place of a finding is no text of the server.
        found = guards.screen(SERVER, call, text, {})
        if found is not None:
            if found.decision is None and found.text != found.original:
                found.decision = Decision(DENY, None, "pii", READ_OTHERWISE, "")
            call.screened, call.shown = found, self._shown(call, found.shown)

    def read_again(self, sender: str, call: Call, text: str, before: Screened | None) -> Decision | None:
        """What the guard that reads lines says now of a message that was held; a denial where it is not the same.

        `before`: what it made of the message then.
        """
        guards = self._line_guards
        original = before.original if before is not None else text
        if guards is None:
            found = None
        else:
            clean = before is None and guards.is_clean(text.encode(), self._state.memory)
            found = None if clean else guards.screen(sender, call, original, self._state.memory)
        if found is not None and found.decision is not None:
            return found.decision
        passes = found.text if found is not None else original
        same = passes == (before.text if before is not None else text)
        return None if same else Decision(DENY, None, "policy", READ_OTHERWISE, "")

    def answer_again(self, request: OpenRequest, text: str, before: Screened | None) -> Decision | None:
        """The same of an answer; where nobody reads it any more, it stays as it was cut."""
        if self._line_guards is None:
            return None
        call = request.call or self._state.call_of(request.method, request.tool)
        return self.read_again(SERVER, call, text, before)

    def noted(self, effects: list[Effect]) -> list[Effect]:
        """The records of a line that a guard has read: they tell what it found, and nothing of that itself."""
        screened = self._state.screened
        told, failed = (screened.note, not screened.shown) if screened is not None else ({}, False)
        for effect in effects:
            if isinstance(effect, Record) and isinstance(effect.note, dict):
                kept = {key: effect.note[key] for key in OURS if key in effect.note} if failed else {}
                self.hide(effect.note)
                effect.note.update(told | kept)
                told = {}
        self._state.screened = None  # a large text
        return effects

    def hide(self, note: Note) -> None:
        """Take out of a record what a guard that reads lines finds in it."""
        guards = self._line_guards
        if guards is not None:
            note.update({key: guards.hidden(note[key], self._state.memory) for key in SAID if key in note})

    def hidden(self, text: str) -> str:
        guards = self._line_guards
        return text if guards is None else str(guards.hidden(text, self._state.memory))

    # --- requests that are to be cut

    def with_cuts(
        self, text: str, method: str, decision: Decision | None
    ) -> tuple[Decision | None, dict[str, object] | None]:
        """The verdict, and the request as it may go out where it is to be cut; what cannot be cut is denied."""
        if decision is None or decision.action != REDACT:
            return decision, None
        from mcpgov.core.messages.redaction import cut_request

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
    from mcpgov.core.messages.redaction import rewritten

    return rewritten(text, made)
