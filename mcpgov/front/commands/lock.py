"""`mcpgov lock`: deny every call of every governed server, at once.

It holds from the next message on, for every app, until you type `mcpgov
unlock`; a restart of the daemon or of the machine changes nothing. Questions
that are open are denied. Anybody may lock; only a person unlocks.

examples:
  mcpgov lock
  mcpgov lock "it deletes the wrong things"
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mcpgov.daemon.control.approval_requests import LockAnswer, LockRequest
from mcpgov.front.approvals.questions import requested
from mcpgov.front.context import Context
from mcpgov.front.result import Line, Result

HOLDS = "every call of every governed server is denied until `mcpgov unlock`"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("reason", metavar="REASON", nargs="*", help="why, for `status` and for whoever is denied")


def run(args: Namespace, context: Context) -> Result:
    done = requested(context, LockRequest(" ".join(args.reason)))
    told = f"locked: {HOLDS}" if done.changed else f"it was locked already: {HOLDS}"
    return Result("lock", lock_data(done), [Line(told, "warning")])


def lock_data(done: LockAnswer) -> dict[str, object]:
    return {"locked": done.locked, "changed": done.changed, "since": done.since or None, "why": done.why}
