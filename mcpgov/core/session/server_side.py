"""What comes back: the server's lines, judged and passed to the client. Pure: no I/O, no clock.

Laws: an unchanged message goes out byte for byte; what is plainly a bad answer to an open request becomes an error,
once; a request of the server is answered to the server, never to the client.
"""

from __future__ import annotations

from mcpgov.core.decision import PROMPT
from mcpgov.core.json import lookalikes
from mcpgov.core.json.values import BLANK
from mcpgov.core.messages import wire
from mcpgov.core.messages.envelope import envelope, params_of
from mcpgov.core.messages.methods import CANCELLED, GOVERNED, NOTIFICATIONS, SERVER, may_send
from mcpgov.core.messages.wire import Refused
from mcpgov.core.rules.call import call_of
from mcpgov.core.session import open_requests
from mcpgov.core.session.call_records import LONGEST_NAME, dropped, of_guards, passed, tell_guards
from mcpgov.core.session.effects import Forward, Record, Reply, Stderr, filled
from mcpgov.core.session.open_requests import ANSWERED, DENIED, OpenRequest
from mcpgov.core.session.results import asks, carries_task
from mcpgov.core.session.session_state import BROKEN_OFF, RESERVED, BrokenOff
from mcpgov.core.session.verdict import STOPPED, AskFirst, Stopped, body_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.core.decision import Decision
    from mcpgov.core.rules.call import Call
    from mcpgov.core.session.call_records import Records
    from mcpgov.core.session.effects import Effect, Line
    from mcpgov.core.session.open_requests import OpenRequests
    from mcpgov.core.session.results import Results
    from mcpgov.core.session.session_state import State
    from mcpgov.core.session.verdict import Judge


class ServerSide:
    """Server to client. `requests`: the server's; `asked`: the client's, which the server answers."""

    sender = SERVER

    def __init__(
        self,
        state: State,
        requests: OpenRequests,
        asked: OpenRequests,
        judge: Judge,
        records: Records,
        results: Results,
    ) -> None:
        self.state = state
        self.requests = requests
        self.judge = judge
        self.asked = asked
        self._records = records
        self.results = results

    def line(self, line: Line) -> list[Effect]:
        """The long way of a line."""
        self.judge.look(line)
        effects = self._line(line)
        return self.judge.noted(effects) if self.state.dirty else effects

    def _line(self, line: Line) -> list[Effect]:
        text, released, waiting = "", False, len(self.asked)
        start, self.requests.latest_opened = self.state.clock(), None
        try:
            if len(line) > wire.LARGE_LINE and not (
                self.state.policy is not None and self.state.policy.watches_answers
            ):
                from mcpgov.core.large.large_answers import unread

                if (unread_effects := unread(self, line)) is not None:
                    return unread_effects
            text = wire.decode(line)
            if not text.strip(BLANK):
                return []
            released = wire.release_buffer(line)
            effects = self._message(wire.read(text, judged=False), line, text, start)
            return filled(effects, line, text) if released else effects
        except Refused as refused:
            return self._bad(refused, text.encode() if released else line)
        except RecursionError:
            self.requests.close_latest(DENIED)
            deep = Refused(wire.INVALID_REQUEST, "nested too deeply")
            return self._bad(deep, text.encode() if released else line)
        except (MemoryError, BrokenOff) as error:
            self.requests.close_latest(DENIED)
            why = BROKEN_OFF if isinstance(error, BrokenOff) else "out of memory"
            text = text or str(line[:4096], "utf-8", "replace")
            return self._too_much(text, len(self.asked) < waiting, why)

    def _message(self, message: dict[str, object], line: Line, text: str, start: int) -> list[Effect]:
        lookalikes.check_envelope(message)
        method, ident = envelope(message)
        if method is None:
            assert ident is not None
            return self.answer(message, ident, line, text)
        if ident is None and self.state.open_tasks is not None:
            self.state.open_tasks.news(SERVER, method, message.get("params"))
        line, text = self.judge.screen(SERVER, self.judge.subject(method, message.get("params")), line, text) or (
            line, text
        )  # fmt: skip
        message = wire.read(text, judged=True)
        params = params_of(message, ident)
        if ident is None:
            return self._notification(method, params, line, text)
        if not self.judge.knows(may_send(SERVER, method), method):
            raise Refused(wire.METHOD_NOT_FOUND, f"method `{method[:100]}` is not known", ident)
        if ident in self.requests:
            return dropped(SERVER, method, "the id is in use")
        if isinstance(ident, str) and ident.startswith(RESERVED):
            raise Refused(wire.INVALID_REQUEST, "such ids are our own", ident)
        if self.requests.full:
            raise Refused(wire.INVALID_REQUEST, "too many open requests", ident)
        return self._request(method, ident, params, line, text, start)

    # --- requests

    def _request(
        self, method: str, ident: str | int, params: dict[str, object], line: Line, text: str, start: int
    ) -> list[Effect]:
        who = self.state.who
        try:
            call = call_of(method, params, who.server, who.client, who.project, ident)
        except ValueError as error:
            raise Refused(wire.INVALID_PARAMS, str(error), ident) from None
        self.judge.attach(call)
        decision, made = self.judge.with_cuts(text, method, self.judge.verdict(call, SERVER))
        number = call.number = self.state.number()
        shown = made["params"] if made is not None else None
        note = self._records.of_request(SERVER, call, decision, number, start, shown)
        request = OpenRequest(method, None, number, start, False, call, self.judge.guards_of(call))
        if decision is not None and decision.action == PROMPT:
            from mcpgov.core.approvals.held_requests import park

            return [Record(note), park(self, ident, request, decision, text)]
        if decision is not None and decision.action in STOPPED:
            self.requests.open(ident, request)
            return [Record(note), self.deny(ident, decision), *of_guards(request)]
        body = body_of(made, line, text)
        request.call = self.kept(call)
        self.requests.open(ident, request)
        return [Record(note), *of_guards(request), self.send(ident, method, body)]

    def kept(self, call: Call) -> Call | None:
        """The call, where a guard is to hear of its end. The client's answer is not looked at."""
        return call if self.judge.guards_of(call) is not None else None

    def send(self, ident: str | int, method: str, body: Line) -> Reply:
        return Reply(body, ident if method in GOVERNED else None)

    def deny(self, ident: str | int, decision: Decision, reason: str = DENIED) -> Forward:
        """Close a request and answer it."""
        request = self.requests.close(ident, reason)
        assert request is not None
        from mcpgov.core.session.denials import as_error

        return Forward(as_error(ident, decision, request.number))

    # --- notifications and answers

    def _notification(self, method: str, params: dict[str, object], line: Line, text: str) -> list[Effect]:
        if not method.startswith(NOTIFICATIONS):
            return dropped(SERVER, method, "not a notification")
        if (denial := self.judge.line_denial) is not None:
            return dropped(SERVER, method, denial.message, rule=denial.rule)
        if method == "notifications/resources/updated":
            if not isinstance(params.get("uri"), str) or lookalikes.imitates(params, "uri"):
                return dropped(SERVER, method, "names no URI")
            who = self.state.who
            decision = self.judge.by_rules(call_of("resources/read", params, who.server, who.client, who.project))
            if decision is not None and decision.action in STOPPED:
                return dropped(SERVER, method, "denied URI", rule=decision.rule)
        note = passed(SERVER, method)
        cancelled = wire.usable(params.get("requestId")) if method == CANCELLED else None
        if isinstance(cancelled, str) and cancelled.startswith(RESERVED):
            return dropped(SERVER, method, "such ids are our own")
        if cancelled is not None:
            if self.requests.held_at(cancelled) is not None:
                from mcpgov.core.approvals.held_requests import cancel

                return cancel(self, cancelled)  # the client has never heard of it
            # The client need not answer it, and the server may use the id again.
            self.requests.close(cancelled, open_requests.CANCELLED)
        if not carries_task(params):
            return [Record(note), Reply(wire.outgoing(line, text))]
        extra: list[Effect] = []
        try:
            body = self.results.news(params, line, text, note, extra)
        except Stopped as stopped:
            return [*extra, *dropped(SERVER, method, "what it carries is denied", rule=stopped.decision.rule)]
        return [Record(note), *extra, Reply(body, instead=b"" if asks(extra) else None)]

    def answer(self, message: dict[str, object], ident: str | int, line: Line, text: str) -> list[Effect]:
        request = self.asked.forwarded(ident)
        if request is None:
            return dropped(SERVER, "", "answers no open request")
        tell_guards(self.state, SERVER, request, message)
        note = self._records.of_answer(SERVER, request, message)
        extra: list[Effect] = []
        try:
            message, line, text = self._screened(request, message, line, text)
            body = self.results.answer(request, message, line, text, note, extra)
        except AskFirst as asked:
            from mcpgov.core.approvals.held_answers import HeldAnswer, hold

            held = HeldAnswer(asked.parts, text, note, self.state.clock(), self.state.screened)
            return hold(self.results, self.asked, ident, held, extra)
        except Stopped as stopped:
            decision = stopped.decision
            note.update(action=decision.action, rule=decision.rule)
            body = self.judge.denial(ident, request, decision)
        self.asked.close(ident, ANSWERED)
        notes = [*extra, *of_guards(request)]
        if not asks(extra):
            return [Record(note), *notes, Reply(body)]
        from mcpgov.core.session.denials import unrecorded

        # An answer that asks something of the client is denied where that cannot be recorded.
        return [Record(note), *notes, Reply(body, instead=self.judge.refusal(ident, request, unrecorded()))]

    def _screened(
        self, request: OpenRequest, message: dict[str, object], line: Line, text: str
    ) -> tuple[dict[str, object], Line, str]:
        """An answer as a guard that reads lines lets it pass. Raises Stopped."""
        if not self.state.dirty:
            return message, line, text
        call = request.call or self.state.call_of(request.method, request.tool)
        passes = self.judge.screen(SERVER, call, line, text)
        if (denial := self.judge.line_denial) is not None:
            raise Stopped(denial)
        if passes is None:
            return message, line, text
        return wire.read(passes[1], judged=False) if passes[1] else message, *passes

    # --- what cannot be used

    def _bad(self, refused: Refused, line: Line) -> list[Effect]:
        """What cannot be used: a request, an answer to an open request, or only something to show."""
        from mcpgov.core.audit.audit_preview import concealed
        from mcpgov.core.json.json_spans import items, outline

        text = str(line, "utf-8", "replace")
        note = {**passed(SERVER, ""), "action": "refused", "why": refused.why, "bytes": len(line)}
        found = [outline(text), *map(outline, items(text))]
        shown = self.judge.hidden(text) if self.state.dirty else text
        note["line"] = concealed(shown, LONGEST_NAME) or shown[:LONGEST_NAME]
        effects: list[Effect] = [Record(note), *self.tell_bad(refused, found)]
        return effects if len(effects) > 1 else [*effects, Stderr(shown.encode() if shown != text else line)]

    def tell_bad(
        self, refused: Refused, found: list[tuple[str | int | None, frozenset[str]]], taken: bool = False
    ) -> list[Effect]:
        """`taken`: nobody waits for the answer any more, since it was about to go out."""
        effects: list[Effect] = []
        for ident, names in found:
            if ident is None:
                continue
            if "method" in names and names.isdisjoint(("result", "error")):
                effects.append(Forward(wire.error(ident, refused.code, refused.why)))
            elif taken or self._gives_up(ident):
                answer = wire.error(ident, wire.INTERNAL_ERROR, f"invalid response from server: {refused.why}")
                effects.append(Reply(answer))
        return effects

    def _gives_up(self, ident: str | int) -> bool:
        """Nobody waits any more for the answer to a forwarded request. A held one has none to wait for."""
        return self.asked.forwarded(ident) is not None and self.asked.close(ident, ANSWERED) is not None

    def _too_much(self, text: str, taken: bool, why: str) -> list[Effect]:
        from mcpgov.core.json.json_spans import beginning

        note = {**passed(SERVER, ""), "action": "refused", "why": why, "bytes": len(text)}
        return [Record(note), *self.tell_bad(Refused(wire.INTERNAL_ERROR, why), [beginning(text)], taken)]
