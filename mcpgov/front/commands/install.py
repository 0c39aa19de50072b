"""`mcpgov install`: govern every server of your AI apps from now on.

Writes the launcher, a starter policy where you have none, wraps every server
it finds (a backup first), installs a login service that keeps new ones
wrapped, and shows the status. Run it again at any time: it does what is
missing. `mcpgov uninstall` takes all of it back.

examples:
  mcpgov install --dry-run
  mcpgov install
  mcpgov install --profile strict --yes
  mcpgov install --no-service
"""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser, Namespace
from pathlib import Path

from mcpgov.front import config_view, look, setup
from mcpgov.front.commands import status
from mcpgov.front.context import Context
from mcpgov.front.result import Cell, Line, Result, Table, visible
from mcpgov.front.setup import Wanted
from mcpgov.policy.starter import PROFILES


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--profile", choices=tuple(PROFILES), metavar="NAME",
                        help="starter policy: audit, balanced or strict (default: the setting `profile`)")  # fmt: skip
    parser.add_argument("--policy", metavar="FILE", help="take this file as your policy; an old one is kept aside")
    parser.add_argument("--no-service", action="store_true", help="no login service and no daemon")
    parser.add_argument("--dry-run", action="store_true", help="list every file it would touch, and stop")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def run(args: Namespace, context: Context) -> Result:
    policy = Path(args.policy).expanduser().absolute() if args.policy else None
    wanted = Wanted(args.profile or context.settings.profile, policy, not args.no_service)
    if args.dry_run:
        return _planned(context, wanted)
    if not args.yes and not _agreed(context, wanted):
        return Result("install", {"done": []}, [Line("nothing was done")], 1)
    said = setup.prepare(context, wanted)
    told, results = setup.wrap(context)
    done, notes = setup.serve(context, wanted)
    said += [*told, *done]
    failed = [f"{result.file}: left as it is: {result.reason}" for result in results if result.code]
    data = setup.settled(look.Looker(context).look, results, time.monotonic, time.sleep)
    if not args.json and not args.quiet:
        color = "never" if args.no_color else context.settings.color
        _show(said or ["everything was in place"], data, color)
    code = config_view.exit_code(results)
    told_status = {key: value for key, value in data.items() if key not in ("version", "command", "ok")}
    return Result(
        "install", {"done": said, "status": told_status}, exit_code=code, raw=None if args.json else "",
        notes=[*failed, *notes],
    )  # fmt: skip


def _planned(context: Context, wanted: Wanted) -> Result:
    found = setup.planned(context, wanted)
    rows: list[list[str | Cell]] = [[setup.short(path), Cell(why, "faint")] for path, why in found]
    data = {"files": [{"file": path, "why": why} for path, why in found], "dry_run": True}
    return Result("install", data, [Table(("would touch", "why"), rows), Line("nothing was written", "faint")])


def _agreed(context: Context, wanted: Wanted) -> bool:
    """A person at a terminal sees what is going to be touched first."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return True
    for path, why in setup.planned(context, wanted):
        sys.stdout.write(f"  {visible(setup.short(path))}  {visible(why)}\n")
    sys.stdout.write("touch these files? [Y/n] ")
    sys.stdout.flush()
    return sys.stdin.readline().strip().lower() in ("", "y", "yes")


def _show(said: list[str], data: dict[str, object], color: str) -> None:
    for line in said:
        sys.stdout.write(f"✔ {visible(line)}\n")
    sys.stdout.write("\n")
    status.show(data, color)
