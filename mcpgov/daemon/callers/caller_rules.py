"""Who runs a command that weakens the governor: a person, a script of theirs, or an AI app's child process? Pure.

Laws: a process below an AI app or a governed server is refused, whatever it calls itself; a person's terminal panel
in an editor is not; a process of unknown origin is refused, with a hint from where to run the command; everything else
(cron, a service, CI) is allowed. Nothing that the caller can set lets it pass.

A chain is the caller, its parent, and so on to the top. Where a parent has ended, the leader of the process group or of
the session takes its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mcpgov.daemon.callers import origins
from mcpgov.daemon.processes.apps import NAMES, TITLES, clients_of
from mcpgov.daemon.processes.process import Process
from mcpgov.daemon.processes.recognise_proxy import proxy_like, server_in

ELSEWHERE = "run it in a terminal of your own, outside every AI app"
ATTACH = "attach to it by its name from a terminal of your own, or run it in a terminal outside every AI app"
OLD = 60.0  # seconds: a program that has run this long before the command was not started for it


@dataclass(frozen=True, slots=True)
class Step:
    """One process of a chain. `home`: HOME as it was started with, `program`: the name of the file it runs from.

    Both are "" if unknown. A process that goes by a name other than its program's file is not believed, and none whose
    file is `own_file`: the user could have put it there, a copy of a shell for instance.
    """

    process: Process
    tty: bool = False
    home: str = ""
    marks: tuple[str, ...] = ()
    unit: str = ""
    program: str = ""
    own_file: bool = False

    @property
    def _poses(self) -> bool:
        return self.own_file or origins.poses(self.process, self.program)

    @property
    def is_terminal(self) -> bool:
        return origins.is_terminal(self.process) and not self._poses

    @property
    def is_manager(self) -> bool:
        if self.process.pid == 1:  # in a container it may be any program
            return True
        return origins.is_manager(self.process) and not self._poses

    @property
    def is_runner(self) -> bool:
        claims = origins.is_terminal(self.process) or origins.is_service(self.process)
        return origins.is_runner(self.process) or self.own_file or (claims and self._poses)

    @property
    def is_service(self) -> bool:
        return origins.is_service(self.process) and not self._poses


@dataclass(frozen=True, slots=True)
class Chain:
    """`lost`: those of the steps whose parent has ended. `others`: the AI apps and proxies that run now.

    `attached`: a person's terminal shows the multiplexer that the chain begins in.
    `whole` False: a parent exists that may not be read. `init_session`: the session of process 1, to which a
    container's own processes belong. `init_session_proves` False: the system itself puts unrelated programs there.
    """

    steps: tuple[Step, ...]
    lost: tuple[Step, ...] = ()
    others: tuple[Step, ...] = ()
    whole: bool = True
    init_session: int = -1
    init_session_proves: bool = True
    attached: bool = False

    @property
    def multiplexer(self) -> Step | None:
        """The server of tmux and the like that the chain begins in: who started it cannot be told from its parents."""
        top = _top(self) if self.steps else None
        return top if top is not None and top.is_terminal and origins.multiplexer_of(top.process) else None


@dataclass(frozen=True, slots=True)
class Verdict:
    """`why` is empty if the caller is allowed. `client` and `server`: what was found above it."""

    why: str = ""
    client: str = ""
    server: str = ""
    hint: str = ELSEWHERE

    @property
    def allowed(self) -> bool:
        return not self.why


ALLOWED = Verdict()


def judge(chain: Chain, home: str, *, own: bool, daemon: int = 0) -> Verdict:
    """`home`: the home of the installation that would be weakened. `own`: it is the account's own home.

    `daemon` is the pid of our own daemon: its children have no other origin.
    For a scratch installation (a test, a trial) only processes with its home count; a caller from outside is allowed.
    """
    if not chain.steps:
        return Verdict("it cannot be told which process asks")
    return (
        _has_mark(chain, home, own)
        or _below_app(chain, home, own)
        or _beside_app(chain, home, own)
        or _origin(chain, home, own, daemon)
        or ALLOWED
    )


def _is_relevant(step: Step, home: str, own: bool) -> bool:
    return own or step.home == home


def _has_mark(chain: Chain, home: str, own: bool) -> Verdict | None:
    """The topmost process with an app's mark got it from the app; the processes below have inherited it."""
    marked = [step for step in chain.steps if step.marks]
    if not marked or not _is_relevant(marked[-1], home, own):
        return None
    return Verdict(f"an AI app's tool call asks: `{marked[-1].marks[0]}` is set in {_describe(marked[-1])}")


def _below_app(chain: Chain, home: str, own: bool) -> Verdict | None:
    for at, step in enumerate(chain.steps):
        if not _is_relevant(step, home, own):
            continue
        if proxy_like(step.process.argv):
            server = server_in(step.process.argv)
            return Verdict(f"the governed server `{server}` asks, through {_describe(step)}", server=server)
        clients = _clients(step, first=at == 0)
        if clients and not _is_terminal_panel(chain.steps, at, clients):
            return _of_app(step, clients, "has started what asks")
    return None


def _clients(step: Step, *, first: bool) -> tuple[str, ...]:
    """The caller itself is judged by its program alone: a path in its arguments may be where mcpgov is installed."""
    if not first:
        return clients_of(step.process)
    return NAMES.get(step.process.argv[0].rsplit("/", 1)[-1], ()) if step.process.argv else ()


def _is_terminal_panel(steps: Sequence[Step], at: int, clients: tuple[str, ...]) -> bool:
    """A terminal panel: the editor itself has opened a terminal, and the shell in it leads the session there."""
    if at == 0 or not set(clients) & set(origins.EDITORS) or origins.EXTENSION_HOST in steps[at].process.argv:
        return False
    below = at - 1
    # Editors are several processes, each the parent of the next.
    while below > 0 and clients_of(steps[below].process) == clients:
        below -= 1
    shell = steps[below]
    return shell.tty and shell.process.sid == shell.process.pid and not clients_of(shell.process)


def _beside_app(chain: Chain, home: str, own: bool) -> Verdict | None:
    """Its parent has ended, and an app is in the same session, process group or control group."""
    top = _top(chain)
    if _started_by_service(chain, top):
        return None
    known = {step.process.ident for step in chain.steps}
    lost = [step for step in chain.lost if step.is_runner or step is chain.steps[0]]
    # In a container, 1 or 0 (a leader outside of it) can be the session that an app shares with what it starts.
    lowest = 0 if chain.init_session_proves else 2
    sessions = {step.process.sid for step in lost if step.process.sid >= lowest}
    groups = {step.process.pgid for step in lost if step.process.pgid >= lowest}
    for other in chain.others:
        if other.process.ident in known or not _is_relevant(other, home, own):
            continue
        where = ""
        if top.unit and other.unit == top.unit and not _descends(other, top):
            where = "control group"
        elif other.process.sid in sessions or other.process.pgid in groups:
            where = "session" if other.process.sid in sessions else "process group"
        if where:
            return _of_app(other, clients_of(other.process), f"is in the same {where} as what asks")
    return None


def _descends(other: Step, top: Step) -> bool:
    """An app that was started in a terminal is no reason to refuse the terminal itself."""
    return other.process.start >= top.process.start and top.is_terminal


def _origin(chain: Chain, home: str, own: bool, daemon: int) -> Verdict | None:
    """No app was found: does the chain begin where people's shells and jobs begin?"""
    top = _top(chain)
    if not own:
        # The process that adopts orphans has a home of its own and has not started them.
        known = [step.home for step in chain.steps if step.home and not (step.is_manager and chain.lost)]
        if not known or known[-1] != home:
            return None
    if _is_known_origin(chain, top) or (daemon > 1 and any(step.process.pid == daemon for step in chain.steps[1:])):
        return None
    if chain.multiplexer is not None:
        return Verdict(
            f"no terminal of yours shows {_describe(top)}, so it cannot be told who types there", hint=ATTACH
        )
    if top.own_file and not origins.is_runner(top.process):
        return Verdict(f"{_describe(top)} runs from a file that any program of yours could have put there")
    return Verdict(f"it cannot be told who has started {_describe(top)}: its parent has ended")


def _is_known_origin(chain: Chain, top: Step) -> bool:
    caller = chain.steps[0]
    if not chain.whole:
        return caller.tty
    process = top.process
    if _started_by_service(chain, top):
        return True
    if chain.multiplexer is not None:
        return chain.attached
    if top.is_terminal or clients_of(process):
        return True
    if process.ppid == 0:
        return process.pid != 1 or caller.tty  # from outside this container; or its own first process
    if process.sid == chain.init_session or (caller.tty and caller.process.sid == 1):
        return True
    return not top.is_runner and (caller.tty or caller.process.start - process.start >= OLD)


def _started_by_service(chain: Chain, top: Step) -> bool:
    process = top.process
    if origins.is_own_service(top.unit) or top.is_service:
        return True
    # A program of another user other than sudo and the like: a login, a scheduler, a container's agent.
    return process.uid != chain.steps[0].process.uid and not top.is_runner


def _top(chain: Chain) -> Step:
    """The topmost process below the one that adopts orphans."""
    below = [step for step in chain.steps if not step.is_manager]
    return below[-1] if below else chain.steps[-1]


def _of_app(step: Step, clients: tuple[str, ...], what: str) -> Verdict:
    if not clients:
        server = server_in(step.process.argv)
        return Verdict(f"the governed server `{server}` ({_describe(step)}) {what}", server=server)
    return Verdict(f"{TITLES.get(clients[0], clients[0])} ({_describe(step)}) {what}", client=clients[0])


def _describe(step: Step) -> str:
    process: Process = step.process
    word = process.argv[0].rsplit("/", 1)[-1] if process.argv else process.name
    return f"{word[:60] or 'a process'}, pid {process.pid}"
