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
from mcpgov.core.session.call_records import Records, passed
from mcpgov.core.session.client_side import ClientSide, unjudged
from mcpgov.core.session.effects import Forward, Record, Reply, Withdraw
from mcpgov.core.session.fast_lines import FastLines
from mcpgov.core.session.open_requests import SERVER_GONE, UNRECORDED, OpenRequests
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
    from mcpgov.core.session.effects import Effect, Line
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
        self.who = who
        self.tool_list = tool_list
        self.state = state = State(who, policy, tool_list, digest_text, clock, fingerprint or digest_text)
        of_client, of_server = OpenRequests(), OpenRequests()
        judge, records = Judge(state), Records(state)
        self.fast = fast = FastLines(state, of_client, judge, records)
        results = Results(state, judge, records, fast)
        self.client = ClientSide(state, of_client, of_server, judge, records, fast, results)
        self.server = ServerSide(state, of_server, of_client, judge, records, results)
        # The record of a line that goes out as it is; None: take the long way. No method around them: each line pays.
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
        self.fast.forget()

    @property
    def today(self) -> str:
        return self.state.today

    @today.setter
    def today(self, today: str) -> None:
        """Rules expire, so what names decide holds for a day."""
        if today != self.state.today:
            self.state.today = today
            self.fast.forget()

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
            self.fast.forget()

    def forget_links(self) -> None:
        """Look up anew where the rules' directories lie."""
        if self.state.policy is not None and self.state.policy.forget_links():
            self.fast.forget()

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
        note = self.quick_call(line)
        return self.client.line(line) if note is None else [Record(note), Forward(line, self.latest(1)[0])]

    def from_server(self, line: Line) -> list[Effect]:
        note = self.quick_answer(line)
        return self.server.line(line) if note is None else [Record(note), Reply(line)]

    def latest(self, count: int) -> list[str | int]:
        """The ids of the requests that `quick_calls` passed on last."""
        return self.client.requests.latest(count)

    def too_long(self, sender: str, size: int) -> list[Effect]:
        """A line over the limit was thrown away unread."""
        note = {**passed(sender, ""), "action": "refused", "why": "the line is too long", "bytes": size}
        if sender == CLIENT:
            return [Record(note), Reply(wire.error(None, wire.INVALID_REQUEST, "the line is too long"))]
        return [Record(note), *self.server_gone("the server sent a line that is too long")]

    def unjudged(self, line: Line | int, why: str) -> list[Effect]:
        """What the client sent, and nobody will judge any more: a request gets its answer."""
        return self.too_long(CLIENT, line) if isinstance(line, int) else unjudged(line, why)

    # --- questions

    def resume(self, number: str, resolution: Resolution) -> list[Effect]:
        """Continue a request that is held (`Ask`). Of one that was resumed or withdrawn before nothing comes."""
        from mcpgov.core.approvals.held_requests import resume

        return resume(self.client if number in self.client.requests.held else self.server, number, resolution)

    def client_gone(self) -> list[Effect]:
        """Its last line was read. What is held is denied, since it may still read, and nobody is asked any more."""
        if not self.client.requests.held and not self.server.requests.held:
            return []
        from mcpgov.core.approvals.held_requests import CLIENT_GONE, withdraw_all

        return [*withdraw_all(self.client, CLIENT_GONE), *withdraw_all(self.server, CLIENT_GONE)]

    # --- ends and failures

    def server_gone(self, why: str) -> list[Effect]:
        """Every open request of the client gets its answer; those of the server need none."""
        effects: list[Effect] = []
        for ident, request in self.client.requests.close_all(SERVER_GONE):
            note = {**passed(SERVER, request.method), "action": "failed", "why": why, "decision": request.number}
            effects += [Withdraw(request.number, SERVER_GONE)] if request.held is not None else []
            effects += [Record(note), Reply(wire.error(ident, wire.INTERNAL_ERROR, why))]
        asked = self.server.requests.close_all(SERVER_GONE)
        return effects + [Withdraw(request.number, SERVER_GONE) for _, request in asked if request.held is not None]

    def unrecorded(self, sender: str, ident: str | int) -> bytes | None:
        """The record of a governed request could not be written: it is denied. What to tell its sender."""
        side = self.client if sender == CLIENT else self.server
        if ident not in side.requests:
            return None
        from mcpgov.core.session.denials import unrecorded

        return bytes(side.deny(ident, unrecorded(), UNRECORDED).line)
