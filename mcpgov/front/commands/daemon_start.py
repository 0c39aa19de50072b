"""`mcpgov daemon start`: start the daemon, unless it runs.

Through the login service where `mcpgov install` has made one; otherwise it is
detached from this terminal, and will not come back by itself after a logout.
Where mcpgov is not installed it is refused: there would be nothing to judge by.

examples:
  mcpgov daemon start
"""

from __future__ import annotations

from argparse import Namespace

from mcpgov.front.context import Context
from mcpgov.front.result import Block, Line, Result
from mcpgov.front.service import daemon_ops, login_service
from mcpgov.front.service.daemon_ops import DETACHED, Running

ON_ITS_OWN = "it ends when you log out; after the next login: mcpgov daemon start"
WITH_SERVICE = "it ends when you log out; for a login service: mcpgov install"


def run(args: Namespace, context: Context) -> Result:
    places = context.places
    service = daemon_ops.installed(places) if daemon_ops.lock_holder(places) is None else None
    daemon_ops.check_installed(places, service)
    return start_result("daemon start", daemon_ops.start(places, service=service), manager=has_manager(context))


def has_manager(context: Context) -> bool:
    """Whether an install could make a login service here."""
    return login_service.which(context.places).unit is not None


def start_result(command: str, running: Running, before: int = 0, *, manager: bool = False) -> Result:
    """What to say of a daemon that runs; `before` is the pid of the one whose place it took."""
    who = f"pid {running.pid}, version {running.version}"
    words = f"the daemon runs: {who}" if running.how else f"the daemon runs already: {who}"
    view: list[Block] = [Line(words, "good")]
    older = daemon_ops.other_version(running)
    if older:
        view.append(Line(older, "warning"))
    if running.how == DETACHED:
        view.append(Line(WITH_SERVICE if manager else ON_ITS_OWN, "warning"))
    data = {"pid": running.pid, "daemon_version": running.version, "how": running.how, "changed": bool(running.how)}
    return Result(command, {**data, **({"before": before} if before else {})}, view)
