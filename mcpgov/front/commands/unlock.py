"""`mcpgov unlock`: let the policy decide again.

Only a person unlocks: it is refused to what an AI app or a governed server has
started.

examples:
  mcpgov unlock
"""

from __future__ import annotations

import time
from argparse import Namespace

from mcpgov.daemon.control.approval_requests import UnlockRequest
from mcpgov.front.approvals.questions import requested
from mcpgov.front.commands.lock import lock_data
from mcpgov.front.context import Context
from mcpgov.front.output.status_view import span
from mcpgov.front.result import Line, Result


def run(args: Namespace, context: Context) -> Result:
    done = requested(context, UnlockRequest())
    if not done.changed:
        return Result("unlock", lock_data(done), [Line("it was not locked")])
    lasted = f", after {span(max(0.0, time.time() - done.since))}" if done.since else ""
    return Result("unlock", lock_data(done), [Line(f"unlocked{lasted}: the policy decides again", "good")])
