"""`mcpgov lock`: deny every call of every governed server, at once.

It holds from the next message on, for every app, until you type `mcpgov
unlock`; a restart of the daemon or of the machine changes nothing. Questions
that are open are denied. Anybody may lock; only a person unlocks.

examples:
  mcpgov lock
  mcpgov lock "it deletes the wrong things"
"""

from __future__ import annotations

import os
import time
from argparse import ArgumentParser, Namespace

from mcpgov import lock_file
from mcpgov.daemon.control import line_client
from mcpgov.daemon.control.approval_requests import LockAnswer, LockRequest
from mcpgov.front.approvals.questions import requested
from mcpgov.front.context import Context
from mcpgov.front.result import Line, Result
from mcpgov.journal_session import JournalSession
from mcpgov.lock_file import LockState

HOLDS = "every call of every governed server is denied until `mcpgov unlock`"
LONGEST = 500
ABSENT = (line_client.NoSocket, line_client.RequestRefused, line_client.NoAnswer)


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("reason", metavar="REASON", nargs="*", help="why, for `status` and for whoever is denied")


def run(args: Namespace, context: Context) -> Result:
    why = " ".join(args.reason)
    try:
        done = requested(context, LockRequest(why))
    except ABSENT:  # proxies look for the file by themselves
        done = _lock(context, why[:LONGEST])
    told = f"locked: {HOLDS}" if done.changed else f"it was locked already: {HOLDS}"
    return Result("lock", lock_data(done), [Line(told, "warning")])


def _lock(context: Context, why: str) -> LockAnswer:
    path = context.places.lock
    before = lock_file.lock_state(path)
    if before is not None:
        return LockAnswer(True, False, before.since, before.why)
    made = LockState(time.time(), f"pid {os.getpid()}", why)
    lock_file.lock(path, made)
    recorded(context, "lock", "locked", why)
    return LockAnswer(True, True, made.since, why)


def recorded(context: Context, verb: str, action: str, why: str = "") -> bool:
    """Where no daemon does it: a session of one record."""
    note: dict[str, object] = {"dir": "command", "method": f"mcpgov {verb}", "action": action, "who": os.getpid()}
    who = {"session": os.urandom(6).hex(), "client": "", "server": ""}
    return JournalSession(str(context.places.journal), who).write({**note, "why": why} if why else note)


def lock_data(done: LockAnswer) -> dict[str, object]:
    return {"locked": done.locked, "changed": done.changed, "since": done.since or None, "why": done.why}
