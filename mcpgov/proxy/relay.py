"""What both sides say: bytes in, judged line by line, recorded, and sent on.

Laws: a record is written before what it records goes out; bytes that were judged plain go out as they came.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` itself costs an enum at every start
import posix
import time

from mcpgov.core.json.values import dumps
from mcpgov.core.messages import wire
from mcpgov.core.messages.methods import CLIENT, SERVER
from mcpgov.core.session.call_records import half_line
from mcpgov.core.session.effects import Forward, Record, Reply, SavePins, Stderr
from mcpgov.core.session.session import Who
from mcpgov.core.session.session_state import BROKEN_OFF, BrokenOff
from mcpgov.live.journal_writer import LATEST, MOST_LATE, UNWRITTEN, Journal
from mcpgov.live.refresh import LOCATED, SessionRefresh, SessionStart
from mcpgov.live.shared import Live
from mcpgov.proxy.buffers import LineBuffer, WriteBuffer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mcpgov.core.session.effects import Effect, Line
    from mcpgov.live.daemon_link import DaemonLink
    from mcpgov.live.questions import Questions
    from mcpgov.proxy.launch import Spawned
    from mcpgov.proxy.shutdown import Shutdown
    from mcpgov.proxy.stderr import StderrRelay

# Up to so many records of answers are written together with the record of a call; other batches wait for a timer,
# because a time limit for each poll costs more than the writing.
A_FEW = 8
LF = 0x0A


def _nobody() -> None:
    return


def _text(data: bytes) -> str:
    """Whole lines as text; an empty line where they are none, so that they are read one by one."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return "\n"


def _lines(data: bytes) -> list[Line | int]:
    return data[:-1].split(b"\n")  # type: ignore[return-value]


class Relay:
    """One conversation as bytes. `late`: notes that wait for company; `held`: what waits for its policy."""

    def __init__(
        self,
        server: Spawned,
        argv: list[str],
        options: dict[str, str],
        home: dict[str, str],
        stderr: StderrRelay,
        shutdown: Shutdown,
    ) -> None:
        who = Who(options["server"], options.get("client", ""), options.get("project", ""), posix.urandom(6).hex())
        names = {"session": who.session, "client": who.client, "server": who.server}
        if who.project:
            names["project"] = who.project
        live = Live(home)
        self.journal = Journal(names, live.journal_file(options.get("journal", "")))
        self.late: list[str] = []
        self.stderr = stderr
        self.shutdown = shutdown
        start = SessionStart(options, argv, who, self.journal.watched, server.pid)
        self.in_force = SessionRefresh(live, start, self.note, stderr.say)
        self.session = self.in_force.session
        self.to_server = WriteBuffer(server.stdin)
        self.to_client = WriteBuffer(1)
        self.from_client = LineBuffer(wire.CLIENT_LINE_LIMIT)
        self.from_server = LineBuffer(wire.SERVER_LINE_LIMIT)
        self.held = b""
        self.judging = False  # a line is judged: whoever hears the end of the conversation may break that off
        self.broken_off = False
        self.slow = False  # judging takes so long that what is judged goes out before the rest
        self._ticking = False
        self.reach_daemon: Callable[[], DaemonLink | None] = _nobody
        self.questions: Questions | None = None  # from the first one on
        self._about_questions: list[Effect] = []
        self._asking = False  # a governed request of the server is among what goes to the client

    # --- the usual case: whole lines, all of them plain, while nothing has stirred

    def pass_calls(self, data: bytes) -> bool:
        """The client's bytes. False: not the usual case, and what is left of it is done the long way."""
        now, in_force = time.time(), self.in_force
        # Behind the last LF there is nothing, or the beginning of a line.
        if data[-1] != LF or self.from_client.held or not in_force.looked <= now < in_force.watch.until:
            return self.hear_client(data)
        if now - in_force.located > LOCATED:
            in_force.locate()
        late = self.late
        notes = late if len(late) >= A_FEW else []
        before = len(notes)
        text = _text(data)
        judged = self.session.quick_calls(text, notes)
        done = judged >= len(text) and self.journal.write(notes, now)
        if notes is not late and not done:
            late += notes
        elif done and before:
            late.clear()
        if done:
            return self.to_server.send(data)
        return self._judge(_lines(data), text.count("\n", 0, judged))

    def pass_answers(self, data: bytes) -> bool:
        """The server's bytes, likewise."""
        self.in_force.answered = True
        if data[-1] != LF or self.from_server.held:
            return self.hear_server(data)
        late = self.late
        text = _text(data)
        judged = self.session.quick_answers(text, late)
        if judged < len(text):
            return self._judge_answers(_lines(data), text.count("\n", 0, judged))
        if not self._ticking or len(late) >= MOST_LATE:
            self._batch_records()
        return self.to_client.send(data)

    # --- any case

    def hear_client(self, data: bytes) -> bool:
        self.journal.recheck()  # elsewhere the kernel tells when its directory stirs
        self.in_force.refresh()
        if self.in_force.policies.busy:
            self.held = data
            return False
        return self._judge(self.from_client.feed(data))

    def _judge(self, lines: list[Line | int], passed: int = 0) -> bool:
        """`passed`: so many of them are judged, and wait to be sent."""
        session = self.session
        to_server: list[Forward] = list(map(Forward, lines[:passed], session.latest(passed)))  # type: ignore[arg-type]
        to_client: list[Reply] = []
        for line in lines[passed:]:
            if isinstance(line, int):
                self._sort(session.too_long("client", line), to_server, to_client)
            elif self.broken_off:
                self._sort(session.unjudged(line, BROKEN_OFF), to_server, to_client)
            else:
                self._sort(self._judged(session.from_client, line), to_server, to_client)
                if self.slow:
                    self.slow = False
                    self._perform(to_server, to_client, at_once=True)
                    to_server, to_client = [], []
        # A denial's record stands before that of the next call, which may take the short way.
        self._perform(to_server, to_client, at_once=True)
        return False

    def _judged(self, judge: Callable[[Line], list[Effect]], line: Line) -> list[Effect]:
        """What a line leads to. A clock ticks meanwhile, so that the end of the conversation is heard."""
        if not self._ticking:
            self._start_clock()
        try:
            self.judging = True
            return judge(line)
        except BrokenOff:  # it came when the judging was as good as over
            return []
        finally:
            self.judging = False

    def hear_server(self, data: bytes) -> bool:
        self.in_force.answered = True
        return self._judge_answers(self.from_server.feed(data))

    def _judge_answers(self, lines: list[Line | int], passed: int = 0) -> bool:
        session = self.session
        to_server: list[Forward] = []
        to_client: list[Reply] = list(map(Reply, lines[:passed]))  # type: ignore[arg-type]
        for line in lines[passed:]:
            if isinstance(line, int):
                self._sort(session.too_long("server", line), to_server, to_client)
                self.shutdown.hurry()
            elif not self.broken_off:
                self._sort(self._judged(session.from_server, line), to_server, to_client)
        self._perform(to_server, to_client)
        if session.tool_list.awaits_acceptance:
            self.in_force.watch.until = 0.0
        return False

    def compile(self) -> None:
        """The client's messages wait until the policy they are to be judged by is there."""
        policies = self.in_force.policies
        if policies.ready():
            self.in_force.compiled()
        if not policies.busy and self.questions is not None:
            self.questions.compiled()
        if not policies.busy and self.held:
            held, self.held = self.held, b""
            self._judge(self.from_client.feed(held))

    def ends(self, sender: str) -> None:
        """One side says nothing more: half a line is no message."""
        rest = (self.from_client if sender == CLIENT else self.from_server).rest()
        if rest:
            self.note(half_line(sender, len(rest)))
        if rest and sender == SERVER:
            self.stderr.show(rest)
        effects = self.session.client_gone() if sender == CLIENT else []
        if effects:
            self.perform(effects)

    def end(self, why: str, unjudged: str = "") -> None:
        """The server is gone: answer what is open, and what waits to be judged (`unjudged`: why, if otherwise)."""
        last: list[Reply] = []
        self._sort([*self.session.server_gone(why), *self.session.over()], [], last)
        for line in self.from_client.feed(self.held) if self.held else []:
            self._sort(self.session.unjudged(line, unjudged or why), [], last)
        self._perform([], last)
        self.flush_notes()

    # --- performing

    def _sort(self, effects: list[Effect], to_server: list[Forward], to_client: list[Reply]) -> None:
        for effect in effects:
            match effect:
                case Record():
                    self.late.append(effect.note if type(effect.note) is str else dumps(effect.note)[1:-1])
                case Reply():
                    to_client.append(effect)
                    self._asking = self._asking or effect.request is not None or effect.instead is not None
                case Forward():
                    to_server.append(effect)
                case Stderr():
                    self.stderr.show(effect.data)
                case SavePins():
                    self.in_force.save_pins()
                case _:
                    self._about_questions.append(effect)

    def _perform(self, to_server: list[Forward], to_client: list[Reply], *, at_once: bool = False) -> None:
        """INVARIANT: the notes of a batch are on record before any request of it goes out, to either side."""
        recorded = True
        if (to_server or self._asking or at_once or self._about_questions) and self.late:
            self._asking = False
            recorded = self.journal.write(self.late)
            if not recorded:
                self.stderr.say(UNWRITTEN)
                to_server, to_client = self.session.without_record(to_server, to_client)
            self.late.clear()
        elif self.late:
            self._batch_records()
        if to_server:
            self.to_server.send_lines([sent.line for sent in to_server])
        if to_client:
            self.to_client.send_lines([sent.line for sent in to_client])
        if self._about_questions:
            self._ask_people(recorded)

    def _ask_people(self, recorded: bool) -> None:
        """What is about questions comes last: a question is put once its call is on record."""
        effects, self._about_questions = self._about_questions, []
        if self.questions is None:
            from mcpgov.live.questions import Questions

            self.questions = Questions(self.session, self.reach_daemon, self.perform, self._refreshed)
        self.questions.take(effects, recorded)
        self.watch_questions()

    def watch_questions(self) -> None:
        """When a question is due may have changed."""
        if self.questions is not None and not self._ticking:
            _signal.setitimer(_signal.ITIMER_REAL, self.questions.soonest())

    def _refreshed(self) -> bool:
        self.in_force.refresh()
        return not self.in_force.policies.busy

    def perform(self, effects: list[Effect], _number: str = "") -> None:
        """Effects that no line has led to."""
        to_server: list[Forward] = []
        to_client: list[Reply] = []
        self._sort(effects, to_server, to_client)
        self._perform(to_server, to_client, at_once=True)

    def note(self, note: dict[str, object]) -> None:
        self.late.append(dumps(note)[1:-1])
        self.flush_notes()

    def _batch_records(self) -> None:
        if len(self.late) >= MOST_LATE:
            self.flush_notes()
        elif not self._ticking:
            self._start_clock()

    def _start_clock(self) -> None:
        self._ticking = True
        _signal.setitimer(_signal.ITIMER_REAL, LATEST, LATEST)

    def tick(self) -> None:
        """The clock runs as long as there is something to write, and once more; then until a question is due."""
        questions = self.questions
        if questions is not None:
            questions.work()
        if not self.late:
            self._ticking = False
            _signal.setitimer(_signal.ITIMER_REAL, 0.0 if questions is None else questions.soonest())
        self.flush_notes()

    def flush_notes(self) -> None:
        if self.late:
            self.journal.write(self.late)
            self.late.clear()
