"""`mcpgov run`: wrap what is bare, then become the client.

The terminal is the client's, and so is the exit status: this process turns
into it. For those who do not want a daemon, or do not want to wait for it.

examples:
  mcpgov run -- claude
  mcpgov run -- cursor ~/project
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from argparse import REMAINDER, ArgumentParser, Namespace
from functools import partial
from typing import NoReturn

from mcpgov.configs.config_pass import BUSY, FAILED
from mcpgov.errors import McpgovError, UsageError, reason_of
from mcpgov.front.context import Context
from mcpgov.front.output import config_view
from mcpgov.front.result import Result, visible
from mcpgov.front.service import remote_probe


def add_arguments(parser: ArgumentParser) -> None:
    config_view.add_choice(parser)
    parser.add_argument("command", metavar="-- COMMAND", nargs=REMAINDER, help="the client and its arguments")


def run(args: Namespace, context: Context) -> Result:
    argv = args.command[1:] if args.command[:1] == ["--"] else args.command
    if not argv:
        raise UsageError("say which client to run", hint="mcpgov run -- claude")
    if shutil.which(argv[0]) is None:
        raise McpgovError(f"cannot start `{argv[0]}`: there is no such command")
    worker, sources = config_view.chosen_sources(args, context)
    context.ensure_launcher()
    remote_probe.probe_waiting(context, [worker.look(source) for source in sources])
    results = config_view.with_retries([partial(worker.sync, source) for source in sources])
    for result in results:
        if result.result in (FAILED, BUSY):
            # Told, not fatal: its servers start as the file says, and `status` says so as well.
            _tell(f"{result.file}: left as it is: {result.reason}")
    for note in [] if args.quiet else config_view.policy_notes(context, results):
        _tell(note)
    sys.stdout.flush()
    sys.stderr.flush()
    _become(argv)


def _tell(text: str) -> None:
    sys.stderr.write(f"mcpgov: {visible(text)}\n")


def _become(argv: list[str]) -> NoReturn:
    # Python ignores these, and what is ignored stays so in the program that takes our place.
    ignored = {number: signal.signal(number, signal.SIG_DFL) for number in (signal.SIGPIPE, signal.SIGXFSZ)}
    try:
        os.execvp(argv[0], argv)
    except OSError as error:
        for number, handler in ignored.items():
            signal.signal(number, handler)
        raise McpgovError(f"cannot start `{argv[0]}`: {reason_of(error)}") from None
