"""`mcpgov uninstall`: take everything back.

Stops and removes the login service, unwraps every server (byte for byte where
the entry is as we left it), removes the backups beside configs and the
launcher. Policy, journal and history are asked about on a terminal, deleted
with --yes, and kept otherwise.

examples:
  mcpgov uninstall
  mcpgov uninstall --yes
  mcpgov uninstall --keep-data
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from mcpgov.front import config_view, setup
from mcpgov.front.context import Context
from mcpgov.front.result import Block, Line, Result


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--keep-data", action="store_true", help="keep policy, journal, history and backups")
    parser.add_argument("--yes", action="store_true", help="do not ask; policy and journal are deleted")


def run(args: Namespace, context: Context) -> Result:
    said = setup.end_service(context)
    told, results = setup.unwrap(context)
    said += told
    named = setup.still_named(context)
    if not args.keep_data:
        said += setup.remove_backups(context)
    said += setup.remove_launcher(context, named)
    failed = [f"{result.file}: left as it is: {result.reason}" for result in results if result.code]
    places = context.places
    there = places.config.exists() or places.state.exists()
    # What could not be unwrapped may still need its record.
    deleting = there and not named and not args.keep_data and (args.yes or _agreed(context))
    if deleting:
        said += setup.remove_data(context)
    kept = there and not deleting
    view: list[Block] = [Line(line, "good") for line in said] or [Line("there was nothing to remove", "good")]
    if kept:
        view.append(Line(f"kept {setup.short(places.config)} and {setup.short(places.state)}", "faint"))
    if told:
        view.append(Line("restart your AI apps: those that run still use the old entries", "warning"))
    data = {"done": said, "kept": kept, "files": [config_view.file_data(result) for result in results]}
    code = max(config_view.exit_code(results), 1 if named else 0)
    return Result("uninstall", data, view, code, notes=failed)


def _agreed(context: Context) -> bool:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    places = context.places
    sys.stdout.write(f"delete policy and journal ({setup.short(places.config)}, {setup.short(places.state)})? [y/N] ")
    sys.stdout.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
