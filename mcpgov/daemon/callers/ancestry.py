"""Reads the chain of processes above a caller from the system, for caller_rules to judge.

Law: nothing is believed that the caller says of itself; what cannot be read counts as unknown.
Processes of every user are read here, because `sudo -u me` between a tool and its command belongs to another user.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace

from mcpgov.daemon.callers import origins
from mcpgov.daemon.callers.caller_rules import Chain, Step, Verdict, judge
from mcpgov.daemon.processes.apps import clients_of
from mcpgov.daemon.processes.process_table import ProcessReader, any_process, this_machine
from mcpgov.daemon.processes.recognise_proxy import proxy_like

MOST_STEPS = 64
Reader = Callable[[int], Step | None]


def asked_by(pid: int, home: str, *, own: bool, daemon: int = 0, also: Sequence[str] = ()) -> Verdict:
    """May this process run a command that weakens the installation of that home? `daemon`: the pid of our daemon.

    `also`: other homes that the installation may be for; a caller refused for one of them is refused.
    """
    chain = chain_of(pid)
    homes = dict.fromkeys(os.path.realpath(place) for place in (home, *also) if place)
    verdicts = [_judged(chain, place, own, daemon, step_of, this_machine()) for place in homes]
    return next((verdict for verdict in verdicts if not verdict.allowed), verdicts[0])


def _judged(
    chain: Chain,
    home: str,
    own: bool,
    daemon: int,
    read: Reader,
    machine: ProcessReader,
    seen: frozenset[int] = frozenset(),
) -> Verdict:
    """The verdict on a chain; where it begins in a multiplexer, on those of the clients that show it as well."""
    server = chain.multiplexer
    if server is not None and server.process.pid not in seen:
        known = seen | {server.process.pid}
        chains = (chain_of(client, read, machine) for client in _clients_of(server, machine))
        attached = any(_judged(above, home, own, daemon, read, machine, known).allowed for above in chains)
        chain = replace(chain, attached=attached)
    return judge(chain, home, own=own, daemon=daemon)


def _clients_of(server: Step, machine: ProcessReader) -> list[int]:
    """The processes on a terminal that are clients of this very multiplexer's server."""
    found = any_process(server.process.pid)
    key = origins.server_key(server.process, found[2] or {}) if found is not None else None
    name, out = origins.multiplexer_of(server.process), []
    for process in machine.sweep():
        if process.pid != server.process.pid and origins.multiplexer_of(process) == name:
            client = any_process(process.pid)
            if client is not None and client[1] and origins.server_key(client[0], client[2] or {}) == key:
                out.append(process.pid)
    return out


def chain_of(pid: int, read: Reader | None = None, machine: ProcessReader | None = None) -> Chain:
    read = read or step_of
    climb = _Climb(read)
    whole = climb.to_the_top(pid)
    init = read(1)
    session = init.process.sid if init is not None else -1
    # launchd puts every program of the desktop into its own session, so sharing it proves nothing there.
    session_proves = sys.platform == "linux"
    apps = _apps(read, machine or this_machine())
    return Chain(tuple(climb.steps), tuple(climb.lost), apps, whole, session, session_proves)


class _Climb:
    """Walks from a process to its ancestors. A process without its parent continues at the leader of its process group,
    then of its session.
    """

    def __init__(self, read: Reader) -> None:
        self._read = read
        self._seen: set[int] = set()
        self.steps: list[Step] = []
        self.lost: list[Step] = []

    def to_the_top(self, pid: int) -> bool:
        """False: a process on the way may not be read."""
        at = pid
        while at > 0 and at not in self._seen and len(self.steps) < MOST_STEPS:
            step = self._read(at)
            if step is None:
                return False
            if self.steps and step.is_manager and not self.steps[-1].is_manager:
                self.lost.append(self.steps[-1])
                leader = self._leader(self.steps[-1])
                if leader and leader != at:
                    at = leader
                    continue
            self._seen.add(at)
            self.steps.append(step)
            at = step.process.ppid
        return at <= 0

    def _leader(self, step: Step) -> int:
        for pid in (step.process.pgid, step.process.sid):
            if pid > 1 and pid not in self._seen and self._read(pid) is not None:
                return pid
        return 0


def _apps(read: Reader, machine: ProcessReader) -> tuple[Step, ...]:
    """The AI apps and proxies of this user that run now."""
    running = (process for process in machine.sweep() if process.lives)
    steps = (read(process.pid) for process in running if clients_of(process) or proxy_like(process.argv))
    return tuple(step for step in steps if step is not None)


def step_of(pid: int) -> Step | None:
    """One process of any user; None: there is none, or it may not be read."""
    found = any_process(pid)
    if found is None:
        return None
    process, tty, environ = found
    path = _program(pid)
    step = Step(process, tty, unit=_unit(pid), program=path.rsplit("/", 1)[-1], own_file=_is_own(pid, path))
    if environ is None:
        return step
    home = environ.get("HOME", "")
    return replace(step, home=os.path.realpath(home) if home else "", marks=origins.marks_of(environ))


def _unit(pid: int) -> str:
    if sys.platform != "linux":
        return ""
    try:
        with open(f"/proc/{pid}/cgroup", "rb") as file:
            return origins.unit_of(file.read(1 << 16).decode("utf-8", "replace"))
    except OSError:
        return ""


def _program(pid: int) -> str:
    """The program's file, which a process cannot fake without having a file of that name."""
    try:
        return os.readlink(f"/proc/{pid}/exe").removesuffix(" (deleted)")
    except OSError:  # another user's, or a system without /proc
        return ""


def _is_own(pid: int, path: str) -> bool:
    """Could this user have put the program's file there? Not if file and directories belong to the system."""
    if not path:
        return False
    if os.geteuid() == 0:
        return not path.startswith(origins.SYSTEM_DIRS)
    try:
        file = os.stat(f"/proc/{pid}/exe")
    except OSError:  # it has ended
        return True
    if file.st_uid == os.geteuid() or file.st_mode & stat.S_IWOTH:
        return True
    parts = path.split("/")
    return any(os.access("/".join(parts[:size]) or "/", os.W_OK) for size in range(1, len(parts)))
