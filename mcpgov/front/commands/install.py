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

import os
import sys
import time
from argparse import ArgumentParser, Namespace
from pathlib import Path

from mcpgov.errors import UsageError
from mcpgov.front.commands import status
from mcpgov.front.context import Context, has_policy
from mcpgov.front.install import install_plan, install_steps, policy_forecast
from mcpgov.front.install.install_plan import InstallPlan
from mcpgov.front.install.install_steps import InstallRequest
from mcpgov.front.output import config_view
from mcpgov.front.result import Block, Cell, Line, Result, Table, picked, visible
from mcpgov.front.status import local_status
from mcpgov.policy.starter import PROFILES

NO_SERVICE = "no login service, as you asked: `mcpgov sync` wraps new servers by hand"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--profile", choices=tuple(PROFILES), metavar="NAME",
                        help="starter policy: audit, balanced or strict (default: the setting `profile`)")  # fmt: skip
    parser.add_argument("--policy", metavar="FILE", help="take this file as your policy; an old one is kept aside")
    parser.add_argument("--no-service", action="store_true", help="no login service and no daemon")
    parser.add_argument("--dry-run", action="store_true", help="list every file it would touch, and stop")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def run(args: Namespace, context: Context) -> Result:
    wanted = _wanted(args, context)
    install_steps.check(context, wanted)
    stops = _stops(context, wanted)
    if args.dry_run:
        return _planned(install_plan.planned(context, wanted), stops)
    if not args.yes and install_steps.at_terminal() and not _agreed(install_plan.planned(context, wanted), stops):
        return Result("install", {"done": [], "files": []}, [Line("nothing was done")], 1)
    unused = _unused(args, context)
    steps_done, fresh = install_steps.prepare(context, wanted)
    wrapped, results = install_steps.wrap(context)
    done, notes, failed = _served(context, wanted, fresh=fresh)
    steps_done += [*wrapped, *done]
    local = local_status.LocalStatus(context)
    data = install_steps.wait_for_status(local.look, [*results, *local.outside()], time.monotonic, time.sleep)
    failures = [*install_steps.failures(results), *failed]
    if not args.json and not args.quiet:
        shown = steps_done or [f"everything {'else ' if failures else ''}was in place"]
        _show(shown, stops, data, "never" if args.no_color else context.color)
    status_data = {key: value for key, value in data.items() if key not in ("version", "command", "ok")}
    files = [config_view.file_data(result) for result in results]
    code = max(config_view.exit_code(results), 1 if failed else 0)
    outcome = {"done": steps_done, "files": files, "status": status_data, "stops": stops}
    notes = [*failures, *notes, *unused, *config_view.foreign_notes(results)]
    return Result("install", outcome, exit_code=code, raw=None if args.json else "", notes=notes)


def _wanted(args: Namespace, context: Context) -> InstallRequest:
    if args.profile and args.policy:
        raise UsageError("`--profile` and `--policy` both say which policy", hint="give one of them")
    policy = Path(os.path.abspath(os.path.expanduser(args.policy))) if args.policy else None
    return InstallRequest(args.profile or context.settings.profile, policy, not args.no_service)


def _served(context: Context, wanted: InstallRequest, *, fresh: bool) -> tuple[list[str], list[str], list[str]]:
    if not wanted.service:
        return [], [NO_SERVICE], []
    return install_steps.try_to_start_daemon(context, fresh=fresh)


def _unused(args: Namespace, context: Context) -> list[str]:
    """A profile is for those who have no policy; who named one must hear that it was not used."""
    if not args.profile or not has_policy(context):
        return []
    again = f"mcpgov policy init --force --profile {args.profile}"
    return [f"you have a policy, so `--profile {args.profile}` was not used; to replace it: {again}"]


def _stops(context: Context, wanted: InstallRequest) -> list[str]:
    """What the policy will stop of what is there; of one that was in force before, nothing is news."""
    if wanted.policy is None and has_policy(context):
        return []
    named = install_steps.short(wanted.policy) if wanted.policy is not None else f"the {wanted.profile} policy"
    rules = policy_forecast.rules_of(context, wanted)
    return policy_forecast.forecast_sentences(
        named, rules, policy_forecast.servers_of(context), str(context.places.tools)
    )


def _planned(plan: InstallPlan, stops: list[str]) -> Result:
    rows: list[list[str | Cell]] = [
        [install_steps.short(touch.file), Cell(touch.why, "faint")] for touch in plan.touches
    ]
    files = [picked(touch, "file", "why") for touch in plan.touches]
    left = [{"file": result.file, "reason": result.reason, "reason_code": result.reason_code} for result in plan.left]
    view: list[Block] = [Table(("would touch", "why"), rows), *map(Line, stops)]
    view += [*map(Line, _outside(plan)), Line("nothing was written", "faint")]
    code = config_view.exit_code(plan.left)
    outside = [picked(problem, "what", "hint", "reason_code") for problem in plan.outside]
    data = {"files": files, "left": left, "stops": stops, "outside": outside, "dry_run": True}
    return Result("install", data, view, code, notes=install_steps.failures(plan.left))


def _agreed(plan: InstallPlan, stops: list[str]) -> bool:
    """A person at a terminal sees what is going to be touched first; our own directories are no question again."""
    if all(touch.file.endswith("/") and os.path.isdir(touch.file) for touch in plan.touches):
        return True
    for touch in plan.touches:
        sys.stderr.write(f"  {visible(install_steps.short(touch.file))}  {visible(touch.why)}\n")
    sys.stderr.writelines(f"{visible(line)}\n" for line in (*stops, *_outside(plan)))
    return install_steps.agreed("touch these files?", usual=True)


def _outside(plan: InstallPlan) -> list[str]:
    """What stays unprotected all the same."""
    hints = ((problem.what, f" ({problem.hint})" if problem.hint else "") for problem in plan.outside)
    return [f"unprotected: {what}{hint}" for what, hint in hints]


def _show(steps_done: list[str], stops: list[str], data: dict[str, object], color: str) -> None:
    mark = "✔" if (sys.stdout.encoding or "").lower().startswith("utf") else "*"
    for line in steps_done:
        sys.stdout.write(f"{mark} {visible(line)}\n")
    sys.stdout.writelines(["\n", *(f"{visible(line)}\n" for line in stops)] if stops else [])
    sys.stdout.write("\n")
    status.show(data, color)
