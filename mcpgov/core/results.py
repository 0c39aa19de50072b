"""What a result needs beyond being passed on: rules on its text, input requests inside, tools, tasks. Pure.

Law: what a result carries is judged like what it stands for: an input request as a request of the server, a task's
result as the result of the call that made it.
"""

from __future__ import annotations

from mcpgov.core import keys, wire
from mcpgov.core.calls import Call, call_of
from mcpgov.core.conversation import (
    CALL,
    METHOD,
    MODERN,
    MOST_OPEN,
    NOTE,
    PINS,
    STOPPED,
    Conversation,
    failed,
    uncut,
)
from mcpgov.core.methods import SERVER, may_send
from mcpgov.core.preview import shortened
from mcpgov.core.rules import DENY, LOG, REDACT, Decision
from mcpgov.core.wire import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.core.conversation import Effect, Line, Note, Open

MOST_NAMED = 50
STATE, KEY = "state", "key"


class Stopped(Exception):
    """A verdict on an answer that does not pass."""

    def __init__(self, decision: Decision) -> None:
        super().__init__(decision.action)
        self.decision = decision


class Results(Conversation):
    """The inside of the server's answers."""

    def _answer(
        self, opened: Open, message: dict[str, object], line: Line, text: str, note: Note, extra: list[Effect]
    ) -> Line:
        """The answer as it may go out. Raises Stopped or Refused."""
        cuts = self._judged(opened, message, note)
        inputs: dict[str, Decision] = {}
        gone: frozenset[int] = frozenset()
        result = message.get("result")
        if isinstance(result, dict):
            if opened[MODERN]:
                inputs = self._input_requests(result, text, extra)
            if opened[METHOD] == "tools/list":
                gone = self._tools(opened, result, note, extra)
            elif opened[METHOD].endswith("/list"):
                count(result, note)
            self._remember_task(opened, result)
        if cuts is not None or inputs:
            return self._changed(text, cuts, inputs, gone)
        if not gone:
            return wire.outgoing(line, text)
        from mcpgov.core.pieces import without_items

        text = without_items(text, ("result", "tools"), gone)
        return wire.outgoing(text.encode("utf-8"), text)

    def _judged(self, opened: Open, message: dict[str, object], note: Note) -> Decision | None:
        """Rules with `contains` look at answers too. The verdict, where something is to be cut. Raises Stopped."""
        call = opened[CALL]
        if self.policy is None or call is None or not self.policy.watches_answers:
            return None
        answer = message["result"] if "result" in message else message["error"]
        wire.check_depth(answer, wire.DEEPEST_ARGUMENTS)
        try:
            decision = self.policy.judge_answer(call, answer, self.today)
        except Exception as problem:  # INVARIANT: a policy that fails opens no door and ends no conversation.
            decision = failed(problem)
        if decision is not None and decision.action in STOPPED:
            raise Stopped(decision)
        if decision is not None and decision.action in (LOG, REDACT):
            note.update(action=decision.action, rule=decision.rule)
        return decision if decision is not None and decision.action == REDACT else None

    def _changed(self, text: str, cuts: Decision | None, inputs: dict[str, Decision], gone: frozenset[int]) -> bytes:
        """Our own text of the answer, with something cut out of it. Raises Stopped."""
        from mcpgov.core.redact import cut_answer, cut_request

        message: dict[str, object] | None = wire.exact(text)
        assert message is not None
        result = message.get("result")
        if isinstance(result, dict):
            for key, decision in inputs.items():
                request = result["inputRequests"][key]
                result["inputRequests"][key] = cut_request(request, request["method"], decision.cuts)
            if gone:
                result["tools"] = [tool for at, tool in enumerate(result["tools"]) if at not in gone]
        if cuts is not None:
            message = cut_answer(message, cuts.cuts)
            if message is None:
                raise Stopped(uncut(cuts))
        return wire.dump(message).encode("ascii")

    # --- input requests (revision 2026-07-28)

    def _input_requests(self, result: dict[str, object], text: str, extra: list[Effect]) -> dict[str, Decision]:
        """Sampling and elicitation that travel inside a result are judged one by one; which of them are to be cut."""
        if keys.imitates(result, "inputRequests"):
            raise Refused(wire.INVALID_REQUEST, "a look-alike of `inputRequests`")
        if result.get("inputRequests") is None:
            return {}
        judged = wire.read(text, judged=True)["result"]
        requests = judged["inputRequests"] if isinstance(judged, dict) else None
        names = [*requests] if isinstance(requests, dict) else []
        state = result.get("requestState")
        try:
            if not isinstance(requests, dict):
                raise Stopped(Decision(DENY, None, "policy", "input requests of no known shape", ""))
            found = {key: self._input_request(request, extra) for key, request in requests.items()}
        except Stopped:
            self._refuse_retry(state, names)
            raise
        self._offer_retry(state, names)
        return {key: decision for key, decision in found.items() if decision is not None}

    def _input_request(self, request: object, extra: list[Effect]) -> Decision | None:
        """The verdict, where something is to be cut. Raises Stopped."""
        start = self._clock()
        method = request.get("method") if isinstance(request, dict) else None
        known = isinstance(request, dict) and isinstance(method, str) and keys.all_differ(request)
        if not isinstance(request, dict) or not isinstance(method, str) or not known or not may_send(SERVER, method):
            raise Stopped(Decision(DENY, None, "policy", "an unknown input request", ""))
        who = self.who
        try:
            call = call_of(method, request.get("params"), who.server, who.client, who.project)
        except ValueError as error:
            raise Stopped(Decision(DENY, None, "policy", str(error), "")) from None
        decision = self._decide(call)
        made = None
        if decision is not None and decision.action == REDACT:
            from mcpgov.core.redact import cut_request

            made = cut_request(request, method, decision.cuts)
            decision = uncut(decision) if made is None else decision
        shown = made["params"] if made is not None else None
        extra.append((NOTE, self._note(SERVER, call, decision, self._number(), start, shown), None))
        if decision is not None and decision.action in STOPPED:
            raise Stopped(decision)
        return decision if made is not None else None

    def _refuse_retry(self, state: object, names: list[str]) -> None:
        self._refused.update((KEY, name) for name in names)
        if isinstance(state, str):
            self._refused.add((STATE, state))
            self._offered.discard(state)

    def _offer_retry(self, state: object, names: list[str]) -> None:
        self._refused.difference_update((KEY, name) for name in names)
        if isinstance(state, str):
            if len(self._offered) >= MOST_OPEN:
                self._offered.clear()
            self._refused.discard((STATE, state))
            self._offered.add(state)

    def _answers_refused(self, params: dict[str, object]) -> bool:
        """Does a retry bring answers to an input request that we denied?"""
        responses = params.get("inputResponses")
        if responses is None or not self._refused:
            return False
        state = params.get("requestState")
        if isinstance(state, str) and state in self._offered:
            return False
        if (STATE, state) in self._refused or not isinstance(responses, dict) or len(self._refused) >= MOST_OPEN:
            return True
        return any((KEY, name) in self._refused for name in responses)

    # --- tasks

    def _remember_task(self, opened: Open, result: dict[str, object]) -> None:
        """The call that made a task; what the server says of it later changes nothing."""
        call = opened[CALL]
        for holder in (result, result.get("task")):
            task = holder.get("taskId") if isinstance(holder, dict) else None
            if call is not None and isinstance(task, str):
                if len(self._tasks) >= MOST_OPEN:
                    self._tasks.clear()
                self._tasks.setdefault(task, call)

    def _made_task(self, params: dict[str, object]) -> Call:
        """The call that made the task a request is about; for a task we know nothing of, a call of no name."""
        task = params.get("taskId")
        known = self._tasks.get(task) if isinstance(task, str) else None
        return known if known is not None else self._call_of("tools/call", "")

    # --- lists

    def _tools(self, opened: Open, result: dict[str, object], note: Note, extra: list[Effect]) -> frozenset[int]:
        """Take a page of tools in; which of them are left out."""
        if keys.imitates(result, "tools"):
            raise Refused(wire.INVALID_REQUEST, "a look-alike of `tools`")
        tools = result.get("tools")
        if not isinstance(tools, list):
            return frozenset()
        wire.check_depth(tools, wire.DEEPEST_ARGUMENTS)
        call = opened[CALL]
        if call is None or call.params.get("cursor") is None:
            self.listing.begin()
        changed, flagged = self.listing.page(tools, not result.get("nextCursor"), self._digest)
        self.forget_shapes()
        gone = frozenset(at for at, tool in enumerate(tools) if self._leaves_out(tool))
        note["count"] = len(tools)
        found = {"changed": changed, "flagged": flagged, "hidden": len(gone)}
        note.update({key: value for key, value in found.items() if value})
        extra.append((PINS, self.listing.pins, None))
        return gone

    def _leaves_out(self, tool: object) -> bool:
        name = tool.get("name") if isinstance(tool, dict) else None
        if not isinstance(name, str):
            return False
        if self.listing.holds(name):
            return True
        return self.policy is not None and self.policy.hides(self._call_of("tools/call", name))


def count(result: dict[str, object], note: Note) -> None:
    """Lists other than of tools are recorded, not filtered."""
    found = [item for value in result.values() if isinstance(value, list) for item in value if isinstance(item, dict)]
    named = [item.get("uri") or item.get("uriTemplate") or item.get("name") for item in found[:MOST_NAMED]]
    note["count"] = len(found)
    note["listed"] = [shortened(name) for name in named if isinstance(name, str)]
