"""`mcpgov daemon restart`: stop the daemon if it runs, and start it.

Running proxies are not touched, and are known to the new daemon at once.

examples:
  mcpgov daemon restart
"""

from __future__ import annotations

from argparse import Namespace

from mcpgov.front.commands.daemon_start import has_manager, start_result
from mcpgov.front.context import Context
from mcpgov.front.result import Result
from mcpgov.front.service import daemon_ops


def run(args: Namespace, context: Context) -> Result:
    places = context.places
    service = daemon_ops.installed(places)
    daemon_ops.check_installed(places, service)
    ended = daemon_ops.stop(places, service=service, tell=daemon_ops.report)
    running = daemon_ops.start(places, service=service)
    return start_result("daemon restart", running, ended.pid, manager=has_manager(context))
