"""One poll loop, two directions: lines -> session -> effects -> bytes.

Laws: nothing waits but poll; a record is written before what it records is forwarded; when one side ends, the other
is gone within two seconds and every open request has its answer.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` itself costs an enum at every start
import gc
import os
import select
import stat
import time

from mcpgov import machine
from mcpgov.core import session as states
from mcpgov.core import wire
from mcpgov.core.listing import Listing
from mcpgov.core.session import Session, Who
from mcpgov.proxy import pins_file
from mcpgov.proxy.journal import Journal, digest_text
from mcpgov.proxy.launch import EXIT_MISSING, EXIT_NOT_EXECUTABLE, Spawned
from mcpgov.proxy.pipes import CHUNK, HIGH_WATER, Lines, Outlet
from mcpgov.proxy.policy_file import Policies

POLITE, FIRM, DONE = 1.0, 1.6, 1.9  # seconds after the client is gone: SIGTERM, SIGKILL, leave
DRAIN = 0.2  # how long a dead server's pipe may still be held open by its children
LINK_MEMORY = 1.0
# How long the note on an answer may wait for company: one write for two notes, and none on an answer's way.
LATEST_NOTE = 20  # milliseconds
DIRECTORY_MEMORY = 0.002
MOST_WAITING = 64 * 1024 * 1024
TAIL = 2000
SIGNALS = (_signal.SIGTERM, _signal.SIGINT, _signal.SIGHUP)


class Pump:
    """The process between client and server."""

    def __init__(self, server: Spawned, argv: list[str], options: dict[str, str], home: dict[str, str]) -> None:
        self.server = server
        self.argv = argv
        here = os.getcwd()
        self.entries = machine.Entries(here)
        self.policies = Policies(options, home, machine.world(here, self.entries))
        who = Who(options["server"], options.get("client", ""), options.get("project", ""), os.urandom(6).hex())
        names = {"session": who.session, "client": who.client, "server": who.server}
        if who.project:
            names["project"] = who.project
        journal = options.get("journal", "")
        keep = int(home.get("keep_days") or 0)
        self.journal = Journal(journal or home["journal"], names, single=bool(journal), keep_days=keep)
        self._late: list[str | dict[str, object]] = []
        self.policies.refresh(0.0)
        self._complain_about_policy()
        policy = self.policies.policy
        self._tools = home["tools"]
        mode = str(policy.rules.head.get("pin") or "log") if policy is not None else "log"
        listing = Listing(pins_file.load(self._tools, who.server), mode)
        self.session = Session(who, policy, listing, digest_text, time.monotonic_ns)
        self.to_server = Outlet(server.stdin)
        self.to_client = Outlet(1)
        self.from_client = Lines(wire.CLIENT_LINE_LIMIT)
        self.from_server = Lines(wire.SERVER_LINE_LIMIT)
        self.tail = b""
        self.told = b""  # standard error that waits to be passed on
        self.status: int | None = None
        self.client_gone = 0.0
        self.server_gone = 0.0
        self.stopping = 0.0
        self._links = 0.0
        self._looked = 0.0
        self._minute = -1
        self._wake = -1
        self._wanted: dict[int, int] = {}
        self._settled = False
        self._asked = False

    # --- the loop

    def run(self) -> int:
        self._prepare()
        # The launcher starts without the collector; what is loaded by now stays, so it need never be looked at.
        gc.freeze()
        gc.set_threshold(20_000, 20, 20)
        gc.enable()
        poll = select.poll()
        quiet = False
        while True:
            if not quiet:
                if self._finished():
                    return self._leave()
                self._register(poll)
            # A note on an answer waits a moment for company; apart from that a healthy conversation sleeps.
            ready = poll.poll((LATEST_NOTE if self._late else None) if quiet else self._patience())
            for fd, _event in ready:
                if fd == 0 and not self.client_gone:
                    self._read_client()
                elif fd == self.server.stdout:
                    self._read_server()
                elif fd == self.server.stderr:
                    self._read_errors()
                elif fd == self._wake:
                    self._read_signals()
            if not ready:
                self._flush_notes()
            # Nothing queued, nothing ending: the next turn waits for the same things.
            quiet = self._settled and not (
                self.to_client.size
                or self.to_server.size
                or self.told
                or self.stopping
                or self.status is not None
                or self.server.stdout < 0
            )
            if not quiet:
                self._write()
                self._pass_time()

    def _prepare(self) -> None:
        read, write = os.pipe()
        for fd in (read, write, self.server.stdin):
            os.set_blocking(fd, False)
        self._wake = read
        _signal.set_wakeup_fd(write, warn_on_full_buffer=False)
        for number in (*SIGNALS, _signal.SIGCHLD):
            _signal.signal(number, _noted)
        kind = os.fstat(1).st_mode
        if stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind):
            # Our end of a pipe or socket is ours alone; a terminal is shared, so it stays as it is.
            os.set_blocking(1, False)
        # The child may have died before the handler stood.
        self._reap()

    def _register(self, poll: select.poll) -> None:
        """What to wait for follows from the queues: a full one stops its source, never the other direction."""
        wanted = {self._wake: select.POLLIN}
        if not self.client_gone and self.to_server.size <= HIGH_WATER and self.to_client.size <= 8 * HIGH_WATER:
            wanted[0] = select.POLLIN
        if self.server.stdout >= 0 and self.to_client.size <= HIGH_WATER:
            wanted[self.server.stdout] = select.POLLIN
        if self.server.stderr >= 0 and len(self.told) < CHUNK:
            wanted[self.server.stderr] = select.POLLIN
        self._settled = len(wanted) == 4 or (len(wanted) == 3 and self.server.stderr < 0)
        if self.to_server.size:
            wanted[self.to_server.fd] = select.POLLOUT
        if self.to_client.size:
            wanted[1] = select.POLLOUT
        if self.told:
            wanted[2] = select.POLLOUT
        for fd in self._wanted.keys() - wanted.keys():
            poll.unregister(fd)
        for fd, events in wanted.items():
            if self._wanted.get(fd) != events:
                poll.register(fd, events)
        self._wanted = wanted

    def _patience(self) -> int | None:
        """Milliseconds until something is due; nothing is due in a healthy conversation, so no idle wake-ups."""
        due = []
        now = time.monotonic()
        if self.stopping:
            due += [self.stopping + seconds for seconds in (POLITE, FIRM, DONE) if self.stopping + seconds > now]
        if self.server_gone:
            due.append(self.server_gone + DRAIN)
        if self._late:
            due.append(now + LATEST_NOTE / 1000)
        return max(0, int((min(due) - now) * 1000) + 1) if due else None

    # --- reading

    def _read_client(self) -> None:
        data = _read(0)
        if not data:
            self._client_ends()
            return
        self._refresh()
        effects: list[states.Effect] = []
        for line in self.from_client.feed(data):
            if isinstance(line, int):
                effects += self.session.too_long("client", line)
            else:
                effects += self.session.from_client(line)
        self._perform(effects)

    def _read_server(self) -> None:
        data = _read(self.server.stdout)
        if not data:
            self._server_ends()
            return
        effects: list[states.Effect] = []
        for line in self.from_server.feed(data):
            if isinstance(line, int):
                effects += self.session.too_long("server", line)
                self._stop()
            else:
                effects += self.session.from_server(line)
        self._perform(effects)

    def _read_errors(self) -> None:
        data = _read(self.server.stderr)
        if not data:
            os.close(self.server.stderr)
            self.server.stderr = -1
            return
        self.tail = (self.tail + data)[-TAIL:]
        self.told += data

    def _read_signals(self) -> None:
        for number in _read(self._wake):
            if number == _signal.SIGCHLD:
                self._reap()
            elif number in SIGNALS:
                self._signal_server(number)
                self._asked = True
                self._stop()

    def _refresh(self) -> None:
        """Before a batch is judged: the policy in force, the day, the directory, where the rules' directories lie."""
        now = time.time()
        if now - self._links > LINK_MEMORY:
            self._links = now
            if self.policies.policy is not None:
                self.policies.policy.forget_links()
            if int(now // 60) != self._minute:
                self._minute = int(now // 60)
                year, month, date = time.localtime(now)[:3]
                self.session.today = f"{year:04}-{month:02}-{date:02}"
        if now - self._looked > DIRECTORY_MEMORY:
            # Calls in one batch are judged before any of them runs, so a moment's memory changes nothing.
            self._looked = now
            self.entries.refresh(int(now * 1e9))
        before = self.policies.error
        if self.policies.refresh(now):
            self._reloaded()
        if self.policies.error != before:
            self._complain_about_policy()

    def _reloaded(self) -> None:
        policy = self.session.policy = self.policies.policy
        self.session.forget_shapes()
        revision = ""
        if policy is not None:
            self.session.listing.mode = str(policy.rules.head.get("pin") or "log")
            revision = policy.rules.revision
        self._note({"dir": "proxy", "method": "", "action": "reloaded", "revision": revision})

    def _complain_about_policy(self) -> None:
        if self.policies.error:
            _say(f"mcpgov: {self.policies.error}")
            kept = "kept" if self.policies.policy is not None else "none"
            self._note(
                {"dir": "proxy", "method": "", "action": "broken", "why": self.policies.error[:500], "rules": kept}
            )

    def _note(self, note: dict[str, object]) -> None:
        self._late.append(note)
        self._flush_notes()

    def _flush_notes(self) -> None:
        if self._late:
            self.journal.write(self._late)
            self._late = []

    # --- performing

    def _perform(self, effects: list[states.Effect]) -> None:
        """INVARIANT: the notes of a batch are on record before any of its bytes reach the server."""
        late = self._late
        to_client: list[bytes | bytearray] = []
        to_server: list[tuple[bytes | bytearray, object]] = []
        for kind, value, ident in effects:
            if kind == states.NOTE:
                late.append(value)  # type: ignore[arg-type]
            elif kind == states.TO_CLIENT:
                to_client.append(value)  # type: ignore[arg-type]
            elif kind == states.TO_SERVER:
                to_server.append((value, ident))  # type: ignore[arg-type]
            else:
                self._perform_other(kind, value)
        if to_server:
            self._late = []
            if late and not self.journal.write(late):
                to_server = self._only_unrecorded(to_server, to_client)
            if to_server:
                self.to_server.send(_lines([data for data, _ in to_server]))
        if to_client:
            self.to_client.send(_lines(to_client))

    def _only_unrecorded(
        self, to_server: list[tuple[bytes | bytearray, object]], to_client: list[bytes | bytearray]
    ) -> list[tuple[bytes | bytearray, object]]:
        """The record failed: governed calls are denied, the rest passes."""
        _say("mcpgov: the journal cannot be written; governed calls are denied")
        for _, ident in to_server:
            if isinstance(ident, (str, int)):
                answer = self.session.unrecorded(ident)
                if answer is not None:
                    to_client.append(answer)
        return [(data, ident) for data, ident in to_server if ident is None]

    def _perform_other(self, kind: str, value: object) -> None:
        if kind == states.STDERR:
            assert isinstance(value, (bytes, bytearray))
            self.told += bytes(value[:CHUNK]) + b"\n"
        elif kind == states.PINS and self.session.listing.pins.unsaved:
            pins = self.session.listing.pins
            pins.unsaved = not pins_file.save(self._tools, self.session.who.server, pins)

    def _write(self) -> None:
        if self.told:
            self._tell()
        if self.to_client.size:
            self.to_client.flush()
        if self.to_server.size:
            self.to_server.flush()
        if self.to_client.broken and not self.client_gone:
            self._client_ends()
        if self.to_server.size > MOST_WAITING:
            self._stop()
        if self.to_server.closing and not self.to_server.size and self.to_server.fd >= 0:
            self.to_server.close()

    def _tell(self) -> None:
        """Standard error may be shared, so it stays blocking: at most what a ready pipe takes at once."""
        try:
            ready = select.poll()
            ready.register(2, select.POLLOUT)
            while self.told and ready.poll(0):
                self.told = self.told[os.write(2, self.told[:4096]) :]
        except OSError:
            self.told = b""

    # --- endings

    def _client_ends(self) -> None:
        self.client_gone = self.client_gone or time.monotonic()
        self.to_server.closing = True
        self._stop(polite=False)

    def _server_ends(self) -> None:
        """Its standard output is closed: whatever half line is left is no message."""
        rest = self.from_server.rest()
        if rest:
            self.told += rest[:CHUNK] + b"\n"
        os.close(self.server.stdout)
        self.server.stdout = -1
        self._reap()

    def _stop(self, *, polite: bool = True) -> None:
        """Begin the end: the server gets its second, then SIGTERM, then SIGKILL."""
        if not self.stopping:
            self.stopping = time.monotonic() - (POLITE if polite and self.client_gone == 0.0 else 0.0)
            self.to_server.closing = True

    def _pass_time(self) -> None:
        if not self.stopping or self.status is not None:
            return
        since = time.monotonic() - self.stopping
        if since >= FIRM:
            self._signal_server(_signal.SIGKILL)
            self._reap(wait=True)
        elif since >= POLITE and not self._asked:
            self._asked = True
            self._signal_server(_signal.SIGTERM)

    def _signal_server(self, number: int) -> None:
        _kill_group(self.server.pid, number)

    def _reap(self, *, wait: bool = False) -> None:
        if self.status is not None or not self.server.pid:
            return
        try:
            pid, status = os.waitpid(self.server.pid, 0 if wait else os.WNOHANG)
        except ChildProcessError:
            pid, status = self.server.pid, 0
        if pid:
            self.status = status
            self.server_gone = time.monotonic()

    def _finished(self) -> bool:
        if self.status is None:
            return bool(self.stopping) and time.monotonic() - self.stopping > DONE
        return self.server.stdout < 0 or time.monotonic() - self.server_gone > DRAIN

    def _leave(self) -> int:
        """Answer what is open, end what is left of the group, flush, and take the server's status."""
        self._perform(self.session.server_gone(self._obituary()))
        self._flush_notes()
        # Grandchildren that outlived the server hold its group.
        self._signal_server(_signal.SIGKILL)
        end = time.monotonic() + 0.3
        while not self.to_client.flush() and not self.to_client.broken and time.monotonic() < end:
            time.sleep(0.005)
        if self.server.stderr >= 0:
            os.set_blocking(self.server.stderr, False)
            self._drain_errors()
        self._tell()
        return exit_status(self.status)

    def _drain_errors(self) -> None:
        while True:
            data = _read(self.server.stderr)
            if not data:
                return
            self.told += data
            self.tail = (self.tail + data)[-TAIL:]

    def _obituary(self) -> str:
        if self.status is None:
            how = "the server did not end"
        elif os.WIFSIGNALED(self.status):
            how = f"the server was ended by signal {os.WTERMSIG(self.status)}"
        else:
            how = f"the server ended with status {os.WEXITSTATUS(self.status)}"
        lines = self.tail.decode("utf-8", "replace").strip().splitlines()[-5:]
        return how + (": " + " | ".join(lines) if lines else "")


def _lines(parts: list[bytes | bytearray]) -> bytes | bytearray:
    """Messages as lines; a single large one is not copied."""
    if len(parts) == 1:
        part = parts[0]
        if isinstance(part, bytearray):
            part += b"\n"
            return part
        return part if part.endswith(b"\n") else part + b"\n"
    return b"".join([part if part.endswith(b"\n") else part + b"\n" for part in parts])


def exit_status(status: int | None) -> int:
    if status is None:
        return 1
    return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def _kill_group(pid: int, number: int) -> None:
    try:
        os.killpg(pid, number)
    except OSError:
        return


def _noted(_number: int, _frame: object) -> None:
    """The number is in the wake-up pipe already."""


def _read(fd: int) -> bytes:
    """What is there; nothing at the end or where reading fails."""
    try:
        return os.read(fd, CHUNK)
    except OSError:
        return b""


def _say(text: str) -> None:
    try:
        os.write(2, (text + "\n").encode("utf-8", "replace"))
    except OSError:
        return


def refuse_all(server: Spawned, argv: list[str]) -> int:
    """There is no server: say so to whoever asks, and on standard error."""
    problem = server.error
    assert problem is not None
    missing = isinstance(problem, FileNotFoundError)
    what = "not found" if missing else (problem.strerror or str(problem)).lower()
    why = f"cannot start `{argv[0]}`: {what}"
    _say(f"mcpgov: {why}")
    lines = Lines(wire.CLIENT_LINE_LIMIT)
    poll = select.poll()
    poll.register(0, select.POLLIN)
    # One request is enough to tell; a client that sends none is not waited for.
    while poll.poll(2000):
        data = _read(0)
        if not data:
            break
        for line in lines.feed(data):
            ident = wire.plain_id(line.decode("utf-8", "replace")) if not isinstance(line, int) else None
            if ident is not None:
                os.write(1, wire.error(ident, wire.INTERNAL_ERROR, why))
                return EXIT_MISSING if missing else EXIT_NOT_EXECUTABLE
    return EXIT_MISSING if missing else EXIT_NOT_EXECUTABLE


def run(server: Spawned, argv: list[str], options: dict[str, str], home: dict[str, str]) -> int:
    if server.error is not None:
        return refuse_all(server, argv)
    try:
        return Pump(server, argv, options, home).run()
    except BaseException as problem:
        # INVARIANT: whatever breaks here, the server does not outlive its governor.
        _say(f"mcpgov: internal error: {type(problem).__name__}: {problem}")
        _kill_group(server.pid, _signal.SIGKILL)
        return 70
