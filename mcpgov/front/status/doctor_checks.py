"""The checks of `mcpgov doctor`: each gives a level, a sentence, and what to type if something is wrong.

Law: a check never changes anything; one that fails to run is reported and does not stop the others.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mcpgov import __version__, reason_codes
from mcpgov.atomic_file import load_bytes
from mcpgov.configs.config_pass import FileResult, Worker
from mcpgov.daemon import file_modes
from mcpgov.daemon.status import model, problems, status_facts
from mcpgov.daemon.status.model import DaemonStatus, File, PolicyStatus, Problem, Server
from mcpgov.errors import McpgovError
from mcpgov.front.service.login_service import LoginService
from mcpgov.front.service.service_manager import UnitState
from mcpgov.places import Places, squatted
from mcpgov.reason_codes import CONTESTED

OK, WARNING, BAD = "ok", "warning", "bad"
LITTLE = 100 * 1024 * 1024  # bytes
FEW_WATCHES = 8192
INOTIFY = Path("/proc/sys/fs/inotify/max_user_watches")
LINGER = Path("/var/lib/systemd/linger")


@dataclass(frozen=True, slots=True)
class Check:
    """`name`: what was checked."""

    name: str
    level: str
    what: str
    hint: str = ""
    reason_code: str = ""


Checks = Iterator[Check]


def from_problem(name: str, problem: Problem) -> Check:
    """A problem of `status` as a check; a note becomes a warning here."""
    level = WARNING if problem.level == model.NOTE else problem.level
    return Check(name, level, problem.what, problem.hint, problem.reason_code)


def run_checks(name: str, checks: Callable[[], Checks]) -> list[Check]:
    results: list[Check] = []
    try:
        for check in checks():
            results.append(check)
    except (McpgovError, OSError) as error:
        details = (error.hint, error.reason_code) if isinstance(error, McpgovError) else ("", reason_codes.SYSTEM)
        results.append(Check(name, BAD, str(error), *details))
    return results


def places(paths: Places, policy: str = "") -> Checks:
    """Our files must be private: they decide what is allowed, and record what was done."""
    wrong = list(file_modes.unsafe(paths, policy))
    for each in wrong:
        yield Check("places", BAD, each.what, each.hint, reason_codes.UNSAFE_FILE)
    if taken := squatted(paths):
        message = f"another user has taken `{taken}`: the daemon's socket is in `{paths.socket.parent}` instead"
        yield Check("places", OK, message)
    if not wrong:
        yield Check("places", OK, "files and directories are yours alone")


def disk(paths: Places) -> Checks:
    problem = status_facts.journal_problem(paths)
    if problem:
        yield Check(
            "disk", BAD, f"the journal cannot be written: {problem.text}", problems.journal_hint(problem), problem.code
        )
        return
    place = next(path for path in (paths.journal, *paths.journal.parents) if path.exists())
    room = os.statvfs(place)
    free = room.f_bavail * room.f_frsize
    level = WARNING if room.f_blocks and free < LITTLE else OK
    hint = "make room: without it calls are denied" if level == WARNING else ""
    yield Check("disk", level, f"{free / 1e9:.1f} GB free for the journal", hint)


def launcher(paths: Places) -> Checks:
    problem = status_facts.launcher_problem(paths)
    if problem:
        yield Check("launcher", BAD, problems.launcher_text(problem), "mcpgov install", problem.code)
    else:
        yield Check("launcher", OK, f"`{paths.launcher}` starts version {__version__}")


def policy(status: PolicyStatus) -> Checks:
    for problem in problems.policy_problems(status):
        yield from_problem("policy", problem)
    for warning in status.warnings:
        yield Check("policy", WARNING, warning)
    if not status.error and status.revision:
        yield Check("policy", OK, f"revision {status.revision}, {status.rules} rules, default {status.default}")


def service(login: LoginService, state: UnitState, user: str, *, by_choice: bool = False) -> Checks:
    """`by_choice`: no daemon ever ran here, as after `install --no-service`."""
    if login.kind == "none":
        yield Check("service", WARNING, f"no login service: {login.reason}", "after every login: mcpgov daemon start")
        return
    about = f"{login.kind}: `{login.name}`"
    if state.status == "missing":
        yield Check("service", WARNING if by_choice else BAD, f"{about} is not installed", "mcpgov install")
        return
    level, detail = (OK, "") if state.status in ("active", "starting") else (BAD, f" ({state.detail})")
    yield Check("service", level, f"{about} is {state.status}{detail}", "" if level == OK else "mcpgov daemon restart")
    if not state.enabled:
        yield Check("service", BAD, f"{about} will not start at the next login", "mcpgov install")
    if login.kind == "systemd" and not (LINGER / user).exists():
        message = "it ends with your last session and starts again at the next login"
        yield Check("service", OK, f"{message}; `loginctl enable-linger` keeps it")


def daemon(status: DaemonStatus) -> Checks:
    for problem in problems.of_daemon(status, __version__):
        yield from_problem("daemon", problem)
    if status.state == model.RUNNING and status.version == __version__:
        yield Check("daemon", OK, f"version {status.version} answers, pid {status.pid}")


def services(kept: Sequence[model.KeptService]) -> Checks:
    """What the daemon keeps running and cannot."""
    for problem in problems.service_problems(kept):
        yield from_problem("daemon", problem)


def configs(
    worker: Worker,
    results: list[FileResult],
    known: Sequence[Mapping[str, Any]] = (),
    outside: Sequence[FileResult] = (),
) -> Checks:
    """`known`: the servers as the daemon knows them; `outside`: files of apps that are not in `clients`."""
    files = [status_facts.file_of(result) for result in results]
    for problem in (problems.file_problem(file) for file in files if file.problem):
        yield from_problem("configs", problem)
    read = sum(bool(result.states) for result in results)
    yield Check("configs", OK, f"{read} config file{'' if read == 1 else 's'} with servers")
    yield from _entries([*files, *map(status_facts.file_of, outside)], known)
    yield from _old_launchers(worker, results)


def _entries(files: list[File], known: Sequence[Mapping[str, Any]]) -> Checks:
    servers = [server for server in merge_servers(files, known) if server.transport == model.STDIO]
    titles = {file.client: file.title for file in files}
    for problem in problems.server_problems(servers, titles, {file.file for file in files if file.problem}):
        yield from_problem("entries", problem)
    for server in servers:
        if server.state == model.GOVERNED and server.reason:
            message = f"`{server.name}` in {titles[server.client]}: {server.reason}"
            yield Check("entries", WARNING, message, "change its entry where that is not meant")


def merge_servers(files: list[File], known: Sequence[Mapping[str, Any]]) -> Iterator[Server]:
    """The servers in the files, with the daemon's knowledge of which are contested or lost."""
    rows = {(row["file"], tuple(row["path"])): row for row in known}
    in_files = {(server.file, server.path): server for file in files for server in file.servers}
    for place, server in in_files.items():
        row = rows.get(place, {})
        contested = row.get("state") == model.CONTESTED and server.state == model.NATIVE
        yield (
            replace(server, state=model.CONTESTED, reason=str(row["reason"]), reason_code=CONTESTED)
            if contested
            else server
        )
    clients = {file.client for file in files}
    for place, row in rows.items():
        if row["state"] == model.LOST and place not in in_files and row["client"] in clients:
            yield Server(**{**row, "path": place[1]})


def _old_launchers(worker: Worker, results: list[FileResult]) -> Checks:
    """Entries that name an earlier launcher start nothing, or an old version."""
    old = worker.history.launchers() - {str(worker.home.launcher)}
    for result in results:
        text = _text(result.file) if old else ""
        for name in sorted(old):
            if name in text:
                yield Check("entries", BAD, f"`{result.file}` names the old launcher `{name}`", "mcpgov sync")


def _text(file: str) -> str:
    try:
        return load_bytes(file).decode("utf-8", "replace")
    except OSError:
        return ""


def watches() -> Checks:
    """Without inotify watches, changes are noticed only by the slow poll."""
    if sys.platform == "linux" and INOTIFY.exists():
        most = int(INOTIFY.read_text("ascii"))
        few = most < FEW_WATCHES
        hint = "sudo sysctl fs.inotify.max_user_watches=65536" if few else ""
        yield Check("watches", WARNING if few else OK, f"{most:,} inotify watches for this user", hint)


def processes(proxies: list[model.ProxyStatus], ungoverned: list[model.UngovernedServer]) -> Checks:
    orphans = [proxy for proxy in proxies if proxy.state == "orphan"]
    for proxy in orphans:
        told = f"the proxy of `{proxy.server}` (pid {proxy.pid}) has lost its client"
        yield Check("processes", WARNING, told, "mcpgov daemon start ends it; or `kill` it")
    for found in ungoverned:
        yield Check("processes", BAD, problems.ungoverned_text(found), f"restart {found.title}")
    if not orphans and not ungoverned:
        yield Check("processes", OK, "no orphans, no servers that run ungoverned")
