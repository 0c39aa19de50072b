"""`mcpgov uninstall`: take everything back.

Stops and removes the login service, unwraps every server (byte for byte where
the entry is as we left it), removes the backups beside configs and the
launcher. Logins to remote servers are forgotten, their tokens deleted. Policy,
journal and history are asked about on a terminal, deleted with --yes, and kept
otherwise. Servers that run go on until their app ends.
The last line is the one command that removes the program itself, where
scripts/install made it.

Where a file cannot be unwrapped, the launcher stays as a message that says
what to do, and so does the data. Mend the file, and run it again.

examples:
  mcpgov uninstall
  mcpgov uninstall --yes
  mcpgov uninstall --keep-data
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable

from mcpgov.errors import McpgovError, reason_of
from mcpgov.front.context import Context
from mcpgov.front.install import install_steps, uninstall_steps
from mcpgov.front.output import config_view
from mcpgov.front.result import Block, Line, Result
from mcpgov.places import Places


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--keep-data", action="store_true", help="keep policy, journal, history, backups and logins")
    parser.add_argument("--yes", action="store_true", help="do not ask; policy and journal are deleted")


def run(args: Namespace, context: Context) -> Result:
    places, _ = context.places, context.settings  # broken settings are told before anything is touched
    delete = not args.keep_data and uninstall_steps.has_data(places) and (args.yes or _agreed(places))
    steps_done = uninstall_steps.end_service(context)
    results, named = uninstall_steps.unwrap(context)
    unwrapped = uninstall_steps.unwrapped(results)
    running = uninstall_steps.still_running(context)
    own_files_removed, failed = _own_files(context, named, delete=delete, backups=not args.keep_data)
    steps_done += [*unwrapped, *own_files_removed]
    kept = uninstall_steps.has_data(places)
    view: list[Block] = [Line(line, "good") for line in steps_done] or [Line("there was nothing to remove", "good")]
    view += [Line(line, "faint") for line in ([_kept(places, named)] if kept else [])]
    view += [Line(line, "warning") for line in _to_do(unwrapped, running, places, kept)]
    removal_command = "" if named or failed else uninstall_steps.program_removal_command()
    view += [Line(f"the program itself is removed by: {removal_command}", "strong")] if removal_command else []
    files = [config_view.file_data(result) for result in results]
    data = {"done": steps_done, "kept": kept, "running": running, "files": files, "program": removal_command or None}
    code = max(config_view.exit_code(results), 1 if named or failed else 0)
    return Result("uninstall", data, view, code, notes=[*install_steps.failures(results), *failed])


def _agreed(places: Places) -> bool:
    """Asked before anything is done: who thinks again at this question has lost nothing."""
    where = f"{install_steps.short(places.config)}, {install_steps.short(places.state)}"
    return install_steps.at_terminal() and install_steps.agreed(
        f"delete policy and journal as well ({where})?", usual=False
    )


def _own_files(context: Context, named: list[str], *, delete: bool, backups: bool) -> tuple[list[str], list[str]]:
    """What was removed, and what could not be. What could not be unwrapped may still need its backup and record."""
    places = context.places
    steps_done: list[str] = []
    failed: list[str] = []
    steps: list[Callable[[], list[str]]] = [lambda: uninstall_steps.remove_launcher(context, named)]
    if backups:
        steps.insert(0, lambda: uninstall_steps.forget_logins(context))
    if backups and not named:
        steps.insert(0, lambda: uninstall_steps.remove_backups(context))
        steps.append(lambda: uninstall_steps.remove_remote(context))
    for step in steps:
        steps_done += _tried(step, failed)
    directories = list(uninstall_steps.removable_directories(places))
    if delete and not named and not failed:
        steps_done += _tried(lambda: uninstall_steps.remove_data(places), failed)
    uninstall_steps.remove_empty(directories)
    return steps_done, failed


def _tried(step: Callable[[], list[str]], failed: list[str]) -> list[str]:
    try:
        return step()
    except McpgovError as error:
        failed.append(str(error))
    except OSError as error:
        failed.append(f"cannot remove `{error.filename}`: {reason_of(error)}")
    return []


def _kept(places: Places, named: list[str]) -> str:
    there = " and ".join(install_steps.short(place) for place in (places.config, places.state) if place.exists())
    return f"kept {there}{' until every file is unwrapped' if named else '; to delete: mcpgov uninstall --yes'}"


def _to_do(unwrapped: list[str], running: list[str], places: Places, kept: bool) -> list[str]:
    if not running:
        return ["restart your AI apps: those that run still use the old entries"] if unwrapped else []
    again = "" if kept else f"; until then their calls are recorded in {install_steps.short(places.journal)} again"
    return [f"still running, and governed until their apps end: {', '.join(running)}", f"restart your AI apps{again}"]
