"""`mcpgov sync`: wrap every server of the enabled clients that is not wrapped yet.

What the daemon does by itself, once and by hand.

examples:
  mcpgov sync
  mcpgov sync --dry-run
"""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser, Namespace
from pathlib import Path

from mcpgov import host
from mcpgov.configs.locations import Home
from mcpgov.daemon.watching import offload
from mcpgov.errors import UsageError
from mcpgov.front.commands.wrap import wrap
from mcpgov.front.context import Context
from mcpgov.front.output import config_view
from mcpgov.front.result import Result


def add_arguments(parser: ArgumentParser) -> None:
    config_view.add_choice(parser)
    parser.add_argument("--dry-run", action="store_true", help="write nothing, show the change")
    parser.add_argument("--leave", metavar="JSON", help=SUPPRESS)


def run(args: Namespace, context: Context) -> Result:
    return wrap("sync", args, context, None) if args.leave is None else _for_daemon(args, context)


def _for_daemon(args: Namespace, context: Context) -> Result:
    """One file that is too heavy for the daemon, once; it looks again by itself. No settings: it has read them."""
    places = context.places
    home = Home(Path(host.home()), places.state, places.launcher)
    try:
        (file,) = [] if args.dry_run else args.config
        worker, source, leave = offload.meant(home, Path(file), "".join(args.client[:1]), args.leave)
    except ValueError as error:
        raise UsageError(f"`--leave` is the daemon's own: {error}", hint="mcpgov sync --help") from None
    result = worker.sync(source, leave)
    data = {"files": [{**config_view.file_data(result), **offload.tell(result)}], "dry_run": False}
    return Result("sync", data, config_view.lines([result], dry=False, nothing=""), config_view.exit_code([result]))
