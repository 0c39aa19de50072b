"""`mcpgov unwrap`: let clients start servers directly again.

Takes out what mcpgov put into an entry and nothing else: untouched entries are
byte for byte what they were, edited ones keep their edits. Works without the
daemon and without our records. A running daemon would wrap them again, so it
is refused then: stop it first, or take the client out of `clients` in the
settings.

With --foreign, wraps of other governors (mcp-gov, clawdefender) are taken out
as well, and the entry gets back what they kept of it.

examples:
  mcpgov unwrap github
  mcpgov unwrap --all --dry-run
  mcpgov unwrap --all
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from mcpgov.configs.locations import ConfigSource
from mcpgov.configs.plan import UNWRAP
from mcpgov.errors import McpgovError, UsageError
from mcpgov.front.context import Context
from mcpgov.front.output import config_view
from mcpgov.front.result import Result
from mcpgov.front.service import daemon_ops


def add_arguments(parser: ArgumentParser) -> None:
    config_view.add_choice(parser, names="only these servers")
    parser.add_argument("--all", action="store_true", help="every server, of every client mcpgov knows")
    parser.add_argument("--foreign", action="store_true", help="also take out wraps of mcp-gov and clawdefender")
    parser.add_argument("--dry-run", action="store_true", help="write nothing, show the change")


def run(args: Namespace, context: Context) -> Result:
    if bool(args.names) == args.all:
        raise UsageError("name the servers to unwrap, or say `--all`", hint="mcpgov unwrap --all --dry-run")
    # A client that is no longer enabled may still have wrapped servers.
    worker, sources = config_view.chosen_sources(args, context, everybody=True)
    if not args.config:
        sources = config_view.of_clients(args.client, worker.with_known(sources))
    if not args.dry_run:
        _no_daemon(context, sources)
    names = args.names or None
    if names:
        config_view.check_names(names, [worker.look(source) for source in sources])
    results = config_view.run_pass(worker, sources, names, goal=UNWRAP, dry=args.dry_run, theirs=args.foreign)
    return config_view.result("unwrap", results, dry=args.dry_run, nothing="no server is wrapped", names=names)


def _no_daemon(context: Context, sources: Sequence[ConfigSource]) -> None:
    """What is undone within a second is not done."""
    watched = {source.file for source in context.worker().sources()}
    if any(source.file in watched for source in sources) and daemon_ops.lock_holder(context.places) is not None:
        raise McpgovError("the daemon runs, and would wrap them again at once", hint="mcpgov daemon stop")
