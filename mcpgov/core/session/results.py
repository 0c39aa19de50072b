"""What a result needs beyond being passed on: rules on its text, input requests inside, tools, tasks. Pure.

Law: what a result carries is judged like what it stands for: an input request as a request of the server, a task's
result as the result of the call that made it. What a person is to be asked about is held before anything of it counts.
"""

from __future__ import annotations

from mcpgov.core.decision import DENY, LOG, PROMPT, REDACT, Decision
from mcpgov.core.json import lookalikes
from mcpgov.core.messages import wire
from mcpgov.core.messages.methods import GOVERNED, SERVER, may_send
from mcpgov.core.messages.wire import Refused
from mcpgov.core.rules.call import call_of
from mcpgov.core.session.call_records import count, is_error
from mcpgov.core.session.effects import Record, SavePins
from mcpgov.core.session.open_requests import ANSWERED, DENIED, MOST_OPEN
from mcpgov.core.session.tool_list import without_findings
from mcpgov.core.session.verdict import STOPPED, AnswerPart, AskFirst, Stopped, uncut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.core.messages.input_requests import Place
    from mcpgov.core.rules.call import Call
    from mcpgov.core.session.call_records import Records
    from mcpgov.core.session.effects import Effect, Line, Note
    from mcpgov.core.session.fast_lines import FastLines
    from mcpgov.core.session.open_requests import OpenRequest
    from mcpgov.core.session.session_state import State
    from mcpgov.core.session.verdict import Judge

# What tells of a task.
CARRIED = ("task", "result", "inputRequests", "taskId")
_CARRIED = frozenset(map(lookalikes.loose, CARRIED))


class Results:
    """The inside of the server's answers."""

    def __init__(self, state: State, judge: Judge, records: Records, fast: FastLines) -> None:
        self.state = state
        self.judge = judge
        self._records = records
        self._fast = fast

    def answer(
        self, request: OpenRequest, message: dict[str, object], line: Line, text: str, note: Note, extra: list[Effect]
    ) -> Line:
        """The answer as it may go out. Raises Stopped, AskFirst or Refused."""
        answer = message["result"] if "result" in message else message["error"]
        parts: list[AnswerPart] = []
        cuts = self._judged(request.call, answer, note, parts, failed=is_error(message))
        inputs: dict[Place, Decision] = {}
        if request.modern and "result" in message and isinstance(answer, dict):
            inputs = self._input_requests(answer, text, "result", extra, parts)
        if any(part.asks for part in parts):
            raise AskFirst(parts)
        return self.let_pass(request, message, line, text, note, extra, cuts, inputs)

    def let_pass(
        self,
        request: OpenRequest,
        message: dict[str, object],
        line: Line,
        text: str,
        note: Note,
        extra: list[Effect],
        cuts: Decision | None,
        inputs: dict[Place, Decision],
    ) -> Line:
        """What an answer that passes counts for; its line, without what is cut or hidden. Raises Stopped or Refused."""
        answer = message.get("result")
        gone: frozenset[int] = frozenset()
        if isinstance(answer, dict):
            if request.modern and request.approved:
                self._remember_retry(request, answer)
            if request.method == "initialize":
                version = answer.get("protocolVersion")
                self.state.version = version if isinstance(version, str) else ""
            if request.method == "tools/list":
                gone = self._tools(request, answer, text, note, extra)
            elif request.method.endswith("/list"):
                count(answer, note)
            self._remember_task(request, answer)
        if cuts is not None or inputs:
            return self._changed(text, cuts, inputs, gone)
        if not gone:
            return wire.outgoing(line, text)
        text = without_tools(text, gone)
        return wire.outgoing(text.encode("utf-8"), text)

    def news(self, params: dict[str, object], line: Line, text: str, note: Note, extra: list[Effect]) -> Line:
        """A notification that carries what `tasks/get` would bring, as it may go out. Raises Stopped or Refused."""
        for key in CARRIED:
            if lookalikes.imitates(params, key):
                raise Refused(wire.INVALID_REQUEST, f"a look-alike of `{key}`")
        cuts = self._judged(self.maker_of(params), params, note)
        inputs = self._input_requests(params, text, "params", extra) if self.state.modern else {}
        if cuts is None and not inputs:
            return wire.outgoing(line, text)
        return self._changed(text, cuts, inputs, frozenset())

    def _judged(
        self,
        call: Call | None,
        answer: object,
        note: Note,
        parts: list[AnswerPart] | None = None,
        *,
        failed: bool = False,
    ) -> Decision | None:
        """What rules and guards say of an answer. The verdict, where something is to be cut. Raises Stopped.

        `parts` takes a verdict that asks; without it nobody can be asked. `failed`: the answer is an error.
        """
        decision = self.judge.of_answer(call, answer, is_error=failed)
        if decision is not None and decision.action == PROMPT and parts is not None and call is not None:
            parts.append(AnswerPart((), self.state.number(), call, decision))
            self.state.others += 1
        elif decision is not None and decision.action in STOPPED:
            raise Stopped(decision)
        if decision is not None and decision.action in (LOG, REDACT):
            note.update(action=decision.action, rule=decision.rule)
            if decision.data is not None:
                note.update(why=decision.message, data=dict(decision.data))
        return decision if decision is not None and decision.action == REDACT else None

    def _changed(self, text: str, cuts: Decision | None, inputs: dict[Place, Decision], gone: frozenset[int]) -> bytes:
        """The message with something cut out of it. Raises Stopped."""
        from mcpgov.core.messages.input_requests import inside
        from mcpgov.core.messages.redaction import cut_answer, cut_request, rewritten

        if gone:
            text = without_tools(text, gone)
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
        self, body: dict[str, object], text: str, part: str, extra: list[Effect], parts: list[AnswerPart] | None = None
    ) -> dict[Place, Decision]:
        """Sampling and elicitation that travel inside a result or a task are judged one by one, and added to `parts`.

        Where those stand that are to be cut. Without `parts` nobody can be asked. Raises Stopped or Refused.
        """
        from mcpgov.core.messages.input_requests import Retries, carried, check_not_ours, requests_in

        names, states = carried(body)
        check_not_ours(names or (), states)
        if names is None:
            return {}
        retries = self.state.retries = self.state.retries or Retries()
        found: dict[Place, Decision | None] = {}
        try:
            for place, request in requests_in(wire.read(text, judged=True), part):
                found[place] = self._input_request(place, request, extra, parts)
        except Stopped:
            retries.refuse(states, names)
            for asked in [each for each in parts or () if each.asks]:
                asked.settle(DENIED)
            raise
        if not any(each.asks for each in parts or ()):
            retries.offer(states, names)
        return {place: decision for place, decision in found.items() if decision is not None}

    def _input_request(
        self, place: Place, request: object, extra: list[Effect], parts: list[AnswerPart] | None
    ) -> Decision | None:
        """The verdict, where something is to be cut. Raises Stopped."""
        start = self.state.clock()
        method = request.get("method") if isinstance(request, dict) else None
        known = isinstance(request, dict) and isinstance(method, str) and lookalikes.all_differ(request)
        if not isinstance(request, dict) or not isinstance(method, str) or not known or not may_send(SERVER, method):
            raise Stopped(Decision(DENY, None, "policy", "an unknown input request", ""))
        who = self.state.who
        try:
            call = call_of(method, request.get("params"), who.server, who.client, who.project)
        except ValueError as error:
            raise Stopped(Decision(DENY, None, "policy", str(error), "")) from None
        self.judge.read_part(call, request)
        decision = self.judge.verdict(call, SERVER)
        decision, made = with_cuts(decision, request, method)
        shown = made["params"] if made is not None else None
        number = call.number = self.state.number()
        extra.append(Record(self._records.of_request(SERVER, call, decision, number, start, shown)))
        guards = self.judge.guards_of(call)
        if parts is not None:
            parts.append(AnswerPart(place, number, call, decision, guards))
            if parts[-1].asks:
                return None
        stopped = decision is not None and decision.action in STOPPED
        if guards is not None:
            # Its answer comes inside another request, or not at all: for a guard it ends here.
            guards.settle(call, DENIED if stopped else ANSWERED)
        if decision is not None and stopped:
            raise Stopped(decision)
        return decision if made is not None else None

    def settle_retries(self, message: dict[str, object], *, passed: bool) -> None:
        """Whether a retry may answer what a held answer asks for, once that is known."""
        from mcpgov.core.messages.input_requests import carried

        body, retries = message.get("result"), self.state.retries
        if retries is None or not isinstance(body, dict):
            return
        names, states = carried(body)
        if names is not None:
            (retries.offer if passed else retries.refuse)(states, names)

    def _remember_retry(self, request: OpenRequest, result: dict[str, object]) -> None:
        """A call that a person approved, and that the server asks something back about: its retry is the same call."""
        if result.get("resultType") == "input_required":
            state, continued = result.get("requestState"), self.state.continued
            if len(continued) >= MOST_OPEN:
                continued.clear()
            continued[state if isinstance(state, str) else ""] = request.number

    # --- tasks

    def _remember_task(self, request: OpenRequest, result: dict[str, object]) -> None:
        """The call that made a task; what the server says of it later changes nothing."""
        call = request.call
        for holder in (result, result.get("task")):
            task = holder.get("taskId") if isinstance(holder, dict) else None
            if call is not None and isinstance(task, str):
                if len(self.state.tasks) >= MOST_OPEN:
                    self.state.tasks.clear()
                self.state.tasks.setdefault(task, call)

    def maker_of(self, params: dict[str, object]) -> Call:
        """The call that made the task a request is about; for a task we know nothing of, a call of no name."""
        for holder in (params, params.get("task")):
            task = holder.get("taskId") if isinstance(holder, dict) else None
            if isinstance(task, str) and task in self.state.tasks:
                return self.state.tasks[task]
        return self.state.call_of("tools/call", "")

    # --- lists

    def _tools(
        self, request: OpenRequest, result: dict[str, object], text: str, note: Note, extra: list[Effect]
    ) -> frozenset[int]:
        """Take a page of tools in; which of them are left out."""
        if lookalikes.imitates(result, "tools"):
            raise Refused(wire.INVALID_REQUEST, "a look-alike of `tools`")
        tools = result.get("tools")
        if not isinstance(tools, list):
            return frozenset()
        wire.check_depth(tools, wire.DEEPEST_ARGUMENTS)
        call = request.call
        if call is None or call.params.get("cursor") is None:
            self.state.tool_list.begin()
        listed = call or self.state.call_of(request.method, None)
        kept, without = without_findings(self.state, listed, text, tools)
        is_last = not result.get("nextCursor")
        changed, flagged = self.state.tool_list.page(kept, is_last, self._records.digest, without)
        self._fast.forget()
        gone = frozenset(at for at, tool in enumerate(tools) if self._leaves_out(tool))
        note["count"] = len(tools)
        found = {"changed": changed, "flagged": flagged, "hidden": len(gone)}
        note.update({key: value for key, value in found.items() if value})
        extra.append(SavePins(self.state.tool_list.pins))
        return gone

    def _leaves_out(self, tool: object) -> bool:
        name = tool.get("name") if isinstance(tool, dict) else None
        if not isinstance(name, str):
            return False
        if self.state.tool_list.hides(name):
            return True
        policy = self.state.policy
        return policy is not None and policy.hides(self.state.call_of("tools/call", name))


def with_cuts(
    decision: Decision | None, request: dict[str, object], method: str
) -> tuple[Decision | None, dict[str, object] | None]:
    """The verdict on an input request, and the request where it is to be cut; what cannot be cut is denied."""
    if decision is None or decision.action != REDACT:
        return decision, None
    from mcpgov.core.messages.redaction import cut_request

    made = cut_request(request, method, decision.cuts)
    return (uncut(decision) if made is None else decision), made


def without_tools(text: str, gone: frozenset[int]) -> str:
    """A list of tools without some of them. What is left out for one person is not for a cache that others read."""
    from mcpgov.core.json.json_spans import with_value, without_items

    return with_value(without_items(text, ("result", "tools"), gone), ("result", "cacheScope"), '"private"')


def carries_task(params: dict[str, object]) -> bool:
    """Is this news of a task, whatever its name?"""
    return any(lookalikes.loose(key) in _CARRIED for key in params)


def asks(effects: list[Effect]) -> bool:
    """Is the record of a governed request among these? Then what goes out waits until that is on record."""
    notes = [effect.note for effect in effects if isinstance(effect, Record)]
    return any(isinstance(note, dict) and note.get("method") in GOVERNED for note in notes)
