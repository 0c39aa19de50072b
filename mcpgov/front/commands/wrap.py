"""`mcpgov wrap`: put mcpgov in front of servers that clients start directly.

Each entry's command becomes the launcher, and the launcher starts the server
as before; every other byte of the file stays. A backup is made first. With
--dry-run nothing is written and the change is shown.

examples:
  mcpgov wrap --all --dry-run
  mcpgov wrap github
  mcpgov wrap --all --client gemini
  mcpgov wrap --all --config ~/work/.mcp.json
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from functools import partial

from mcpgov.configs.plan import WRAP
from mcpgov.errors import UsageError
from mcpgov.front import config_view
from mcpgov.front.context import Context
from mcpgov.front.result import Result


def add_arguments(parser: ArgumentParser) -> None:
    config_view.add_choice(parser, names="only these servers")
    parser.add_argument("--all", action="store_true", help="every server that can be governed")
    parser.add_argument("--dry-run", action="store_true", help="write nothing, show the change")


def run(args: Namespace, context: Context) -> Result:
    if bool(args.names) == args.all:
        raise UsageError("name the servers to wrap, or say `--all`", hint="mcpgov wrap --all --dry-run")
    return wrap("wrap", args, context, args.names or None)


def wrap(command: str, args: Namespace, context: Context, names: Sequence[str] | None) -> Result:
    """Also what `sync` does."""
    worker, sources = config_view.chosen(args, context)
    if names:
        config_view.check_names(names, [worker.look(source) for source in sources])
    if args.dry_run:
        results = [worker.preview(source, WRAP, names) for source in sources]
    else:
        context.ensure_launcher()
        results = config_view.settled([partial(worker.sync, source, names=names) for source in sources])
    nothing = "every server that can be governed is governed" if names is None else "nothing to do"
    view = config_view.lines(results, dry=args.dry_run, nothing=nothing, names=names)
    data = {"files": [config_view.file_data(result) for result in results], "dry_run": args.dry_run}
    notes = config_view.policy_notes(context, results)
    return Result(command, data, view, config_view.exit_code(results), notes=notes)
