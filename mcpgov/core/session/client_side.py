"""The client's lines: requests, notifications and answers, judged one by one. Pure: no I/O, no clock.

Laws:
- No request reaches the server unless the policy in force let exactly the forwarded value pass.
- The record of a call stands before its `Forward`.
- Whatever cannot be read, or fails on the way, is refused and answered; the conversation goes on.
"""

from __future__ import annotations

from mcpgov.core.decision import PROMPT
from mcpgov.core.json import lookalikes
from mcpgov.core.json.values import BLANK
from mcpgov.core.messages import wire
from mcpgov.core.messages.envelope import envelope, params_of
from mcpgov.core.messages.methods import CANCELLED, CLIENT, GOVERNED, NOT_STATELESS, NOTIFICATIONS, may_send
from mcpgov.core.messages.wire import Refused
from mcpgov.core.rules.call import call_of
from mcpgov.core.session.call_records import dropped, of_decision, of_guards, passed, plain_answer, tell_guards
from mcpgov.core.session.effects import Forward, Record, Reply, filled
from mcpgov.core.session.open_requests import ANSWERED, DENIED, OpenRequest
from mcpgov.core.session.session_state import BROKEN_OFF, BrokenOff
from mcpgov.core.session.verdict import STOPPED, body_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.core.decision import Decision
    from mcpgov.core.rules.call import Call
    from mcpgov.core.session.call_records import Records
    from mcpgov.core.session.effects import Effect, Line
    from mcpgov.core.session.fast_lines import FastLines
    from mcpgov.core.session.open_requests import OpenRequests
    from mcpgov.core.session.results import Results
    from mcpgov.core.session.session_state import State
    from mcpgov.core.session.verdict import Judge


class ClientSide:
    """Client to server. `requests`: the client's; `asked`: the server's, which the client answers."""

    sender = CLIENT

    def __init__(
        self,
        state: State,
        requests: OpenRequests,
        asked: OpenRequests,
        judge: Judge,
        records: Records,
        fast: FastLines,
        results: Results,
    ) -> None:
        self.state = state
        self.requests = requests
        self.judge = judge
        self._asked = asked
        self._records = records
        self._fast = fast
        self.results = results

    def line(self, line: Line) -> list[Effect]:
        """The long way of a line."""
        self.judge.look(line)
        effects = self._line(line)
        return self.judge.noted(effects) if self.state.dirty else effects

    def _line(self, line: Line) -> list[Effect]:
        start, text, self.requests.latest_opened = self.state.clock(), "", None
        try:
            policy = self.state.policy
            if len(line) > wire.LARGE_LINE and policy is not None and policy.records_only:
                from mcpgov.core.large import large_messages

                message = large_messages.read(line, judged=True, plain=policy.is_ascii)
                return self._message(message, line, "", start)
            text = wire.decode(line)
            if not text.strip(BLANK):
                return []
            released = wire.release_buffer(line)
            effects = self._message(wire.read(text, judged=True), line, text, start)
            return filled(effects, line, text) if released else effects
        except Refused as refused:
            return self._refuse(refused)
        except (RecursionError, MemoryError, BrokenOff) as error:
            self.requests.close_latest(DENIED)  # it was to go out, and does not
            if isinstance(error, BrokenOff):
                return unjudged(text.encode("utf-8", "surrogatepass") or line, BROKEN_OFF)
            return self._refuse(wire.refusal_of_limit(error, text or str(line[:4096], "utf-8", "replace")))

    def _message(
        self,
        message: dict[str, object],
        line: Line,
        text: str,
        start: int,
        brought: tuple[str, str] | None = None,
    ) -> list[Effect]:
        """`brought`: our own part of it, which is taken out already (app_approval.Taken)."""
        lookalikes.check_envelope(message)
        if self.state.dirty and brought is None:
            message, line, text = self._screened(message, line, text)
        if "method" not in message:
            return self._answer(message, line, text)
        method, ident = envelope(message)
        assert method is not None
        params = params_of(message, ident)
        lookalikes.check_params(params, ident)
        if ident is None:
            return self._notification(method, params, line, text)
        if ident in self.requests and not self.requests.forget_cancelled(ident):
            raise Refused(wire.INVALID_REQUEST, "the id is in use by an open request")
        if self.requests.full:
            raise Refused(wire.INVALID_REQUEST, "too many open requests", ident)
        if not self.judge.knows(may_send(CLIENT, method), method):
            raise not_known(method, ident)
        if brought is None and ("inputResponses" in params or "requestState" in params):
            from mcpgov.core.approvals.app_questions import without_ours

            if (found := without_ours(self.state, params, text or wire.decode(line))) is not None:
                text, brought = found
                return self._message(wire.read(text, judged=True), text.encode(), text, start, brought)
        call = self._read_call(method, params, ident)
        call.asked = bool(brought and brought[0])  # in the answer to the request that this one repeats
        return self._request(call, ident, line, text, start, brought)

    def _screened(self, message: dict[str, object], line: Line, text: str) -> tuple[dict[str, object], Line, str]:
        """The message as a guard that reads lines lets it pass. What answers nobody is not forwarded, and not read."""
        method, ident = message.get("method"), wire.usable(message.get("id"))
        if isinstance(method, str):
            subject = self.judge.subject(method, message.get("params"))
        else:
            request = self._asked.forwarded(ident) if ident is not None else None
            if request is None:
                return message, line, text
            subject = self.state.call_of(request.method, None)
        passes = self.judge.screen(CLIENT, subject, line, text)
        if passes is None:
            return message, line, text
        if passes[1]:
            return wire.read(passes[1], judged=True), *passes
        from mcpgov.core.large import large_messages

        policy = self.state.policy
        assert policy is not None
        return large_messages.read(passes[0], judged=True, plain=policy.is_ascii), *passes

    def _read_call(self, method: str, params: dict[str, object], ident: str | int) -> Call:
        """The request as the rules see it. Raises Refused for a shape no server should have to make sense of."""
        who, tool = self.state.who, params.get("name")
        hints = self.state.tool_list.annotations.get(tool) if isinstance(tool, str) else None
        try:
            call = call_of(method, params, who.server, who.client, who.project, ident, hints)
        except ValueError as error:
            # A method that the request's own revision does not have needs no parameters to be unknown.
            if method in NOT_STATELESS and names_version(params):
                raise not_known(method, ident) from None
            raise Refused(wire.INVALID_PARAMS, str(error), ident) from None
        if not lookalikes.check_argument_keys(params):
            raise Refused(wire.INVALID_PARAMS, "keys that differ in case only", ident)
        self.judge.attach(call)
        return call

    # --- requests

    def _request(
        self,
        call: Call,
        ident: str | int,
        line: Line,
        text: str,
        start: int,
        brought: tuple[str, str] | None = None,
    ) -> list[Effect]:
        method = call.method
        if method == "initialize":
            self.state.version, self.state.capabilities = "", call.params.get("capabilities")
        modern = self._era(method, call.params)
        if "inputResponses" in call.params:
            self._tell_roots(call.params)
        decision, made = self.judge.with_cuts(text, method, self.judge.verdict(call, CLIENT))
        number = call.number = self.state.number()
        note = self._records.of_request(CLIENT, call, decision, number, start, cut_arguments(made))
        tool = self.judge.hidden(call.tool) if self.state.dirty and call.tool else call.tool  # for its answer's record
        request = OpenRequest(method, tool, number, start, modern, call, self.judge.guards_of(call))
        if brought is not None and brought[0] in self.state.kept_answers:
            from mcpgov.core.approvals.kept_answers import again

            return again(self, ident, request, decision, note, brought)
        if decision is not None and decision.action == PROMPT:
            from mcpgov.core.approvals.held_requests import park

            return [Record(note), park(self, ident, request, decision, text or wire.decode(line), brought)]
        if decision is not None and decision.action in STOPPED:
            self.requests.open(ident, request)
            return [Record(note), self.deny(ident, decision), *of_guards(request)]
        body = body_of(made, line, text)
        request.call = self.kept(call)
        if method == "tools/call" and not modern and request.call is None:
            self.requests.open(ident, (tool or "", number, start, plain_answer(tool)))
        else:
            self.requests.open(ident, request)
        return [Record(note), *of_guards(request), self.send(ident, method, body)]

    def kept(self, call: Call) -> Call | None:
        """The call, where it is needed when its answer comes; of a request about a task the call that made the task."""
        if call.method.startswith("tasks/"):
            return self.results.maker_of(call.params)
        policy = self.state.policy
        watched = policy is not None and (policy.watches_answers or "task" in call.params)
        return call if watched or call.method == "tools/list" else None

    def send(self, ident: str | int, method: str, body: Line) -> Forward:
        return Forward(body, ident if method in GOVERNED else None)

    def deny(self, ident: str | int, decision: Decision, reason: str = DENIED) -> Reply:
        """Close a request and answer it."""
        request = self.requests.close(ident, reason)
        assert request is not None
        return Reply(self.judge.denial(ident, request, decision))

    def _era(self, method: str, params: dict[str, object]) -> bool:
        """Is this said in the stateless revision? It says so in every request; `initialize` begins the other era."""
        state = self.state
        # No other revision knows how to discover.
        modern = names_version(params) or method == "server/discover"
        before, state.modern = state.modern, modern or (state.modern and method != "initialize")
        if state.modern != before:
            self._fast.forget()
        return state.modern

    # --- notifications and answers

    def _notification(self, method: str, params: dict[str, object], line: Line, text: str) -> list[Effect]:
        # A call without an id cannot be answered; it is not forwarded either.
        if not method.startswith(NOTIFICATIONS):
            return dropped(CLIENT, method, "not a notification")
        if (denial := self.judge.line_denial) is not None:
            return dropped(CLIENT, method, denial.message, rule=denial.rule)
        if self.state.open_tasks is not None:
            self.state.open_tasks.news(CLIENT, method, params)
        ident = wire.usable(params.get("requestId"))
        if method == CANCELLED and ident is not None:
            if self.requests.held_at(ident) is not None:
                from mcpgov.core.approvals.held_requests import cancel

                return cancel(self, ident)  # the server has never heard of it
            self.requests.cancel(ident)
        return [Record(passed(CLIENT, method)), Forward(wire.outgoing(line, text))]

    def _answer(self, message: dict[str, object], line: Line, text: str) -> list[Effect]:
        """To a request of the server. Its id is of the server's making, so a bad one is not answered by that id."""
        bad: list[Effect] = []
        ident = wire.usable(message.get("id"))
        if isinstance(ident, str) and ident in self.state.own_requests:
            from mcpgov.core.approvals.app_questions import answered

            return answered(self.state, ident, message)
        try:
            envelope(message)
        except Refused as refused:
            if "result" not in message and "error" not in message:
                raise
            bad = self._refuse(Refused(refused.code, refused.why))
        request = self._asked.forwarded(ident) if ident is not None else None
        if ident is None or request is None:
            return bad or dropped(CLIENT, "", "answers no open request")
        if not bad:
            tell_guards(self.state, CLIENT, request, message)
        self._asked.close(ident, ANSWERED)
        if bad:
            return [*bad, Forward(wire.error(ident, wire.INTERNAL_ERROR, "invalid response from client"))]
        if (denial := self.judge.line_denial) is not None:
            from mcpgov.core.session.denials import as_error

            note = {**self._records.of_answer(CLIENT, request, message), **of_decision(denial)}
            return [Record(note), Forward(as_error(ident, denial, request.number))]
        if request.method == "roots/list":
            self._tell_roots({"inputResponses": {"": message}})
        return [Record(self._records.of_answer(CLIENT, request, message)), Forward(wire.outgoing(line, text))]

    def _tell_roots(self, params: dict[str, object]) -> None:
        """A relative path may be one below a directory that the client has named."""
        from mcpgov.core.messages.roots import roots_in_responses

        found = roots_in_responses(params)
        if found and self.state.on_roots is not None:
            self.state.on_roots(found)

    def _refuse(self, refused: Refused) -> list[Effect]:
        note = {**passed(CLIENT, ""), "action": "refused", "why": refused.why, "code": refused.code}
        if not refused.answer:
            return [Record(note)]
        # An id in use belongs to the request that waits for its own answer.
        ident = None if refused.ident in self.requests else refused.ident
        why = self.judge.hidden(refused.why) if self.state.dirty else refused.why
        return [Record(note), Reply(wire.error(ident, refused.code, why))]


def names_version(params: dict[str, object]) -> bool:
    """Only a request of the stateless revision says which revision it is of."""
    meta = params.get("_meta")
    return isinstance(meta, dict) and lookalikes.VERSION_KEY in meta


def not_known(method: str, ident: str | int) -> Refused:
    return Refused(wire.METHOD_NOT_FOUND, f"method `{method[:100]}` is not known", ident)


def unjudged(line: Line, why: str) -> list[Effect]:
    """What the client sent, and nobody will judge any more: a request gets its answer."""
    record = Record({**passed(CLIENT, ""), "action": "failed", "why": why})
    ident = wire.early_id(line.decode("utf-8", "replace"))
    return [record] if ident is None else [record, Reply(wire.error(ident, wire.INTERNAL_ERROR, why))]


def cut_arguments(made: dict[str, object] | None) -> object:
    """The arguments of a request that had something cut out of it."""
    params = made.get("params") if made is not None else None
    return params.get("arguments") if isinstance(params, dict) else None
