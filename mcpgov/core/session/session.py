"""One client-server conversation as a state machine: a line in, effects out. Pure: no I/O, no clock.

Laws:
- No request reaches the server unless the policy in force let exactly the forwarded value pass.
- Each request gets exactly one answer: the server's, or ours.
- The record of a call stands before its forward in the effects; whoever performs them keeps that order.
- Whatever cannot be read, or fails on the way, is refused and answered; the conversation goes on.

The parts: `ClientSide` and `ServerSide` take the lines apart, `Results` the answers; `Judge` gives the verdicts,
`Records` says what goes on record, `OpenRequests` knows who waits for an answer, `FastLines` does the usual lines.
"""

from __future__ import annotations

from mcpgov.core.messages import wire
from mcpgov.core.messages.methods import CLIENT, SERVER
from mcpgov.core.session.call_records import Records, guard_records, of_decision, passed
from mcpgov.core.session.client_side import ClientSide, unjudged
from mcpgov.core.session.effects import Forward, Record, Reply, Withdraw
from mcpgov.core.session.fast_lines import FastLines
from mcpgov.core.session.open_requests import CANCELLED, SERVER_GONE, UNRECORDED, OpenRequests
from mcpgov.core.session.results import Results
from mcpgov.core.session.server_side import ServerSide
from mcpgov.core.session.session_policy import Policy as Policy
from mcpgov.core.session.session_policy import Who as Who
from mcpgov.core.session.session_state import State
from mcpgov.core.session.verdict import Judge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mcpgov.core.approvals.held_requests import Resolution
    from mcpgov.core.decision import Decision
    from mcpgov.core.session.effects import Effect, Line, Note
    from mcpgov.core.session.tool_list import ToolList


class Session:
    """The parts put together. `policy` may be replaced between two lines."""

    def __init__(
        self,
        who: Who,
        policy: Policy | None,
        tool_list: ToolList,
        digest_text: Callable[[str], str],
        clock: Callable[[], int],
        fingerprint: Callable[[str], str] | None = None,
    ) -> None:
        """`digest_text` tells definitions apart; `fingerprint` stands for values in records, and gives none away."""
        self._join(State(who, policy, tool_list, digest_text, clock, fingerprint or digest_text), [])

    def lane(self) -> Session:
        """The same conversation with open requests of its own: where a transport lets equal ids be open at once.

        Who speaks, the policy, the counters and whatever one request leaves for a later one are the same.
        """
        beside = Session.__new__(type(self))
        beside._join(self.state, self.lanes)
        return beside

    def _join(self, state: State, lanes: list[Session]) -> None:
        """`lanes`: all sessions of the conversation, this one included from now on."""
        self.who, self.tool_list, self.state, self.lanes = state.who, state.tool_list, state, lanes
        lanes.append(self)
        of_client, of_server = OpenRequests(), OpenRequests()
        judge, records = Judge(state), Records(state)
        self.fast = fast = FastLines(state, of_client, judge, records)
        results = Results(state, judge, records, fast)
        self.client = ClientSide(state, of_client, of_server, judge, records, fast, results)
        self.server = ServerSide(state, of_server, of_client, judge, records, results)
        # The records of a line that goes out as it is; None: take the long way. No method around them: each line pays.
        self.quick_call, self.quick_answer = fast.call, fast.answer
        # The same for the lines that a text begins with, as far as they go.
        self.quick_calls, self.quick_answers = fast.calls, fast.answers

    # --- what is in force

    @property
    def policy(self) -> Policy | None:
        return self.state.policy

    @policy.setter
    def policy(self, policy: Policy | None) -> None:
        self.state.policy = policy
        self.forget_shapes()

    @property
    def today(self) -> str:
        return self.state.today

    @today.setter
    def today(self, today: str) -> None:
        """Rules expire, so what names decide holds for a day."""
        if today != self.state.today:
            self.state.today = today
            self.forget_shapes()

    @property
    def on_roots(self) -> Callable[[tuple[str, ...]], None] | None:
        """Hears of the directories that the client gives its server; they are in force for the next line."""
        return self.state.on_roots

    @on_roots.setter
    def on_roots(self, told: Callable[[tuple[str, ...]], None] | None) -> None:
        self.state.on_roots = told

    @property
    def locked(self) -> bool:
        """Has a person locked everything? Then every governed request is denied."""
        return self.state.locked

    @locked.setter
    def locked(self, locked: bool) -> None:
        if locked != self.state.locked:
            self.state.locked = locked
            self.forget_shapes()

    def forget_links(self) -> None:
        """Look up anew where the rules' directories lie."""
        if self.state.policy is not None and self.state.policy.forget_links():
            self.forget_shapes()

    def forget_shapes(self) -> None:
        """The policy, the pins or the annotations are others now."""
        self.fast.forget()

    @property
    def judged(self) -> int:
        """Requests that were numbered, whoever sent them."""
        return self.state.seq

    @property
    def open_requests(self) -> int:
        return len(self.client.requests)

    # --- lines, each without its LF

    def from_client(self, line: Line) -> list[Effect]:
        notes = self.quick_call(line)
        if notes is not None:
            return [*map(Record, notes), Forward(line, self.latest(1)[0])]
        return self._noted(self.client.line(line))

    def from_server(self, line: Line) -> list[Effect]:
        notes = self.quick_answer(line)
        return self._noted(self.server.line(line)) if notes is None else [*map(Record, notes), Reply(line)]

    def latest(self, count: int) -> list[str | int]:
        """The ids of the requests that `quick_calls` passed on last."""
        return self.client.requests.latest(count)

    def too_long(self, sender: str, size: int) -> list[Effect]:
        """A line over the limit was thrown away unread."""
        note = {**passed(sender, ""), "action": "refused", "why": "the line is too long", "bytes": size}
        if sender == CLIENT:
            return [Record(note), Reply(wire.error(None, wire.INVALID_REQUEST, "the line is too long"))]
        return [Record(note), *self.server_gone("the server sent a line that is too long")]

    def words(self, data: bytes) -> tuple[bytes, list[Effect]]:
        """What a server says to the client that is no message, as a guard that reads lines lets it pass, and on record
        what it found."""
        judge = self.server.judge
        judge.look(data)
        if not self.state.dirty:
            return data, []
        said = wire.dump({"error": {"message": data.decode("utf-8", "replace")}})
        passes = judge.screen(SERVER, judge.subject("", None), b"", said)
        if self.state.screened is None:
            return data, []
        note: Note = {**passed(SERVER, ""), "bytes": len(data)}
        if (denial := judge.line_denial) is not None:
            note.update(action=denial.action, rule=denial.rule, why=denial.message)
            data = denial.message.encode()
        elif passes is not None:
            told: dict[str, dict[str, str]] = wire.read(passes[1], judged=False)  # type: ignore[assignment]
            data = told["error"]["message"].encode("utf-8", "replace")
        return data, self._noted(judge.noted([Record(note)]))

    def unjudged(self, line: Line | int, why: str) -> list[Effect]:
        """What the client sent, and nobody will judge any more: a request gets its answer."""
        return self.too_long(CLIENT, line) if isinstance(line, int) else unjudged(line, self.hidden(why))

    # --- questions

    def resume(self, number: str, resolution: Resolution) -> list[Effect]:
        """Continue a request that is held (`Ask`). Of one that was resumed or withdrawn before nothing comes."""
        from mcpgov.core.approvals.held_requests import resume

        lane = self.holder_of(number)
        side = lane.client if number in lane.client.requests.held else lane.server
        return self._noted(resume(side, number, resolution))

    def holder_of(self, number: str) -> Session:
        """The lane that holds a request; this one, if none does."""
        held = (
            lane for lane in self.lanes if number in lane.client.requests.held or number in lane.server.requests.held
        )
        return next(held, self)

    def client_gone(self) -> list[Effect]:
        """Its last line was read. What is held is denied, since it may still read, and nobody is asked any more."""
        if not self.client.requests.held and not self.server.requests.held:
            return []
        from mcpgov.core.approvals.held_requests import CLIENT_GONE, withdraw_all

        return self._noted([*withdraw_all(self.client, CLIENT_GONE), *withdraw_all(self.server, CLIENT_GONE)])

    # --- ends and failures

    def server_gone(self, why: str) -> list[Effect]:
        """Every open request of the client gets its answer; those of the server need none."""
        effects = [effect for ident in list(self.client.requests.by_id) for effect in self.request_failed(ident, why)]
        asked = self.server.requests.close_all(SERVER_GONE)
        effects += [Withdraw(request.number, SERVER_GONE) for _, request in asked if request.held is not None]
        return self._noted(effects)

    def over(self) -> list[Effect]:
        """The conversation has ended. How tasks end that still go on, nobody will know."""
        if self.state.open_tasks is not None:
            self.state.open_tasks.end_all()
        return self._noted([])

    def request_failed(self, ident: str | int, why: str) -> list[Effect]:
        """One request of the client will get no answer of the server: it gets ours."""
        request = self.client.requests.close(ident, SERVER_GONE)
        if request is None:
            return []
        why = self.hidden(why)
        note = {**passed(SERVER, request.method), "action": "failed", "why": why, "decision": request.number}
        withdrawn: list[Effect] = [Withdraw(each, SERVER_GONE) for each in request.held.numbers] if request.held else []
        return self._noted([*withdrawn, Record(note), Reply(wire.error(ident, wire.INTERNAL_ERROR, why))])

    def hidden(self, text: str) -> str:
        """Words of a server that are no message, as an error and a record may show them."""
        return self.client.judge.hidden(text)

    def request_denied(self, ident: str | int, decision: Decision) -> list[Effect]:
        """One request of the client that was sent is denied after all: the server did not take it."""
        request = self.client.requests.forwarded(ident)
        if request is None:
            return []
        note = {**passed(SERVER, request.method), **of_decision(decision), "decision": request.number}
        note["why"] = decision.message
        return self._noted([Record(note), self.client.deny(ident, decision)])

    def request_dropped(self, ident: str | int) -> list[Effect]:
        """Nobody waits for the answer to one request of the client any more; the server is told by the transport."""
        request = self.client.requests.close(ident, CANCELLED)
        if request is None:
            return []
        withdrawn: list[Effect] = [Withdraw(request.number, CANCELLED)] if request.held is not None else []
        note = {**passed(CLIENT, request.method), "action": "cancelled", "decision": request.number}
        return self._noted([*withdrawn, Record(note)])

    def _noted(self, effects: list[Effect]) -> list[Effect]:
        """What guards have to say of the requests that ended besides, also of those that ended unnoticed before."""
        notes = self.state.guard_notes
        return [*effects, *guard_records(notes)] if notes else effects

    def without_record(self, to_server: list[Forward], to_client: list[Reply]) -> tuple[list[Forward], list[Reply]]:
        """Their records could not be written: governed requests are denied, the rest passes or is replaced, as each
        effect says."""
        denied = [self.unrecorded(CLIENT, sent.request) for sent in to_server if sent.request is not None]
        refused = [self.unrecorded(SERVER, sent.request) for sent in to_client if sent.request is not None]
        passed_on = [sent.line if sent.instead is None else sent.instead for sent in to_client if sent.request is None]
        return (
            [*(sent for sent in to_server if sent.request is None), *(Forward(answer) for answer in refused if answer)],
            [Reply(answer) for answer in (*passed_on, *denied) if answer],
        )

    def unrecorded(self, sender: str, ident: str | int) -> bytes | None:
        """The record of a governed request could not be written: it is denied. What to tell its sender."""
        side = self.client if sender == CLIENT else self.server
        if ident not in side.requests:
            return None
        from mcpgov.core.session.denials import unrecorded

        return bytes(side.deny(ident, unrecorded(), UNRECORDED).line)
