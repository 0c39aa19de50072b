"""`mcpgov daemon stop`: stop the daemon, if it runs.

Servers that are governed stay governed: their proxies do not need it. Servers
that are added meanwhile stay as the client wrote them. A login service is
stopped, not removed: it starts again with the next login.

examples:
  mcpgov daemon stop
"""

from __future__ import annotations

from argparse import Namespace

from mcpgov.front.context import Context
from mcpgov.front.result import Line, Result
from mcpgov.front.service import daemon_ops
from mcpgov.front.service.daemon_ops import Ended


def run(args: Namespace, context: Context) -> Result:
    places = context.places
    return stop_result(daemon_ops.stop(places, service=daemon_ops.installed(places), tell=daemon_ops.report))


def stop_result(ended: Ended) -> Result:
    if not ended.pid:
        words = "the daemon is not running"
    elif ended.killed:
        words = f"the daemon did not end by itself and was killed: pid {ended.pid}"
    else:
        words = f"the daemon has ended: pid {ended.pid}"
    data = {"pid": ended.pid or None, "killed": ended.killed, "changed": bool(ended.pid)}
    return Result("daemon stop", data, [Line(words, "warning" if ended.killed else "good")])
