"""Starts and stops the daemon: through the login service if it is installed, else directly.

Laws: repeating it changes nothing; success is reported only when the daemon answers, or its lock is free.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from mcpgov import __version__
from mcpgov.daemon.control import line_client
from mcpgov.daemon.control.client import ask
from mcpgov.daemon.control.requests import PingRequest, StopRequest
from mcpgov.daemon.instance_lock import FILE, Holder, described, holder
from mcpgov.errors import McpgovError
from mcpgov.front.service import login_service
from mcpgov.front.service.login_service import LoginService
from mcpgov.places import Places
from mcpgov.self_command import isolated

ANSWERS_WITHIN = 5.0
ENDS_WITHIN = 10.0
HEARS_WITHIN = 1.0
_PAUSE = 0.02
SERVICE, DETACHED = "service", "detached"
# Double fork: the daemon belongs to no terminal and is reparented when the process in between ends.
_DETACH = "import os, sys\nif os.fork(): os._exit(0)\nos.execv(sys.argv[1], sys.argv[1:])"


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Running:
    """A daemon that answers. `how`: service, detached, or empty if it was running already."""

    pid: int
    version: str
    how: str = ""


@dataclass(frozen=True, slots=True)
class Ended:
    """`pid` 0: none was running. `killed`: it had to be killed."""

    pid: int = 0
    killed: bool = False


def lock_holder(places: Places) -> Holder | None:
    return holder(places.runtime / FILE)


def answering(places: Places, patience: float = ANSWERS_WITHIN) -> Running | None:
    """The daemon that answers; None if there is none. Raises ControlError if one runs and does not answer."""
    try:
        answer = ask(places.socket, PingRequest(), timeout=patience)
    except (line_client.NoSocket, line_client.RequestRefused):
        return None
    return Running(answer.pid, answer.version)


def installed(places: Places) -> LoginService | None:
    """The login service, if there is one for the daemon."""
    service = login_service.which(places)
    return service if service.unit is not None and login_service.state(service).status != "missing" else None


def check_installed(places: Places, service: LoginService | None) -> None:
    """Raises if mcpgov is not installed: a daemon wraps servers at once, which needs a launcher and a policy."""
    if service is None and lock_holder(places) is None and not places.launcher.is_file():
        raise McpgovError("mcpgov is not installed for this account", hint="mcpgov install")


def start(places: Places, *, service: LoginService | None, command: Sequence[str] | None = None) -> Running:
    """Start the daemon, unless it runs. Raises McpgovError if it does not answer."""
    there = lock_holder(places)
    if there is not None:
        return _await(places, there)
    if service is not None:
        login_service.start(service)
    else:
        detach(command or login_service.daemon_command(places))
    running = _await(places, None)
    return Running(running.pid, running.version, SERVICE if service is not None else DETACHED)


def detach(command: Sequence[str]) -> None:
    """Run the command in a session of its own: no terminal, no working directory in use."""
    quiet = subprocess.DEVNULL
    words = [*isolated(sys.executable, _DETACH), *command]
    done = subprocess.run(
        words, stdin=quiet, stdout=quiet, stderr=quiet, cwd="/", start_new_session=True, check=False, timeout=30
    )
    if done.returncode:
        raise McpgovError("the daemon could not be started", hint="mcpgov daemon run")


def _await(places: Places, there: Holder | None) -> Running:
    running = _until(lambda: answering(places, ANSWERS_WITHIN), ANSWERS_WITHIN)
    if running is not None:
        return running
    who = f" ({described(there)})" if there is not None and there.pid else ""
    hint = "mcpgov daemon restart" if lock_holder(places) else "mcpgov daemon run, which says why"
    raise McpgovError(f"the daemon{who} does not answer within {ANSWERS_WITHIN:.0f} s", hint=hint)


def stop(places: Places, *, service: LoginService | None, tell: Callable[[str], None] = lambda text: None) -> Ended:
    """Stop the daemon, if it runs. `tell` is called when waiting starts."""
    there = lock_holder(places)
    if service is not None and login_service.state(service).status in ("active", "starting"):
        login_service.stop(service)
    if there is None:
        return Ended()
    if lock_holder(places) is not None and not _asked_to_end(places):
        tell(f"waiting for pid {there.pid} to end")
        _signal(places, signal.SIGTERM)
    if _until(lambda: lock_holder(places) is None, ENDS_WITHIN):
        return Ended(there.pid)
    return Ended(there.pid, killed=_kill(places, there))


def _asked_to_end(places: Places) -> bool:
    try:
        ask(places.socket, StopRequest(), timeout=HEARS_WITHIN)
    except line_client.ControlError:
        return False
    return True


def report(text: str) -> None:
    """Print progress on standard error, since standard output may be JSON for a program."""
    sys.stderr.write(f"mcpgov: {text}\n")
    sys.stderr.flush()


def _kill(places: Places, there: Holder) -> bool:
    """SIGKILL is safe: the daemon's files are complete at any moment."""
    _signal(places, signal.SIGKILL)
    if _until(lambda: lock_holder(places) is None, ENDS_WITHIN):
        return True
    raise McpgovError(f"the daemon ({described(there)}) does not end", hint=f"kill -9 {there.pid}")


def _signal(places: Places, number: int) -> None:
    # The process that holds the lock is the daemon; its pid is in the lock file.
    there = lock_holder(places)
    if there is not None and there.pid > 1:
        try:
            os.kill(there.pid, number)
        except ProcessLookupError:
            return


def _until(condition: Callable[[], T], patience: float) -> T:
    end = time.monotonic() + patience
    while not (value := condition()) and time.monotonic() < end:
        time.sleep(_PAUSE)
    return value


def other_version(running: Running) -> str:
    """A note on a daemon of another version; empty for this one."""
    if running.version == __version__:
        return ""
    return f"it is version {running.version}, this is {__version__}: mcpgov daemon restart"
