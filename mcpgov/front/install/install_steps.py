"""The steps of an install for one person; each returns what it did.

Laws: an impossible install is refused before anything changes; a repeated install changes nothing; launcher and policy
exist before an entry names them. `uninstall_steps` reverses all of it.
"""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Any

from mcpgov import host
from mcpgov.atomic_file import read_json, write_json
from mcpgov.configs.config_pass import FileResult
from mcpgov.configs.plan import WRAPPED
from mcpgov.daemon.status.model import RUNNING
from mcpgov.errors import McpgovError, PolicyError, UsageError
from mcpgov.front.commands import policy_compile
from mcpgov.front.context import Context, has_policy
from mcpgov.front.output import config_view
from mcpgov.front.output.config_view import title_of
from mcpgov.front.output.text import home_short, some
from mcpgov.front.result import Block, Line, visible
from mcpgov.front.safe_create import put_aside, write_new
from mcpgov.front.service import daemon_ops, login_service
from mcpgov.front.service.unit_text import unit_places
from mcpgov.places import Places
from mcpgov.policy.files import read_document
from mcpgov.policy.starter import starter

READY_WITHIN, PAUSE = 5.0, 0.05  # seconds
MADE = "directories.json"  # in the state directory: the directories that the install created
Seen = dict[str, Any]
Wait = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class InstallRequest:
    """The options of `install`; `profile` is used if there is no policy yet."""

    profile: str
    policy: Path | None
    service: bool


def short(path: Path | str) -> str:
    return home_short(str(path))


def at_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def agreed(question: str, *, usual: bool) -> bool:
    """Ask on standard error, since standard output may be JSON for a program; end of input means no."""
    sys.stderr.write(f"{question} [{'Y/n' if usual else 'y/N'}] ")
    sys.stderr.flush()
    answer = sys.stdin.readline()
    if not answer:
        sys.stderr.write("\n")
        return False
    word = answer.strip().lower()
    return word in ("y", "yes") or (usual and not word)


def agreed_to_rule(shown: Sequence[Block], hint: str) -> bool:
    if not at_terminal():
        raise UsageError("there is no terminal to ask on: nothing was written", hint=hint)
    for line in shown:
        sys.stderr.write(f"{visible(line.text)}\n" if isinstance(line, Line) else "")
    return agreed("write this rule?", usual=False)


def check(context: Context, wanted: InstallRequest) -> None:
    """Raises PolicyError if the policy cannot be used; nothing has been changed yet."""
    try:
        if wanted.policy is not None:
            _check_taken(context, wanted.policy)
        elif has_policy(context):
            context.compile().raise_errors()
    except PolicyError as error:
        hint = error.hint or _check_hint(wanted.policy)
        raise PolicyError(f"nothing was done, the policy cannot be used: {error}", hint=hint) from None


def _check_hint(given: Path | None) -> str:
    """The hint for a broken policy; empty for a missing file."""
    if given is None:
        return "mend it: mcpgov policy check"
    return f"mend it: mcpgov policy check --policy {quote(str(given))}" if given.exists() else ""


def _check_taken(context: Context, file: Path) -> None:
    """A policy that will be copied into the config directory must have the same meaning there."""
    context.compile(str(file)).raise_errors()
    chosen = context.settings.policy
    if chosen is not None and chosen != file:
        hint = "change that file, or take `policy` out of the settings"
        raise PolicyError(f"the settings name `{chosen}` as your policy", hint=hint)
    if file.suffix != ".json" and file != policy_target(context, file):
        for pattern in read_document(file, safe=False).options.include:
            if not os.path.isabs(os.path.expanduser(pattern)):
                hint = f'leave it where it is, and write into {short(context.places.settings_file)}: policy = "{file}"'
                raise PolicyError(f"`{file}` includes `{pattern}`, which would not be found from elsewhere", hint=hint)


def policy_target(context: Context, file: Path) -> Path:
    """Where a given policy is copied to; the suffix decides how it is read."""
    name = "rules.json" if file.suffix == ".json" else "policy.toml"
    return context.settings.policy or context.places.config / name


def policies_replaced(context: Context, file: Path) -> list[Path] | None:
    """The policies that this one replaces; None if it is in use already."""
    target, config = policy_target(context, file), context.places.config
    same = target == file or (target.is_file() and target.read_bytes() == file.read_bytes())
    if same and context.policy_path(None) == target:
        return None
    candidates = (config / "policy.toml", config / "rules.json")
    return [path for path in candidates if os.path.lexists(path) and not (same and path == target)]


def prepare(context: Context, wanted: InstallRequest) -> tuple[list[str], bool]:
    """Write launcher and policy, before any entry names them; also returns whether the launcher is new."""
    remember_made(context.places)
    new = context.ensure_launcher()
    steps_done = [f"wrote the launcher to {short(context.places.launcher)}"] if new else []
    steps_done += (
        _starter(context, wanted.profile) if wanted.policy is None else _install_policy(context, wanted.policy)
    )
    policy_compile.run(Namespace(policy=None, narrow=None), context)
    return steps_done, new


def _starter(context: Context, profile: str) -> list[str]:
    if has_policy(context):
        return []
    target = context.policy_path(None)
    write_new(target, starter(profile))
    return [f"wrote the {profile} policy to {short(target)}"]


def _install_policy(context: Context, file: Path) -> list[str]:
    old = policies_replaced(context, file)
    if old is None:
        return []
    target = policy_target(context, file)
    # The new file is written first: a full disk must not leave a person without a policy.
    draft = target.with_name(f"{target.name}.{os.getpid()}")
    write_new(draft, file.read_bytes().decode("utf-8"))
    steps_done = [f"the old policy is now {short(put_aside(path))}" for path in old]
    draft.rename(target)
    return [*steps_done, f"took {short(file)} as your policy, {short(target)}"]


def own_directories(places: Places) -> list[Path]:
    """Every directory that an install may create, deepest first, none above the home or the root."""
    top = places.root or Path(host.home())
    deepest = [places.config, places.runtime, places.state, places.launcher.parent]
    if places.root is None:
        deepest += [Path(unit).parent for unit in unit_places(host.home(), os.environ, None) if "wants" not in unit]
    directories = [place for tip in deepest for place in (tip, *tip.parents) if place.is_relative_to(top)]
    below = [place for place in dict.fromkeys(directories) if place != top or places.root is not None]
    return sorted(below, key=lambda place: -len(place.parts))


def remember_made(places: Places) -> None:
    """Record the directories that do not exist yet: uninstall removes only those."""
    new = [str(place) for place in own_directories(places) if not place.exists()]
    if new:
        write_json(places.state / MADE, {**read_json(places.state / MADE), **dict.fromkeys(new, True)})


def wrap(context: Context) -> tuple[list[str], list[FileResult]]:
    worker = context.worker()
    results = config_view.with_retries([partial(worker.sync, source) for source in worker.sources()])
    return change_sentences(results, WRAPPED), results


def change_sentences(results: Sequence[FileResult], verb: str) -> list[str]:
    """One sentence per file."""
    sentences = []
    for result in results:
        names = [entry.name for entry in result.entries if entry.result == verb]
        if names:
            sentences.append(f"{verb} {some(names)} of {title_of(result.client)} ({short(result.file)})")
    return sentences


def failures(results: Sequence[FileResult]) -> list[str]:
    """One sentence per file that could not be changed."""
    hints = ((result, f" ({result.hint})" if result.hint else "") for result in results if result.code)
    return [f"{short(result.file)}: left as it is: {result.reason}{hint}" for result, hint in hints]


def start_daemon(context: Context, *, fresh: bool) -> tuple[list[str], list[str]]:
    """Start the daemon, through the login service if there is one; returns what was done, and notes.

    `fresh`: the launcher is new, so a running daemon belongs to an older installation.
    """
    places = context.places
    service = login_service.which(places)
    if service.unit is None:
        running = daemon_ops.start(places, service=None)
        if not running.how and (fresh or daemon_ops.other_version(running)):
            daemon_ops.stop(places, service=None)
            running = daemon_ops.start(places, service=None)
        steps_done = [f"started the daemon (pid {running.pid})"] if running.how else []
        return steps_done, []
    holder = daemon_ops.lock_holder(places)
    if holder is not None and holder.pid != login_service.state(service).pid:
        daemon_ops.stop(places, service=None)  # a daemon started by hand would block the service's
    steps_done = login_service.install(service, places)
    running = daemon_ops.start(places, service=service)
    if not steps_done and (fresh or daemon_ops.other_version(running)):
        login_service.restart(service)
        steps_done, running = ["restarted the service"], daemon_ops.start(places, service=service)
    return [*steps_done, f"the daemon answers (pid {running.pid})"] if steps_done else [], []


def try_to_start_daemon(context: Context, *, fresh: bool) -> tuple[list[str], list[str], list[str]]:
    """As `start_daemon`, with failures as sentences: servers are governed without a daemon too."""
    try:
        return *start_daemon(context, fresh=fresh), []
    except McpgovError as error:
        return [], [], [f"{error}{f' ({error.hint})' if error.hint else ''}"]


def wait_for_status(
    look: Callable[[], Seen], results: Sequence[FileResult], clock: Callable[[], float], wait: Wait
) -> Seen:
    """Poll until the status is complete: a new daemon needs a moment to read all files."""
    named = {state.name for result in results for state in result.states}
    end = clock() + READY_WITHIN
    while True:
        seen = look()
        known = {row["name"] for row in seen["servers"]}
        ready = named <= known and seen["policy"].get("revision") and seen["looked"]
        if ready or seen["daemon"]["state"] != RUNNING or clock() > end:
            return seen
        wait(PAUSE)
