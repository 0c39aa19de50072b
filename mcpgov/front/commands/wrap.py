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

import time
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from mcpgov.configs.plan import WRAP
from mcpgov.configs.work import CHANGED, FileResult
from mcpgov.errors import UsageError
from mcpgov.front import config_view
from mcpgov.front.context import Context, has_policy
from mcpgov.front.result import Result

WAITS = (0.05, 0.5)


def add_arguments(parser: ArgumentParser) -> None:
    config_view.add_choice(parser, names="only these servers")
    parser.add_argument("--all", action="store_true", help="every server that can be governed")
    parser.add_argument("--dry-run", action="store_true", help="write nothing, show the change")


def run(args: Namespace, context: Context) -> Result:
    if bool(args.names) == args.all:
        raise UsageError("name the servers to wrap, or say `--all`", hint="mcpgov wrap --all --dry-run")
    return wrap("wrap", args, context, args.names or None)


def wrap(command: str, args: Namespace, context: Context, names: Sequence[str] | None) -> Result:
    """Also what `sync` and `run` do."""
    worker, sources = config_view.chosen(args, context)
    if names:
        config_view.check_names(names, [worker.look(source) for source in sources])
    if args.dry_run:
        results = [worker.preview(source, WRAP, names) for source in sources]
    else:
        context.ensure_launcher()
        results = [
            config_view.settled(lambda source=source: worker.sync(source, names=names), time.sleep, WAITS)  # type: ignore[misc]
            for source in sources
        ]
    view = config_view.lines(results, dry=args.dry_run, nothing="every server that can be governed is governed")
    data = {"files": [config_view.file_data(result) for result in results], "dry_run": args.dry_run}
    return Result(command, data, view, config_view.exit_code(results), notes=_notes(context, results))


def _notes(context: Context, results: Sequence[FileResult]) -> list[str]:
    if any(result.result == CHANGED for result in results) and not has_policy(context):
        return ["there is no policy yet, so every call will be denied: mcpgov policy init"]
    return []
