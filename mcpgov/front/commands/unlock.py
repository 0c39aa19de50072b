"""`mcpgov unlock`: let the policy decide again.

Only a person unlocks: it is refused to what an AI app or a governed server has
started.

examples:
  mcpgov unlock
"""

from __future__ import annotations

from argparse import Namespace

from mcpgov import lock_file
from mcpgov.daemon.control.approval_requests import LockAnswer, UnlockRequest
from mcpgov.errors import McpgovError
from mcpgov.front.approvals.questions import requested
from mcpgov.front.commands.lock import ABSENT, lock_data, recorded
from mcpgov.front.context import Context
from mcpgov.front.result import Line, Result


def run(args: Namespace, context: Context) -> Result:
    try:
        done = requested(context, UnlockRequest())
    except ABSENT:
        done = _unlock(context)
    told = Line("unlocked: the policy decides again", "good") if done.changed else Line("it was not locked")
    return Result("unlock", lock_data(done), [told])


def _unlock(context: Context) -> LockAnswer:
    path = context.places.lock
    if lock_file.lock_state(path) is None:
        return LockAnswer(False, False)
    if not recorded(context, "unlock", "unlocked"):
        raise McpgovError("it stays locked: unlocking could not be recorded", hint="mcpgov doctor")
    lock_file.unlock(path)
    return LockAnswer(False, True)
