"""One poll loop, two directions: bytes in, `relay`, bytes out; and the life of the process around it.

Laws: nothing waits but poll; a full queue stops its source and nothing else.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` itself costs an enum at every start
import gc
import posix
import select
import time
from _stat import S_ISFIFO, S_ISSOCK

from mcpgov.core.messages import wire
from mcpgov.core.messages.methods import CLIENT, SERVER
from mcpgov.core.session.session_state import BrokenOff
from mcpgov.proxy.buffers import CHUNK, HIGH_WATER, read
from mcpgov.proxy.launch import Spawned
from mcpgov.proxy.relay import Relay
from mcpgov.proxy.shutdown import POLITE, Shutdown
from mcpgov.proxy.stderr import StderrRelay

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mcpgov.live.daemon_link import DaemonLink

# A client may write before it reads: whatever the server may say in one line has room, and answers of our own.
MOST_UNREAD = wire.SERVER_LINE_LIMIT + 8 * HIGH_WATER
MOST_WAITING = 64 * 1024 * 1024
SIGNALS = (_signal.SIGTERM, _signal.SIGINT, _signal.SIGHUP)
INSIST = 0.2  # seconds between two tries to break off the judging of a line
UNCOMPILED = "the conversation ended while its policy was still being compiled"
REACH_AGAIN = 5.0  # seconds between two tries to reach the daemon
EXIT_INTERNAL = 70


class StdioProxy:
    """The process between client and server."""

    def __init__(self, server: Spawned, argv: list[str], options: dict[str, str], home: dict[str, str]) -> None:
        self.server = server
        self.shutdown = Shutdown(server.pid, lambda: self.in_force.policies.helpers)
        self.stderr = StderrRelay(server.stderr)
        self.relay = Relay(server, argv, options, home, self.stderr, self.shutdown)
        self.in_force, self.session = self.relay.in_force, self.relay.session
        self.to_server, self.to_client = self.relay.to_server, self.relay.to_client
        self._socket = home.get("socket", "")
        self.relay.reach_daemon = self._reach_now
        self._link: DaemonLink | None = None
        self._link_fd = -1
        self._reach = 0.0  # when to try again to reach the daemon
        self.client_gone = False
        self._wake = -1
        self._wanted: dict[int, int] = {}
        self._settled = False
        self._told = False  # that the server is gone
        self._go = False  # a signal has told us to
        self._insisted = 0.0
        self._asking = False  # a signal handler asks `_hung_up`
        self._hung_up = select.poll()
        self._hung_up.register(0, getattr(select, "POLLRDHUP", 0))

    # --- the loop

    def run(self) -> int:
        self._prepare()
        # The launcher starts without the collector; what is loaded by now stays, so it need never be looked at.
        gc.freeze()
        gc.set_threshold(20_000, 20, 20)
        gc.enable()
        poll = select.poll()
        wait, server, traffic = poll.poll, self.server, self.relay
        quiet = False
        while True:
            if quiet:
                ready = wait()
            else:
                if self._may_leave():
                    return self._leave()
                self._register(poll)
                ready = wait(self._patience())
            for fd, _event in ready:
                if quiet and (fd == 0 or fd == server.stdout):
                    # The usual case: the next turn waits for the same things.
                    try:
                        data: bytes | None = posix.read(fd, CHUNK)
                    except OSError:
                        data = read(fd)
                    if data:
                        quiet = traffic.pass_calls(data) if fd == 0 else traffic.pass_answers(data)
                        continue
                    self._ends(fd, data)
                else:
                    self._attend(fd)
                quiet = False
            if not quiet:
                quiet = self._look_around()

    def _look_around(self) -> bool:
        """True: nothing queued, nothing ending; the next turn waits for what was waited for before."""
        # The server has work now: time for a word to the daemon, where one listens.
        if self._link_fd < 0 and self._socket and self.session.judged:
            self._reach_daemon()
        if self.in_force.policies.working is not None:
            self.relay.compile()
            self._settled = False  # what it says is to be heard: a yes may have started it, between two lines
            self.shutdown.reap_orphans()  # those that ended behind the compiler
        if self._link is not None:
            self._follow_link()
            self._settled = self._settled and not self._link.unsent
        waits = self.to_client.size or self.to_server.size or self.stderr.waiting or self.shutdown.near
        if self._settled and not waits and not self.relay.held:
            return True
        self._pass()
        return False

    def _prepare(self) -> None:
        heard, write = posix.pipe()
        for fd in (heard, write, self.server.stdin, self.server.stderr):
            posix.set_blocking(fd, False)
        self._wake = heard
        _signal.set_wakeup_fd(write, warn_on_full_buffer=False)
        for number in (*SIGNALS, _signal.SIGCHLD, _signal.SIGALRM):
            _signal.signal(number, self._glance)
        _signal.pthread_sigmask(_signal.SIG_UNBLOCK, (*SIGNALS, _signal.SIGALRM))
        kind = posix.fstat(1).st_mode
        if S_ISFIFO(kind) or S_ISSOCK(kind):
            # Our end of a pipe or socket is ours alone; a terminal is shared, so it stays as it is.
            posix.set_blocking(1, False)
        # The child may have died before the handler stood.
        self.shutdown.reap()
        self.shutdown.reap_orphans()

    def _register(self, poll: select.poll) -> None:
        """What to wait for follows from the queues: a full one stops its source, never the other direction."""
        wanted = {self._wake: select.POLLIN}
        policies = self.in_force.policies
        if policies.working is not None:
            wanted[policies.working.fd] = select.POLLIN
        if not self.client_gone:
            room = not policies.busy and self.to_server.size <= HIGH_WATER and self.to_client.size <= MOST_UNREAD
            if room or not self.shutdown.since:
                # Without room it is asked nothing, but poll tells of its end all the same.
                wanted[0] = select.POLLIN if room else 0
        if self.server.stdout >= 0 and self.to_client.size <= HIGH_WATER:
            wanted[self.server.stdout] = select.POLLIN
        if self.stderr.fd >= 0 and self.stderr.has_room:
            wanted[self.stderr.fd] = select.POLLIN
        hears_both = wanted.get(0) and self.server.stdout in wanted
        self._settled = bool(hears_both) and (self.stderr.fd < 0 or self.stderr.fd in wanted)
        if self.to_server.size > 0:
            wanted[self.to_server.fd] = select.POLLOUT
        if self.to_client.size > 0:
            wanted[1] = select.POLLOUT
        if self.stderr.waiting:
            wanted[2] = select.POLLOUT
        if self._link_fd >= 0:
            unsent = self._link is not None and self._link.unsent
            wanted[self._link_fd] = select.POLLIN | select.POLLOUT if unsent else select.POLLIN
        for fd in self._wanted.keys() - wanted.keys():
            poll.unregister(fd)
        for fd, events in wanted.items():
            if self._wanted.get(fd) != events:
                poll.register(fd, events)
        self._wanted = wanted

    def _patience(self) -> int | None:
        """Milliseconds until something is due; nothing is due in a healthy conversation, so no idle wake-ups."""
        now = time.monotonic()
        due = [moment for moment in self.shutdown.due() if moment > now]
        if self.in_force.policies.working is not None:
            due.append(self.in_force.policies.working.deadline)
        return max(0, int((min(due) - now) * 1000) + 1) if due else None

    # --- reading

    def _attend(self, fd: int) -> None:
        if fd == 0:
            if self._wanted[0]:
                self._take(fd, self.relay.hear_client)
            else:
                # It has gone while nothing more is taken. What it sent is still passed on, if there is time.
                self.shutdown.client_left()
        elif fd == self.server.stdout:
            self._take(fd, self.relay.hear_server)
        elif fd == self.stderr.fd:
            self.stderr.listen()
        elif fd == self._wake:
            self._read_signals()
        elif fd == self._link_fd:
            self._hear_daemon()

    def _read_signals(self) -> None:
        for number in read(self._wake) or b"":
            if number == _signal.SIGALRM:
                self.relay.tick()
            elif number == _signal.SIGCHLD:
                self.shutdown.reap()
                self.shutdown.reap_orphans()
            elif number in SIGNALS:
                self.shutdown.pass_on(number)
                self.to_server.closing = True

    def _glance(self, number: int, _frame: object) -> None:
        """A signal, or the clock that ticks while a line is judged; its number is in the wake-up pipe already.

        The judging goes on unless the conversation is over: at once by a signal, a second after the client's end.
        """
        self._go = self._go or number in SIGNALS
        if not self.relay.judging:
            return
        now, shutdown, self.relay.slow = time.monotonic(), self.shutdown, True
        if not self._go and self._has_hung_up():
            shutdown.client_left()
        if now < self._insisted + INSIST or not (
            self._go or (shutdown.has_client_left and now >= shutdown.since + POLITE)
        ):
            return
        # Again and again: what it breaks off may be inside a library that takes it for its own.
        self._insisted, self.relay.broken_off = now, True
        raise BrokenOff

    def _has_hung_up(self) -> bool:
        """Has the client gone? A tick that comes while another one asks does not ask again: poll() forbids it."""
        if self._asking:
            return False
        self._asking = True
        try:
            return bool(self._hung_up.poll(0))
        finally:
            self._asking = False

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
        self._make_link().retry(now)
        self._follow_link()

    def _make_link(self) -> DaemonLink:
        if self._link is None:
            from mcpgov.live.daemon_link import DaemonLink

            who, child = self.session.who, self.shutdown.pid
            hello = {"server": who.server, "client": who.client, "project": who.project, "session": who.session}
            self._link = DaemonLink(self._socket, {**hello, "child": child}, self._counters)
        return self._link

    def _reach_now(self) -> DaemonLink | None:
        """For a question: the daemon may have come back since the last try."""
        if not self._socket:
            return None
        link = self._make_link()
        if link.fd < 0:
            link.retry_now()
            self._follow_link()
        return link if link.fd >= 0 else None

    def _follow_link(self) -> None:
        """Its descriptor comes and goes."""
        if self._link is not None and self._link.fd != self._link_fd:
            self._link_fd, self._settled = self._link.fd, False

    def _hear_daemon(self) -> None:
        assert self._link is not None
        self._link.writable()
        if self._link.fd >= 0:
            self._link.readable()
        self.relay.watch_questions()
        self._follow_link()

    def _counters(self) -> dict[str, object]:
        state = self.session.state
        idle = max(0, int(time.time() - self.in_force.looked))
        return {"calls": state.calls, "denied": state.denied, "errors": state.errors, "idle": idle}

    # --- what is due

    def _pass(self) -> None:
        """What is not the usual case: full queues, the passing of time."""
        self.stderr.speak()
        if self.to_client.size > 0:
            self.to_client.flush()
        if self.to_server.size > 0:
            self.to_server.flush()
        if self.to_client.broken and not self.client_gone:
            self._client_ends()
        if self.to_server.broken:
            self.shutdown.begin()
        if self.to_server.size > MOST_WAITING:
            self.shutdown.hurry()
        if self.to_server.closing and self.to_server.size <= 0:
            self.to_server.close()
        self.shutdown.pass_time()

    # --- endings

    def _take(self, fd: int, hear: Callable[[bytes], bool]) -> None:
        data = read(fd)
        if data:
            hear(data)
        else:
            self._ends(fd, data)

    def _ends(self, fd: int, data: bytes | None) -> None:
        """Nothing to read: for now, or for ever."""
        if data is not None and fd == 0:
            self._client_ends()
        elif data is not None:
            self._server_ends()

    def _client_ends(self) -> None:
        self.client_gone = True
        self.to_server.closing = True
        self.shutdown.client_left()
        self.relay.ends(CLIENT)

    def _server_ends(self) -> None:
        """Its standard output is closed: no answer will come."""
        self.relay.ends(SERVER)
        posix.close(self.server.stdout)
        self.server.stdout = -1
        self.to_server.closing = True
        self.shutdown.reap()
        self.shutdown.begin()

    def _may_leave(self) -> bool:
        """Is the server done, and everything told that is owed to the client? Who is gone is owed nothing."""
        shutdown = self.shutdown
        if self.to_client.size > 0 and not shutdown.has_client_left:
            shutdown.put_off()
            return False
        if not shutdown.finished(speaks=self.server.stdout >= 0):
            return False
        if not self._told:
            self._told = True
            self.stderr.listen_out()
            waits = self.in_force.policies.busy and shutdown.has_client_left
            self.relay.held += self._unread()
            self.relay.end(shutdown.exit_reason(self.stderr.tail(self._hidden)), UNCOMPILED if waits else "")
        return self.to_client.size <= 0 or shutdown.has_client_left

    def _hidden(self, text: str) -> str:
        """What a server says, as an error and a record may show it."""
        if not self.in_force.policies.busy:
            return self.relay.session.hidden(text)
        # Whether the policy hides private data is not known yet.
        from mcpgov.guards.privacy.detector import Detector

        return Detector().hidden(text)

    def _unread(self) -> bytes:
        """What the client sent while its policy was compiled: it is answered too."""
        found, ready = b"", select.poll()
        ready.register(0, select.POLLIN)
        while self.in_force.policies.busy and len(found) < HIGH_WATER and ready.poll(0):
            data = read(0)
            if not data:
                break
            found += data
        return found

    def fail(self, why: str) -> None:
        """The last try to tell whoever waits for an answer."""
        try:
            self.relay.end(why)
            self.to_client.flush()
        except Exception:
            return  # it was worth a try

    def _leave(self) -> int:
        """End what is left of the group, flush, and take the server's status."""
        # Grandchildren that outlived the server hold its group.
        self.shutdown.kill(_signal.SIGKILL)
        self.in_force.policies.abandon()
        self._flush_until(self.shutdown.flush_until())
        self.shutdown.end_strays()
        return self.shutdown.exit_status()

    def _flush_until(self, end: float) -> None:
        poll = select.poll()
        while True:
            self.stderr.speak()
            waiting = [1] if not self.to_client.flush() else []
            waiting += [2] if self.stderr.waiting else []
            left = end - time.monotonic()
            if not waiting or left <= 0:
                return
            for fd in waiting:
                poll.register(fd, select.POLLOUT)
            poll.poll(int(left * 1000) + 1)
            for fd in waiting:
                poll.unregister(fd)


def run(server: Spawned, argv: list[str], options: dict[str, str], home: dict[str, str]) -> int:
    pump = None
    try:
        pump = StdioProxy(server, argv, options, home)
        return pump.run()
    except BaseException as problem:
        # INVARIANT: whatever breaks here, the server does not outlive its governor.
        Shutdown(server.pid).kill(_signal.SIGKILL)
        why = f"mcpgov: internal error: {type(problem).__name__}: {problem}"
        if pump is not None:
            pump.fail(why)
        posix.write(2, f"{why}\n".encode("utf-8", "replace"))
        return EXIT_INTERNAL
