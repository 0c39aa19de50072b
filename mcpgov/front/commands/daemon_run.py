"""`mcpgov daemon run`: be the daemon, in this process, until told to stop.

What the login service runs. It watches the clients' config files, keeps their
servers wrapped, compiles the policy when it changes, and knows the proxies;
no proxy depends on it. SIGTERM or Ctrl-C ends it, SIGHUP has it look at
everything anew.

examples:
  mcpgov daemon run
  mcpgov daemon run --log-level debug
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mcpgov.daemon.log import LEVELS
from mcpgov.front.context import Context
from mcpgov.front.result import Result


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--log-level", choices=LEVELS, default="", help="what to log at least, instead of the setting")


def run(args: Namespace, context: Context) -> Result:
    from mcpgov.daemon.run import serve

    serve(context.places, args.log_level)
    return Result("daemon run", raw="")
