"""One governed conversation over HTTP: a session on `Live`, its records and its questions, between awaits.

Laws, as on stdio: what is in force is looked at before a message is judged; a record is written before what it records
goes out, and what cannot be recorded is denied. Nothing here reads or writes a socket.
"""

from __future__ import annotations

import time

from mcpgov.core.json.json_spans import outline
from mcpgov.core.json.values import dumps
from mcpgov.core.messages import wire
from mcpgov.core.session.effects import Ask, Forward, Record, Reply, SavePins, Stderr
from mcpgov.live.journal_writer import LATEST, MOST_LATE, UNWRITTEN, Journal
from mcpgov.live.refresh import SessionRefresh, SessionStart

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from mcpgov.core.session.effects import Effect, Line
    from mcpgov.core.session.session import Session, Who
    from mcpgov.live.questions import Questions
    from mcpgov.remote.sessions.shared_parts import SharedParts

    class Waiting(Protocol):
        """Whoever waits for what becomes of a request that is held."""

        def deliver(self, to_server: list[Forward], to_client: list[Reply], *, held: bool) -> None: ...


ENDED = "the server ended its answer without a result"
CANCEL = b"notifications/cancelled"


class Judged:
    """What one message has led to. `held`: the numbers of the requests that a person is asked about."""

    __slots__ = ("held", "to_client", "to_server")

    def __init__(self, to_server: list[Forward], to_client: list[Reply], held: list[str]) -> None:
        self.to_server = to_server
        self.to_client = to_client
        self.held = held


class Conversation:
    """`lasting`: it has a session id of the upstream, so ids are open once in it; else every exchange has a lane."""

    def __init__(self, shared: SharedParts, who: Who, options: dict[str, str], *, lasting: bool) -> None:
        names = {"session": who.session, "client": who.client, "server": who.server}
        if who.project:
            names["project"] = who.project
        self._shared = shared
        self.lasting = lasting
        self.journal = Journal(names, shared.live.journal_file(options.get("journal", "")))
        self._late: list[str] = []
        self._flush_due = False
        start = SessionStart(options, [], who, self.journal.watched, world=shared.world)
        self.in_force = SessionRefresh(shared.live, start, self.note, shared.say)
        self.session = self.in_force.session
        self._idle: list[Session] = []
        self.questions: Questions | None = None
        self._waiting: dict[str, Waiting] = {}
        self.users = 0  # exchanges and streams that are under way
        self.used = time.monotonic()
        self.adopted = False  # it began before this process did
        self.unbound = False  # nothing leads to it any more: it closes when its last exchange ends
        self.closed = False
        self.ended: Callable[[], None] = lambda: None

    # --- lanes

    def enter(self, body: Line = b"") -> tuple[Session, bool]:
        """The session that judges a message of the client, and whether it is this message's alone; `leave` follows."""
        self.users += 1
        self.used = time.monotonic()
        if self.lasting:
            return self.session, False
        concerned = self._concerned(body)
        if concerned is not None:
            return concerned, False
        return (self._idle.pop() if self._idle else self._new_lane()), True

    def _new_lane(self) -> Session:
        return self.session if not self._is_busy(self.session) and self.users == 1 else self.session.lane()

    def leave(self, lane: Session, *, ends: bool = False) -> None:
        """`ends`: what carried the lane's requests has ended. Without sessions nothing can answer those left open."""
        self.users -= 1
        self.used = time.monotonic()
        if ends and not self.lasting and self._is_busy(lane):
            self.perform(lane, lane.server_gone(ENDED), NOBODY, at_once=True)
        if not self.lasting and not self._is_busy(lane) and lane not in self._idle:
            self._idle.append(lane)
        if self.unbound and not self.users:
            self.close()

    @staticmethod
    def _is_busy(lane: Session) -> bool:
        return bool(len(lane.client.requests) or len(lane.server.requests))

    def _concerned(self, body: Line) -> Session | None:
        """The lane that a message without a request of its own is about: an answer, a cancellation."""
        if b'"method"' not in body:
            ident = outline(bytes(body).decode("utf-8", "replace"))[0]
            return self.asker_of(ident) if ident is not None else None
        if CANCEL in body:
            ident = cancelled_id(body)
            return next((lane for lane in self.session.lanes if ident in lane.client.requests), None)
        return None

    def asker_of(self, ident: str | int) -> Session | None:
        """The lane whose server waits for an answer of this id, or that we have asked something in."""
        if ident in self.session.state.own_requests:
            return self.session
        return next((lane for lane in self.session.lanes if ident in lane.server.requests), None)

    # --- judging

    @property
    def is_ready(self) -> bool:
        return self.in_force.is_fresh(time.time())

    async def ready(self) -> None:
        """Look at what is in force, and wait for a policy that is being compiled."""
        in_force = self.in_force
        if in_force.is_fresh(time.time()):
            return
        self.journal.recheck()
        in_force.refresh()
        while in_force.policies.busy:
            await self._shared.compiling.wait()
            in_force.refresh()
        self._shared.compiling.follow()

    def from_client(self, lane: Session, line: Line, waiting: Waiting) -> Judged:
        return self.perform(lane, lane.from_client(line), waiting, at_once=True)

    def from_server(self, lane: Session, line: Line, waiting: Waiting) -> Judged:
        self.in_force.answered = True
        judged = self.perform(lane, lane.from_server(line), waiting)
        if self.session.tool_list.awaits_acceptance:
            self.in_force.watch.until = 0.0
        return judged

    def perform(self, lane: Session, effects: list[Effect], waiting: Waiting, *, at_once: bool = False) -> Judged:
        """INVARIANT: the records of a message are written before any request of it goes out, to either side."""
        to_server: list[Forward] = []
        to_client: list[Reply] = []
        about: list[Effect] = []
        asking = self._sort(effects, to_server, to_client, about)
        recorded = True
        if self._late and (to_server or asking or at_once or about):
            recorded = self.journal.write(self._late)
            self._late.clear()
            if not recorded:
                self._shared.say(UNWRITTEN)
                to_server, to_client = lane.without_record(to_server, to_client)
        elif self._late:
            self._batch_records()
        if not about:
            return Judged(to_server, to_client, [])
        held = [effect.number for effect in about if isinstance(effect, Ask)]
        for number in held:
            self._waiting[number] = waiting
        self._ask_people(about, recorded)
        return Judged(to_server, to_client, held)

    def _sort(
        self, effects: list[Effect], to_server: list[Forward], to_client: list[Reply], about: list[Effect]
    ) -> bool:
        """True: a governed request of the server is among what goes to the client."""
        asking = False
        for effect in effects:
            if isinstance(effect, Record):
                self._late.append(effect.note if type(effect.note) is str else dumps(effect.note)[1:-1])
            elif isinstance(effect, Reply):
                to_client.append(effect)
                asking = asking or effect.request is not None or effect.instead is not None
            elif isinstance(effect, Forward):
                to_server.append(effect)
            elif isinstance(effect, SavePins):
                self.in_force.save_pins()
            elif not isinstance(effect, Stderr):  # what a server sends besides messages is on record, nowhere else
                about.append(effect)
        return asking

    # --- records

    def note(self, note: dict[str, object]) -> None:
        self._late.append(dumps(note)[1:-1])
        self.flush()

    def _batch_records(self) -> None:
        if len(self._late) >= MOST_LATE:
            self.flush()
        elif not self._flush_due:
            self._flush_due = True
            self._shared.later(LATEST, self.flush)

    def flush(self) -> None:
        self._flush_due = False
        if self._late:
            self.journal.write(self._late)
            self._late.clear()

    # --- questions

    def _ask_people(self, about: list[Effect], recorded: bool) -> None:
        if self.questions is None:
            from mcpgov.live.questions import Questions

            link = self._shared.question_link(self)
            self.questions = Questions(self.session, link.reach, self._deliver, self._refreshed)
        self.questions.take(about, recorded)
        self.watch_questions()

    def watch_questions(self) -> None:
        if self.questions is None:
            return
        self._shared.question_link(self).follow()
        if wait := self.questions.soonest():
            self._shared.alarm(self, wait)

    def time_passed(self) -> None:
        if self.questions is not None:
            self.questions.work()
            self.watch_questions()

    def compiled(self) -> None:
        """A policy is there that a yes may have waited for."""
        if self.questions is not None and not self.in_force.policies.busy:
            self.questions.compiled()

    def _refreshed(self) -> bool:
        self.in_force.refresh()
        self._shared.compiling.follow()
        return not self.in_force.policies.busy

    def _deliver(self, effects: list[Effect], number: str) -> None:
        """What became of a question, for whoever waits for it."""
        waiting = self._waiting.get(number)
        lane = self.session.holder_of(number)
        if waiting is None:
            waiting = NOBODY
        judged = self.perform(lane, effects, waiting, at_once=True)
        held = any(
            number in each.client.requests.held or number in each.server.requests.held for each in self.session.lanes
        )
        if not held:
            self._waiting.pop(number, None)
        waiting.deliver(judged.to_server, judged.to_client, held=held)

    def close(self) -> None:
        """The conversation is over; the process goes on."""
        if not self.closed:
            self.closed = True
            nobody = NOBODY
            for lane in self.session.lanes:
                self.perform(lane, lane.client_gone(), nobody, at_once=True)
            self.perform(self.session, self.session.over(), nobody, at_once=True)
            policy = self.session.policy
            if policy is not None and policy.guards is not None:
                policy.guards.session_ended(self.session.who.session)
            self.flush()
            self.in_force.close()
            self._shared.forget(self)
            self.ended()


def cancelled_id(body: Line) -> str | int | None:
    try:
        params = wire.read(wire.decode(body), judged=False).get("params")
    except wire.Refused:
        return None
    return wire.usable(params.get("requestId")) if isinstance(params, dict) else None


class _Nobody:
    def deliver(self, to_server: list[Forward], to_client: list[Reply], *, held: bool) -> None:
        return


NOBODY: Waiting = _Nobody()
