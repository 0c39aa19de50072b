"""Installing and removing mcpgov for one person: the steps, each saying what it did.

Laws: doing it twice is doing it once. What is removed is ours; a launcher that some file still names stays, as a
message.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcpgov import machine
from mcpgov.configs import backups
from mcpgov.configs.clients import BY_NAME
from mcpgov.configs.plan import UNWRAPPED, WRAP, WRAPPED
from mcpgov.configs.work import CHANGED, FileResult
from mcpgov.daemon.model import RUNNING
from mcpgov.errors import McpgovError, PolicyError
from mcpgov.front import daemon_ops, units
from mcpgov.front.commands import policy_compile
from mcpgov.front.config_view import title_of
from mcpgov.front.context import Context, has_policy
from mcpgov.front.launcher import EXIT_GONE, GONE, WHAT_TO_DO, bundle_path
from mcpgov.front.newfile import put_aside, write_new
from mcpgov.front.policy_view import count, home_short
from mcpgov.front.units import Service
from mcpgov.ownfile import replace_file
from mcpgov.places import Places
from mcpgov.policy.starter import starter

READY_WITHIN, PAUSE = 5.0, 0.05
Seen = dict[str, Any]
Wait = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What `install` was asked for."""

    profile: str
    policy: Path | None
    service: bool


def short(path: Path | str) -> str:
    return home_short(str(path))


# --- installing


def planned(context: Context, wanted: Wanted) -> list[tuple[str, str]]:
    """Every file that would be made or changed, and why; nothing is written for this."""
    places = context.places
    found = [(str(places.launcher), "the launcher that entries name")]
    bundle = bundle_path(places)
    if bundle is not None:
        found.append((str(bundle), "the launcher's modules in one file"))
    if wanted.policy is not None or not has_policy(context):
        found.append((str(context.policy_path(None)), "your policy"))
    found.append((str(places.state) + "/", "journal, backups, history, compiled rules: ours alone"))
    if wanted.service:
        service = units.which(places)
        found += [(str(path), f"the login service ({service.kind})") for path in units.planned(service, places)]
    worker = context.worker()
    for source in worker.sources():
        result = worker.preview(source, WRAP)
        if result.result == CHANGED:
            names = ", ".join(entry.name for entry in result.entries if entry.result == WRAPPED)
            found.append((str(source.file), f"{source.client.title}: wraps {names}"))
            found.append((f"{source.file}.bak", "what it was before, unless such a file is there"))
    return found


def prepare(context: Context, wanted: Wanted) -> list[str]:
    """Launcher and policy: what must be there before an entry names us."""
    said = [f"wrote the launcher to {short(context.places.launcher)}"] if context.ensure_launcher() else []
    said += _policy(context, wanted)
    policy_compile.run(Namespace(policy=None, narrow=None), context)
    return said


def _policy(context: Context, wanted: Wanted) -> list[str]:
    target = context.policy_path(None)
    if wanted.policy is None:
        if has_policy(context):
            return []
        write_new(target, starter(wanted.profile))
        return [f"wrote the {wanted.profile} policy to {short(target)}"]
    context.compile(str(wanted.policy)).raise_errors()
    try:
        text = wanted.policy.read_text("utf-8")
    except OSError as error:
        raise PolicyError(f"cannot read `{wanted.policy}`: {(error.strerror or str(error)).lower()}") from None
    if target.exists() and target.read_text("utf-8") == text:
        return []
    said = []
    if os.path.lexists(target):
        said.append(f"the old policy is now {short(put_aside(target))}")
    write_new(target, text)
    return [*said, f"took {short(wanted.policy)} as your policy, {short(target)}"]


def wrap(context: Context) -> tuple[list[str], list[FileResult]]:
    worker = context.worker()
    results = [worker.sync(source) for source in worker.sources()]
    return _told(results, WRAPPED), results


def _told(results: Sequence[FileResult], verb: str) -> list[str]:
    said = []
    for result in results:
        names = [entry.name for entry in result.entries if entry.result == verb]
        if names:
            said.append(f"{verb} {', '.join(names)} of {title_of(result.client)} ({short(result.file)})")
    return said


def serve(context: Context, wanted: Wanted) -> tuple[list[str], list[str]]:
    """The daemon, by a login service where there is one; what was done, and what to know."""
    if not wanted.service:
        return [], ["no login service, as you asked: `mcpgov sync` wraps new servers by hand"]
    places = context.places
    service = units.which(places)
    if service.unit is None:
        running = _fresh(places)
        said = [f"started the daemon (pid {running.pid})"] if running.how else []
        return said, [f"it will not survive a logout: {service.reason}"]
    if daemon_ops.installed(places) is None:
        daemon_ops.stop(places, service=None)  # one that was started by hand would keep the service's out
    said = units.install(service, places)
    running = daemon_ops.start(places, service=service)
    return [*said, f"the daemon answers (pid {running.pid})"] if said else [], []


def _fresh(places: Places) -> daemon_ops.Running:
    """A running daemon of this version."""
    running = daemon_ops.start(places, service=None)
    if daemon_ops.other_version(running):
        daemon_ops.stop(places, service=None)
        running = daemon_ops.start(places, service=None)
    return running


def settled(look: Callable[[], Seen], results: Sequence[FileResult], clock: Callable[[], float], wait: Wait) -> Seen:
    """A status from a daemon that has looked around: it needs a moment after its start."""
    named = {state.name for result in results for state in result.states}
    end = clock() + READY_WITHIN
    while True:
        seen = look()
        known = {row["name"] for row in seen["servers"]}
        if (named <= known and seen["policy"].get("revision")) or seen["daemon"]["state"] != RUNNING or clock() > end:
            return seen
        wait(PAUSE)


# --- removing


def end_service(context: Context) -> list[str]:
    places = context.places
    service: Service = units.which(places)
    said = units.uninstall(service, places)
    ended = daemon_ops.stop(places, service=None)
    return [*said, *([f"stopped the daemon (pid {ended.pid})"] if ended.pid else [])]


def unwrap(context: Context) -> tuple[list[str], list[FileResult]]:
    """Every client, enabled or not, and every file we ever looked into."""
    worker = context.worker([*BY_NAME])
    results = [worker.unwrap(source) for source in worker.with_known(worker.sources())]
    return _told(results, UNWRAPPED), results


def still_named(context: Context) -> list[str]:
    """Config files in which the launcher is still named."""
    worker, mark = context.worker([*BY_NAME]), str(context.places.launcher).encode()
    found = []
    for source in worker.with_known(worker.sources()):
        with contextlib.suppress(OSError):
            if mark in source.file.read_bytes():
                found.append(str(source.file))
    return found


def remove_backups(context: Context) -> list[str]:
    removed = backups.remove_made(context.places.state)
    return [f"removed {count(len(removed), 'backup')} beside configs"] if removed else []


def remove_launcher(context: Context, named: Sequence[str]) -> list[str]:
    """Entries that still name it must hear what to do; otherwise it goes."""
    path = context.places.launcher
    if named:
        if path.exists():
            replace_file(path, message().encode(), 0o755)
        return [f"left {short(path)} as a message: {short(named[0])} still names it"]
    there = path.exists()
    path.unlink(missing_ok=True)
    for bundle in path.parent.glob("hot-*.bin"):
        bundle.unlink(missing_ok=True)
    _remove_empty(path.parent, path.parent.parent)  # the rest of them with the data
    return [f"removed the launcher {short(path)}"] if there else []


def message() -> str:
    return f"#!/bin/sh\necho '{GONE}' >&2\necho '{WHAT_TO_DO}' >&2\nexit {EXIT_GONE}\n"


def remove_data(context: Context) -> list[str]:
    """Policy, settings, journal, history, backups: everything of ours that is left."""
    places = context.places
    said = []
    for place in (places.config, places.state, places.runtime, places.socket.parent):
        if place.is_dir() and not place.is_symlink():
            try:
                shutil.rmtree(place)
            except OSError as error:
                raise McpgovError(f"cannot remove `{place}`: {(error.strerror or str(error)).lower()}") from None
            said.append(f"removed {short(place)}")
    _remove_parents(places)
    return said


def _remove_parents(places: Places) -> None:
    """Directories that were made for us and hold nothing now; the home, or a trial's root, is the last."""
    for place in (places.config, places.state, places.launcher.parent):
        last = places.root or Path(machine.home())
        above = [parent for parent in place.parents if parent.is_relative_to(last) and parent != last]
        _remove_empty(*above)
    if places.root is not None:
        _remove_empty(places.root)


def _remove_empty(*places: Path) -> None:
    for place in places:
        with contextlib.suppress(OSError):
            place.rmdir()
