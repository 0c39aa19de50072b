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
    Stopped,
    failed,
    uncut,
)
from mcpgov.core.methods import GOVERNED, SERVER, may_send
from mcpgov.core.preview import preview
from mcpgov.core.rules import DENY, LOG, REDACT, Decision
from mcpgov.core.wire import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.core.conversation import Effect, Line, Note, Open
    from mcpgov.core.inputs import Place

MOST_NAMED = 50
# What tells of a task.
CARRIED = ("task", "result", "inputRequests", "taskId")
_CARRIED = frozenset(map(keys.loose, CARRIED))


class Results(Conversation):
    """The inside of the server's answers."""

    def _answer(
        self, opened: Open, message: dict[str, object], line: Line, text: str, note: Note, extra: list[Effect]
    ) -> Line:
        """The answer as it may go out. Raises Stopped or Refused."""
        answer = message["result"] if "result" in message else message["error"]
        cuts = self._judged(opened[CALL], answer, note)
        inputs: dict[Place, Decision] = {}
        gone: frozenset[int] = frozenset()
        if "result" in message and isinstance(answer, dict):
            if opened[MODERN]:
                inputs = self._input_requests(answer, text, "result", extra)
            if opened[METHOD] == "tools/list":
                gone = self._tools(opened, answer, note, extra)
            elif opened[METHOD].endswith("/list"):
                count(answer, note)
            self._remember_task(opened, answer)
        if cuts is not None or inputs:
            return self._changed(text, cuts, inputs, gone)
        if not gone:
            return wire.outgoing(line, text)
        from mcpgov.core.pieces import without_items

        text = without_items(text, ("result", "tools"), gone)
        return wire.outgoing(text.encode("utf-8"), text)

    def _news(self, params: dict[str, object], line: Line, text: str, note: Note, extra: list[Effect]) -> Line:
        """A notification that carries what `tasks/get` would bring, as it may go out. Raises Stopped or Refused."""
        for key in CARRIED:
            if keys.imitates(params, key):
                raise Refused(wire.INVALID_REQUEST, f"a look-alike of `{key}`")
        cuts = self._judged(self._made_task(params), params, note)
        inputs = self._input_requests(params, text, "params", extra) if self._modern else {}
        if cuts is None and not inputs:
            return wire.outgoing(line, text)
        return self._changed(text, cuts, inputs, frozenset())

    def _judged(self, call: Call | None, answer: object, note: Note) -> Decision | None:
        """Rules with `contains` look at answers too. The verdict, where something is to be cut. Raises Stopped."""
        if self.policy is None or call is None or not self.policy.watches_answers:
            return None
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

    def _changed(self, text: str, cuts: Decision | None, inputs: dict[Place, Decision], gone: frozenset[int]) -> bytes:
        """The message with something cut out of it. Raises Stopped."""
        from mcpgov.core.inputs import inside
        from mcpgov.core.pieces import without_items
        from mcpgov.core.redact import cut_answer, cut_request, rewritten

        if gone:
            text = without_items(text, ("result", "tools"), gone)
        message: dict[str, object] | None = wire.exact(text)
        assert message is not None
        for (*steps, key), decision in inputs.items():
            requests = inside(message, steps)
            # It was cut before, when it was judged: nothing but the numbers' form differs.
            requests[key] = cut_request(requests[key], requests[key]["method"], decision.cuts)
        if cuts is not None:
            message = cut_answer(message, cuts.cuts)
            if message is None:
                raise Stopped(uncut(cuts))
        return rewritten(text, message)

    # --- input requests (revision 2026-07-28)

    def _input_requests(
        self, body: dict[str, object], text: str, part: str, extra: list[Effect]
    ) -> dict[Place, Decision]:
        """Sampling and elicitation that travel inside a result or a task are judged one by one.

        Where those stand that are to be cut. Raises Stopped or Refused.
        """
        from mcpgov.core.inputs import Retries, carried, requests_in

        names, states = carried(body)
        if names is None:
            return {}
        retries = self._retries = self._retries or Retries()
        found: dict[Place, Decision | None] = {}
        try:
            for place, request in requests_in(wire.read(text, judged=True), part):
                found[place] = self._input_request(request, extra)
        except Stopped:
            retries.refuse(states, names)
            raise
        retries.offer(states, names)
        return {place: decision for place, decision in found.items() if decision is not None}

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
        for holder in (params, params.get("task")):
            task = holder.get("taskId") if isinstance(holder, dict) else None
            if isinstance(task, str) and task in self._tasks:
                return self._tasks[task]
        return self._call_of("tools/call", "")

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


def carries_task(params: dict[str, object]) -> bool:
    """Is this news of a task, whatever its name?"""
    return any(keys.loose(key) in _CARRIED for key in params)


def asks(effects: list[Effect]) -> bool:
    """Is a note on a governed request among these? Then what goes out waits until that is on record."""
    return any(isinstance(value, dict) and value.get("method") in GOVERNED for _, value, _ in effects)


def count(result: dict[str, object], note: Note) -> None:
    """Lists other than of tools are recorded, not filtered."""
    found = [item for value in result.values() if isinstance(value, list) for item in value if isinstance(item, dict)]
    named = [item.get("uri") or item.get("uriTemplate") or item.get("name") for item in found[:MOST_NAMED]]
    note["count"] = len(found)
    note["listed"] = [preview(name, []) for name in named if isinstance(name, str)]
