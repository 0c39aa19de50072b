"""`mcpgov daemon start`: start the daemon, unless it runs.

Through the login service where `mcpgov install` has made one; otherwise it is
detached from this terminal, and will not come back by itself after a logout.
Where mcpgov is not installed it is refused: there would be nothing to judge by.

examples:
  mcpgov daemon start
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mcpgov.front import daemon_ops
from mcpgov.front.context import Context
from mcpgov.front.daemon_ops import DETACHED, Running
from mcpgov.front.result import Block, Line, Result

ON_ITS_OWN = "it will not survive a logout: no login service starts it (mcpgov install)"


def add_arguments(parser: ArgumentParser) -> None:
    """Only the common options."""


def run(args: Namespace, context: Context) -> Result:
    places = context.places
    service = daemon_ops.installed(places) if daemon_ops.found(places) is None else None
    daemon_ops.check_installed(places, service)
    return started("daemon start", daemon_ops.start(places, service=service))


def started(command: str, running: Running, before: int = 0) -> Result:
    """What to say of a daemon that runs; `before` is the pid of the one whose place it took."""
    who = f"pid {running.pid}, version {running.version}"
    words = f"the daemon runs: {who}" if running.how else f"the daemon runs already: {who}"
    view: list[Block] = [Line(words, "good")]
    older = daemon_ops.other_version(running)
    if older:
        view.append(Line(older, "warning"))
    if running.how == DETACHED:
        view.append(Line(ON_ITS_OWN, "warning"))
    data = {"pid": running.pid, "daemon_version": running.version, "how": running.how, "changed": bool(running.how)}
    return Result(command, {**data, **({"before": before} if before else {})}, view)
