"""The steps of an uninstall; each returns what it did.

Laws: only our own files are removed, and directories that the install created; a launcher that some file still names is
replaced by a message, and our records stay so that the uninstall can be finished later.
"""

from __future__ import annotations

import contextlib
import fnmatch
import json
import os
import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import mcpgov
from mcpgov.atomic_file import load_bytes, read_json, replace_file
from mcpgov.configs.clients import BY_NAME
from mcpgov.configs.config_pass import BUSY, CHANGED, FAILED, FileResult, Worker
from mcpgov.configs.files import backups
from mcpgov.configs.locations import ConfigSource
from mcpgov.configs.plan import GOVERNED, UNWRAP, UNWRAPPED
from mcpgov.daemon.processes.supervisor import Supervisor
from mcpgov.errors import McpgovError, reason_of
from mcpgov.front.context import Context
from mcpgov.front.install import install_steps
from mcpgov.front.install.bundle import BUNDLES
from mcpgov.front.install.install_steps import short
from mcpgov.front.install.launcher import EXIT_GONE, GONE, WHAT_TO_DO
from mcpgov.front.output import config_view
from mcpgov.front.output.text import count
from mcpgov.front.service import daemon_ops, login_service
from mcpgov.places import APP, Places
from mcpgov.remote_servers import load_servers

INSTALLED = ".mcpgov-install"  # in an environment that scripts/install made: where the link to its command is
# Our files in a directory that may contain others: a trial's root may be anywhere.
OWN = (
    *("settings.toml", "policy.toml", "policy.toml.old", "policy.toml.old.[0-9]*"),
    *("rules.json", "rules.json.old", "rules.json.old.[0-9]*"),
    *("journal", "heads", "backups", "history", "originals", "compiled", "tools", "daemon", "log", "locks", "remote"),
    *("ledger.sqlite", "ledger.sqlite[-.]*", "clean-lines", "salt", "lock.json", "serve", "page"),
    *("run", "daemon.sock", "daemon.lock", install_steps.MADE),
)


def has_data(places: Places) -> bool:
    return any(_own_files(place, places) for place in _places(places))


def end_service(context: Context) -> list[str]:
    places = context.places
    steps_done = login_service.uninstall(login_service.which(places), places)
    ended = daemon_ops.stop(places, service=None)
    return [*steps_done, *([f"stopped the daemon (pid {ended.pid})"] if ended.pid else [])]


# --- the clients' files


def unwrap(context: Context) -> tuple[list[FileResult], list[str]]:
    """Unwrap every file that has a wrap; returns the results and the files that still name the launcher."""
    worker = context.worker([*BY_NAME])
    sources = worker.with_known(worker.sources())
    ids = [*load_servers(context.places.remote_servers)]
    wrapped_sources = [source for source in sources if _has_wraps(worker, source, ids)]
    results = config_view.with_retries([partial(worker.unwrap, source) for source in wrapped_sources])
    return results, [str(source.file) for source in wrapped_sources if _has_wraps(worker, source, ids)]


def unwrapped(results: Sequence[FileResult]) -> list[str]:
    return install_steps.change_sentences(results, UNWRAPPED)


def _has_wraps(worker: Worker, source: ConfigSource, ids: Sequence[str]) -> bool:
    """Checked without writing: a file that we never changed gets no history or lock now. `ids`: of remote servers."""
    result, launcher = worker.preview(source, UNWRAP), str(worker.home.launcher)
    if result.result in (FAILED, BUSY):
        return _mentions(source.file, [launcher, *ids], str(source.file) in worker.history.files())
    # A wrap changed by hand cannot be undone, but it still starts the launcher.
    by_hand = any(launcher in word for state in result.states for word in state.argv)
    return result.result == CHANGED or by_hand or any(state.state == GOVERNED for state in result.states)


def _mentions(file: Path, names: Sequence[str], known: bool) -> bool:
    """For an invalid file: does it contain the launcher's path, or a remote server's id?

    `known`: the answer if it cannot be read.
    """
    try:
        data = load_bytes(file)
    except FileNotFoundError:
        return False
    except OSError:
        return known
    spelt = {
        text for name in names for text in (name, json.dumps(name)[1:-1], json.dumps(name, ensure_ascii=False)[1:-1])
    }
    return any(os.fsencode(text) in data for text in spelt)


def still_running(context: Context) -> list[str]:
    """The servers that still run behind a proxy, started by the old entries."""
    try:
        facts = Supervisor(str(context.places.launcher), str(context.places.journal)).report()
    except (OSError, McpgovError):
        return []
    return sorted({fact.server for fact in facts})


# --- our own files


def forget_logins(context: Context) -> list[str]:
    """The tokens of remote servers, out of the keyring as well: no other program knows that they are there."""
    if not context.places.remote_tokens.is_dir():
        return []
    from mcpgov.login import token_store  # loads the keyring's libraries

    return token_store.forget_all(context.places)


def remove_backups(context: Context) -> list[str]:
    removed = backups.remove_side_backups(context.places.state)
    return [f"removed {count(len(removed), 'backup')} beside configs"] if removed else []


def remove_remote(context: Context) -> list[str]:
    """What is kept of remote servers, once no file leads to them through us."""
    place = context.places.remote_servers.parent
    if not place.is_dir():
        return []
    _remove(place)
    return ["removed what was kept of remote servers"]


def remove_launcher(context: Context, named: Sequence[str]) -> list[str]:
    """Remove the launcher, or replace it by a message if entries still name it."""
    path = context.places.launcher
    there = os.path.lexists(path)
    if named:
        replace_file(path, launcher_message().encode(), 0o755)
    else:
        path.unlink(missing_ok=True)
    for bundle in path.parent.glob(BUNDLES):
        bundle.unlink(missing_ok=True)
    if named:
        return [f"left {short(path)} as a message: {short(named[0])} still names it"]
    return [f"removed the launcher {short(path)}"] if there else []


def launcher_message() -> str:
    """The script that replaces the launcher: it tells on standard error what to do."""
    lines = "".join(f"echo {shlex.quote(text)} >&2\n" for text in (GONE, WHAT_TO_DO))
    return f"#!/bin/sh\n{lines}exit {EXIT_GONE}\n"


def remove_data(places: Places) -> list[str]:
    """Remove policy, settings, journal, history and copies."""
    steps_done = []
    for place in _places(places):
        own_files = _own_files(place, places)
        for path in own_files:
            _remove(path)
        if own_files:
            steps_done.append(f"removed {short(place)}")
    return steps_done


def _places(places: Places) -> list[Path]:
    """Our directories; the state directory last: it records which ones the install created."""
    apart = [place for place in (places.runtime, places.socket.parent) if not place.is_relative_to(places.state)]
    return list(dict.fromkeys((places.config, *apart, places.state)))


def _own_files(place: Path, places: Places) -> list[Path]:
    """Our files in a directory: all of them if the directory is ours; never the running program."""
    if place.is_symlink() or not place.is_dir():
        return []
    program = [Path(os.path.abspath(sys.prefix)), Path(mcpgov.__file__).resolve()]
    whole = _named_ours(place, places) or str(place) in read_json(places.state / install_steps.MADE)
    return [
        path
        for path in sorted(place.iterdir(), key=lambda path: (path.name == install_steps.MADE, path.name))
        if (whole or any(fnmatch.fnmatchcase(path.name, name) for name in OWN))
        and path != places.launcher.parent
        and not any(file.is_relative_to(path) for file in program)
    ]


def _named_ours(place: Path, places: Places) -> bool:
    """Is the directory ours by its name? A trial's directories have common names, except a short socket directory."""
    moved = not places.socket.is_relative_to(places.runtime) and place == places.socket.parent
    return moved or (places.root is None and place.name == APP)


def _remove(path: Path) -> None:
    try:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise McpgovError(f"cannot remove `{path}`: {reason_of(error)}") from None


def program_removal_command() -> str:
    """The command that removes what scripts/install created: the running environment and the link to it."""
    venv = Path(os.path.abspath(sys.prefix))
    try:
        link = Path((venv / INSTALLED).read_text("utf-8").strip())
    except OSError:
        return ""  # not created by scripts/install
    alone = venv.parent.name == APP and {path.name for path in venv.parent.iterdir()} <= {venv.name}
    gone = [venv.parent if alone else venv]
    if link.is_symlink() and os.path.realpath(link.readlink().parent) == os.path.realpath(venv / "bin"):
        gone.append(link)
    return "rm -rf " + " ".join(shlex.quote(str(path)) for path in gone)


def removable_directories(places: Places) -> Iterator[Path]:
    """The directories to remove once they are empty: those of our name, and those that the install created.

    To be called before the data is removed: the list of created directories is part of it.
    """
    made = read_json(places.state / install_steps.MADE)
    for place in (places.socket.parent, *install_steps.own_directories(places)):
        if _named_ours(place, places) or str(place) in made:
            yield place


def remove_empty(directories: Sequence[Path]) -> None:
    for place in directories:
        with contextlib.suppress(OSError):
            place.rmdir()
