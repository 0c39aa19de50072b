"""`mcpgov wrap`: put mcpgov in front of servers that clients start directly.

Each entry's command becomes the launcher, and the launcher starts the server
as before; every other byte of the file stays. A backup is made first. With
--dry-run nothing is written and the change is shown. A named server is also
found in apps that are not among `clients`. Where another governor (mcp-gov,
clawdefender) stands in an entry, --replace takes it out and puts mcpgov there.

Of a server with a URL the URL is changed, to mcpgov's own on this machine. It
is asked first what it wants: one that needs a login is wrapped after `mcpgov
login NAME`, or with --oauth-passthrough, where the app itself signs in.

examples:
  mcpgov wrap --all --dry-run
  mcpgov wrap github
  mcpgov wrap --all --client gemini
  mcpgov wrap --all --config ~/work/.mcp.json
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from mcpgov.configs.config_pass import UNCHANGED, Worker
from mcpgov.configs.locations import ConfigSource, others
from mcpgov.configs.plan import WRAP
from mcpgov.errors import UsageError
from mcpgov.front.context import Context
from mcpgov.front.output import config_view
from mcpgov.front.result import Result
from mcpgov.front.service import remote_probe


def add_arguments(parser: ArgumentParser) -> None:
    config_view.add_choice(parser, names="only these servers")
    parser.add_argument("--all", action="store_true", help="every server that can be governed")
    parser.add_argument("--replace", action="store_true", help="take another governor's wrap out of the entry first")
    parser.add_argument("--oauth-passthrough", action="store_true",
                        help="for a remote server with a login: the app signs in itself, through mcpgov")  # fmt: skip
    parser.add_argument("--dry-run", action="store_true", help="write nothing, show the change")


def run(args: Namespace, context: Context) -> Result:
    if bool(args.names) == args.all:
        raise UsageError("name the servers to wrap, or say `--all`", hint="mcpgov wrap --all --dry-run")
    if args.oauth_passthrough and not args.names:
        raise UsageError("`--oauth-passthrough` is for servers that you name", hint="mcpgov wrap NAME")
    return wrap("wrap", args, context, args.names or None)


def wrap(command: str, args: Namespace, context: Context, names: Sequence[str] | None) -> Result:
    """Also what `sync` does."""
    worker, sources = config_view.chosen_sources(args, context)
    if names and not args.config and not args.client:
        sources += _elsewhere(worker, sources, names)
    if names:
        config_view.check_names(names, [worker.look(source) for source in sources])
    if not args.dry_run:
        context.ensure_launcher()
        remote_probe.probe_waiting(context, [worker.look(source) for source in sources], names)
    theirs, through = getattr(args, "replace", False), getattr(args, "oauth_passthrough", False)
    results = config_view.run_pass(
        worker, sources, names, goal=WRAP, dry=args.dry_run, theirs=theirs, passthrough=through
    )
    results = config_view.mark_unknown_layouts(args, worker, results)
    nothing = "every server that can be governed is governed" if names is None else "nothing to do"
    # Of those that were wrapped just now the lines above say it.
    stays = [result for result in results if result.result == UNCHANGED]
    notes = config_view.policy_notes(context, results) + config_view.foreign_notes(stays, names)
    return config_view.result(command, results, dry=args.dry_run, nothing=nothing, names=names, notes=notes)


def _elsewhere(worker: Worker, sources: Sequence[ConfigSource], names: Sequence[str]) -> list[ConfigSource]:
    """Files of installed apps outside `clients` that hold a named server which the enabled ones do not have."""
    known = {state.name for source in sources for state in worker.look(source).states}
    missing = {name for name in names if name not in known}
    candidates = others(worker.home) if missing else []
    return [source for source in candidates if missing & {state.name for state in worker.look(source).states}]
