"""Made-up processes, and real trees: a stand-in for the proxy at a launcher's place, servers with grandchildren."""

import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mcpgov.daemon.processes.process import RUNNING, Ident, Process, ProcessTable
from mcpgov.daemon.processes.process_table import this_machine
from mcpgov.daemon.processes.proxies import Action
from mcpgov.daemon.processes.supervisor import Supervisor
from tests.helpers.talks import PATIENCE, PYTHON, SERVERS

# A server in a group of its own behind a process that neither reads its input nor ends by itself.
STAND_IN = """\
import os, signal, sys
words = sys.argv[sys.argv.index("--") + 1 :]
theirs, ours = os.pipe()
os.posix_spawn(words[0], words, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, theirs, 0)], setpgroup=0)
while True:
    signal.pause()
"""
# Ignores the end of its input and SIGTERM, with a child of the same kind; argv: MARK KIND.
STUBBORN = """\
import os, signal, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
mark, kind = sys.argv[1:3]
if kind == "parent" and os.fork() == 0:
    os.execv(sys.executable, [sys.executable, "-I", "-S", "-c", CODE, mark, "child"])
if kind == "detacher" and os.fork() == 0:
    os.setsid()
    os.execv(sys.executable, [sys.executable, "-I", "-S", "-c", CODE, mark, "detached"])
while True:
    signal.pause()
"""


def stubborn(mark: str, kind: str = "alone") -> list[str]:
    return [PYTHON, "-I", "-S", "-c", f"CODE = {STUBBORN!r}\nexec(CODE)", mark, kind]


def launcher(directory: Path) -> str:
    """A stand-in for the proxy, started as the kernel starts the real one."""
    path = directory / "bin" / "mcpgov-proxy"
    path.parent.mkdir(parents=True)
    path.write_text(f"#!{PYTHON} -IS\n{STAND_IN}", "ascii")
    path.chmod(0o755)
    return str(path)


def as_client(ready: Path, mark: str, *command: str) -> list[str]:
    """A client that starts COMMAND, writes its number into the file READY, and waits."""
    return [PYTHON, "-I", "-S", SERVERS, "client", mark, str(ready), "initialize", *command]


def made(pid: int, ppid: int = 1, *argv: str, **more: Any) -> Process:
    """A process that does not exist."""
    values: dict[str, Any] = {
        "start": float(pid), "pgid": pid, "sid": 1, "uid": 1000, "name": "", "cpu_seconds": 0.0, "rss": 0,
        "state": RUNNING,
    }  # fmt: skip
    return Process(pid=pid, ppid=ppid, argv=argv, **{**values, **more})


class World:
    """A machine with made-up processes."""

    def __init__(self, *processes: Process, moment: float = 0.0) -> None:
        self.all = {process.pid: process for process in processes}
        self.now = moment

    def moment(self) -> float:
        return self.now

    def sweep(self) -> ProcessTable:
        return ProcessTable(self.all.values())

    def look(self, pid: int, *, argv: bool = False) -> Process | None:
        return self.all.get(pid)

    def directory(self, pid: int) -> str:
        return ""

    def piped(self, pid: int) -> bool | None:
        return None


def ident(pid: int) -> Ident:
    found = this_machine().look(pid)
    assert found is not None
    return found.ident


def lives(who: Ident) -> bool:
    found = this_machine().look(who.pid)
    return found is not None and found.ident == who and found.lives


def tick_until(
    supervisor: Supervisor, true: Callable[[], object], clock: Callable[[], float] = time.monotonic
) -> list[Action]:
    """Tick as the daemon does, when something is due, until it is true."""
    end = time.monotonic() + PATIENCE
    actions: list[Action] = []
    while not true():
        assert time.monotonic() < end, f"it did not happen; so far: {actions}"
        if supervisor.due(clock()) <= 0:
            actions += supervisor.tick(clock())
        time.sleep(0.005)
    return actions


def popen(*command: str, **more: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, **more)
