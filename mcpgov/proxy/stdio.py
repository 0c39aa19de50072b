"""One poll loop, two directions: lines -> session -> effects -> bytes.

Laws: nothing waits but poll; a record is written before what it records is forwarded; a full queue stops its source
and nothing else.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` itself costs an enum at every start
import gc
import posix
import select
import time
from _stat import S_ISFIFO, S_ISSOCK

from mcpgov.core import session as states
from mcpgov.core import wire
from mcpgov.core.session import Who
from mcpgov.proxy.ending import Ending
from mcpgov.proxy.journal import Journal
from mcpgov.proxy.launch import Spawned
from mcpgov.proxy.pipes import HIGH_WATER, Lines, Outlet, read
from mcpgov.proxy.present import Present
from mcpgov.proxy.voice import Voice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.proxy.pipes import Sent
    from mcpgov.proxy.register import Link

# How long the note on an answer may wait for company: one write for two notes, and none on an answer's way.
LATEST_NOTE = 20  # milliseconds
MOST_WAITING = 64 * 1024 * 1024
SIGNALS = (_signal.SIGTERM, _signal.SIGINT, _signal.SIGHUP)
REACH_AGAIN = 5.0  # seconds between two tries to reach the daemon
EXIT_INTERNAL = 70
UNWRITTEN = "mcpgov: the journal cannot be written; governed calls are denied"


class Pump:
    """The process between client and server."""

    def __init__(self, server: Spawned, argv: list[str], options: dict[str, str], home: dict[str, str]) -> None:
        self.server = server
        self.ending = Ending(server.pid)
        who = Who(options["server"], options.get("client", ""), options.get("project", ""), posix.urandom(6).hex())
        names = {"session": who.session, "client": who.client, "server": who.server}
        if who.project:
            names["project"] = who.project
        journal = options.get("journal", "")
        keep = int(home.get("keep_days") or 0)
        self.journal = Journal(journal or home["journal"], names, single=bool(journal), keep_days=keep)
        self._late: list[str | dict[str, object]] = []
        self.voice = Voice(server.stderr)
        self.present = Present(options, home, argv, who, self._note, self.voice.say)
        self.session = self.present.session
        self._socket = home.get("socket", "")
        self._link: Link | None = None
        self._link_fd = -1
        self._reach = 0.0  # when to try again to reach the daemon
        self.to_server = Outlet(server.stdin)
        self.to_client = Outlet(1)
        self.from_client = Lines(wire.CLIENT_LINE_LIMIT)
        self.from_server = Lines(wire.SERVER_LINE_LIMIT)
        self.client_gone = False
        self._held = b""  # what the client sent while its policy is compiled
        self._wake = -1
        self._wanted: dict[int, int] = {}
        self._settled = False
        self._asking = False  # a governed request of the server is among what goes to the client

    # --- the loop

    def run(self) -> int:
        self._prepare()
        # The launcher starts without the collector; what is loaded by now stays, so it need never be looked at.
        gc.freeze()
        gc.set_threshold(20_000, 20, 20)
        gc.enable()
        poll = select.poll()
        ending, voice, to_client, to_server = self.ending, self.voice, self.to_client, self.to_server
        quiet = False
        while True:
            if not quiet:
                if ending.finished(speaks=self.server.stdout >= 0):
                    return self._leave()
                self._register(poll)
            # A note on an answer waits a moment for company; apart from that a healthy conversation sleeps.
            ready = poll.poll((LATEST_NOTE if self._late else None) if quiet else self._patience())
            for fd, _event in ready:
                if fd == self.server.stdout:
                    self._read_server()
                elif fd == 0:
                    self._read_client()
                elif fd == voice.fd:
                    voice.listen()
                elif fd == self._wake:
                    self._read_signals()
                elif fd == self._link_fd:
                    self._hear_daemon()
            if not ready:
                self._flush_notes()
            # Nothing queued, nothing ending: the next turn waits for the same things.
            quiet = self._settled and not (to_client.size or to_server.size or voice.waiting or ending.near)
            if not quiet:
                self._pass()

    def _prepare(self) -> None:
        heard, write = posix.pipe()
        for fd in (heard, write, self.server.stdin, self.server.stderr):
            posix.set_blocking(fd, False)
        self._wake = heard
        _signal.set_wakeup_fd(write, warn_on_full_buffer=False)
        for number in (*SIGNALS, _signal.SIGCHLD):
            _signal.signal(number, _noted)
        _signal.pthread_sigmask(_signal.SIG_UNBLOCK, SIGNALS)
        kind = posix.fstat(1).st_mode
        if S_ISFIFO(kind) or S_ISSOCK(kind):
            # Our end of a pipe or socket is ours alone; a terminal is shared, so it stays as it is.
            posix.set_blocking(1, False)
        # The child may have died before the handler stood.
        self.ending.reap()

    def _register(self, poll: select.poll) -> None:
        """What to wait for follows from the queues: a full one stops its source, never the other direction."""
        wanted = {self._wake: select.POLLIN}
        compiling = self.present.policies.busy
        if compiling is not None:
            wanted[compiling.fd] = select.POLLIN
        elif not self.client_gone:
            room = self.to_server.size <= HIGH_WATER and self.to_client.size <= 8 * HIGH_WATER
            if room or not self.ending.since:
                # Without room it is asked nothing, but poll tells of its end all the same.
                wanted[0] = select.POLLIN if room else 0
        if self.server.stdout >= 0 and self.to_client.size <= HIGH_WATER:
            wanted[self.server.stdout] = select.POLLIN
        if self.voice.fd >= 0 and self.voice.has_room:
            wanted[self.voice.fd] = select.POLLIN
        hears_both = wanted.get(0) and self.server.stdout in wanted
        self._settled = bool(hears_both) and (self.voice.fd < 0 or self.voice.fd in wanted)
        if self.to_server.size > 0:
            wanted[self.to_server.fd] = select.POLLOUT
        if self.to_client.size > 0:
            wanted[1] = select.POLLOUT
        if self.voice.waiting:
            wanted[2] = select.POLLOUT
        if self._link_fd >= 0:
            wanted[self._link_fd] = select.POLLIN
        for fd in self._wanted.keys() - wanted.keys():
            poll.unregister(fd)
        for fd, events in wanted.items():
            if self._wanted.get(fd) != events:
                poll.register(fd, events)
        self._wanted = wanted

    def _patience(self) -> int | None:
        """Milliseconds until something is due; nothing is due in a healthy conversation, so no idle wake-ups."""
        now = time.monotonic()
        due = [moment for moment in self.ending.due() if moment > now]
        if self._late:
            due.append(now + LATEST_NOTE / 1000)
        if self.present.policies.busy is not None:
            due.append(self.present.policies.busy.deadline)
        return max(0, int((min(due) - now) * 1000) + 1) if due else None

    # --- reading

    def _read_client(self) -> None:
        if not self._wanted[0]:
            # It has gone while the server takes nothing more. What it sent is still passed on, if there is time.
            self.ending.begin()
            return
        data = read(0)
        if not data:
            if data is not None:
                self._client_ends()
            return
        self.present.refresh()
        if self.present.policies.busy is None:
            self._judge(data)
        else:
            self._held, self._settled = data, False
        # The server has work now: time for a word to the daemon, where one listens.
        if self._link_fd < 0 and self._socket:
            self._reach_daemon()

    def _judge(self, data: bytes) -> None:
        session, late = self.session, self._late
        to_server: list[Sent] = []
        to_client: list[Sent] = []
        for line in self.from_client.feed(data):
            if isinstance(line, int):
                self._sort(session.too_long("client", line), to_server, to_client)
                continue
            passed = session.quick_call(line)
            if passed is None:
                self._sort(session.judge(line), to_server, to_client)
            else:
                late.append(passed[0])
                to_server.append((line, passed[1]))
        self._perform(to_server, to_client)

    def _read_server(self) -> None:
        data = read(self.server.stdout)
        if not data:
            self._server_ends()
            return
        self.present.answered = True
        session, late = self.session, self._late
        to_server: list[Sent] = []
        to_client: list[Sent] = []
        for line in self.from_server.feed(data):
            if isinstance(line, int):
                self._sort(session.too_long("server", line), to_server, to_client)
                self.ending.hurry()
                continue
            note = session.quick_answer(line)
            if note is None:
                self._sort(session.judge_return(line), to_server, to_client)
            else:
                late.append(note)
                to_client.append((line, None))
        self._perform(to_server, to_client)

    def _read_signals(self) -> None:
        for number in read(self._wake) or b"":
            if number == _signal.SIGCHLD:
                self.ending.reap()
            elif number in SIGNALS:
                self.ending.pass_on(number)
                self.to_server.closing = True

    # --- the daemon, where there is one

    def _reach_daemon(self) -> None:
        now = time.monotonic()
        if now < self._reach:
            return
        self._reach = now + REACH_AGAIN
        try:
            posix.stat(self._socket)  # without a daemon this is all it costs
        except OSError:
            return
        if self._link is None:
            from mcpgov.proxy.register import Link

            who, child = self.session.who, self.ending.pid
            hello = {"server": who.server, "client": who.client, "project": who.project, "session": who.session}
            self._link = Link(self._socket, {**hello, "child": child}, self._counters)
        if self._link.retry(now):
            self._link_fd, self._settled = self._link.fd, False

    def _hear_daemon(self) -> None:
        assert self._link is not None
        self._link.readable()
        if self._link.fd != self._link_fd:
            self._link_fd, self._settled = self._link.fd, False

    def _counters(self) -> dict[str, object]:
        session = self.session
        idle = max(0, int(time.time() - self.present.looked))
        return {"calls": session.judged, "denied": session.denied, "errors": session.errors, "idle": idle}

    # --- performing

    def _sort(self, effects: list[states.Effect], to_server: list[Sent], to_client: list[Sent]) -> None:
        for kind, value, ident in effects:
            if kind == states.NOTE:
                self._late.append(value)  # type: ignore[arg-type]
            elif kind == states.TO_CLIENT:
                to_client.append((value, ident))  # type: ignore[arg-type]
                self._asking = self._asking or ident is not None
            elif kind == states.TO_SERVER:
                to_server.append((value, ident))  # type: ignore[arg-type]
            elif kind == states.STDERR:
                self.voice.show(value)  # type: ignore[arg-type]
            elif kind == states.PINS:
                self.present.save_pins()

    def _perform(self, to_server: list[Sent], to_client: list[Sent]) -> None:
        """INVARIANT: the notes of a batch are on record before any request of it goes out, to either side."""
        if (to_server or self._asking) and self._late:
            self._asking = False
            late, self._late = self._late, []
            if not self.journal.write(late):
                to_server, to_client = self._only_unrecorded(to_server, to_client)
        if to_server:
            self.to_server.send_lines(to_server)
        if to_client:
            self.to_client.send_lines(to_client)

    def _only_unrecorded(self, to_server: list[Sent], to_client: list[Sent]) -> tuple[list[Sent], list[Sent]]:
        """The record failed: governed requests are denied, the rest passes."""
        self.voice.say(UNWRITTEN)
        denied = [self.session.unrecorded(ident) for _, ident in to_server if ident is not None]
        refused = [self.session.unrecorded_request(ident) for _, ident in to_client if ident is not None]
        return (
            [sent for sent in to_server if sent[1] is None] + [(answer, None) for answer in refused if answer],
            [sent for sent in to_client if sent[1] is None] + [(answer, None) for answer in denied if answer],
        )

    def _note(self, note: dict[str, object]) -> None:
        self._late.append(note)
        self._flush_notes()

    def _flush_notes(self) -> None:
        if self._late:
            self.journal.write(self._late)
            self._late = []

    def _pass(self) -> None:
        """What is not the usual case: full queues, a policy in the making, the passing of time."""
        if self.present.policies.busy is not None:
            self._compile()
        self.voice.speak()
        if self.to_client.size > 0:
            self.to_client.flush()
        if self.to_server.size > 0:
            self.to_server.flush()
        if self.to_client.broken and not self.client_gone:
            self._client_ends()
        if self.to_server.broken:
            self.ending.begin()
        if self.to_server.size > MOST_WAITING:
            self.ending.hurry()
        if self.to_server.closing and self.to_server.size <= 0:
            self.to_server.close()
        self.ending.pass_time()

    def _compile(self) -> None:
        """The client's messages wait until the policy they are to be judged by is there."""
        policies = self.present.policies
        if policies.ready():
            self.present.compiled()
        if policies.busy is None and self._held:
            held, self._held = self._held, b""
            self._judge(held)

    # --- endings

    def _client_ends(self) -> None:
        self.client_gone = True
        self.to_server.closing = True
        self.ending.begin()

    def _server_ends(self) -> None:
        """Its standard output is closed: whatever half line is left is no message, and no answer will come."""
        rest = self.from_server.rest()
        if rest:
            self.voice.show(rest)
        posix.close(self.server.stdout)
        self.server.stdout = -1
        self.to_server.closing = True
        self.ending.reap()
        self.ending.begin()

    def _leave(self) -> int:
        """Answer what is open, end what is left of the group, flush, and take the server's status."""
        self.voice.listen_out()
        last: list[Sent] = []
        self._sort(self.session.server_gone(self.ending.obituary(self.voice.tail)), [], last)
        self._perform([], last)
        self._flush_notes()
        # Grandchildren that outlived the server hold its group.
        self.ending.kill(_signal.SIGKILL)
        self.present.policies.abandon()
        self._flush_until(self.ending.flush_until())
        return self.ending.exit_status()

    def _flush_until(self, end: float) -> None:
        poll = select.poll()
        while True:
            self.voice.speak()
            waiting = [1] if not self.to_client.flush() else []
            waiting += [2] if self.voice.waiting else []
            left = end - time.monotonic()
            if not waiting or left <= 0:
                return
            for fd in waiting:
                poll.register(fd, select.POLLOUT)
            poll.poll(int(left * 1000) + 1)
            for fd in waiting:
                poll.unregister(fd)


def _noted(_number: int, _frame: object) -> None:
    """The number is in the wake-up pipe already."""


def run(server: Spawned, argv: list[str], options: dict[str, str], home: dict[str, str]) -> int:
    try:
        return Pump(server, argv, options, home).run()
    except BaseException as problem:
        # INVARIANT: whatever breaks here, the server does not outlive its governor.
        Ending(server.pid).kill(_signal.SIGKILL)
        posix.write(2, f"mcpgov: internal error: {type(problem).__name__}: {problem}\n".encode("utf-8", "replace"))
        return EXIT_INTERNAL
