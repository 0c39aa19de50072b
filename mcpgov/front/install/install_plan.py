"""Every file that an install would create, change or remove, and why. Law: nothing is written here."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from mcpgov.atomic_file import read_bytes
from mcpgov.configs.config_pass import CHANGED, FileResult, Worker
from mcpgov.configs.files import backups
from mcpgov.configs.locations import ConfigSource
from mcpgov.configs.plan import ALREADY, WRAP, WRAPPED
from mcpgov.daemon.status import status_facts
from mcpgov.daemon.status.model import Problem
from mcpgov.daemon.status.problems import server_problems
from mcpgov.daemon.watching.project_servers import UnmanagedApps
from mcpgov.front.context import Context, has_policy
from mcpgov.front.install import install_steps
from mcpgov.front.install.bundle import BUNDLES
from mcpgov.front.install.install_steps import InstallRequest
from mcpgov.front.install.launcher import bundle_path, launcher_text
from mcpgov.front.output.text import some
from mcpgov.front.safe_create import old_name
from mcpgov.front.service import login_service
from mcpgov.places import Places


@dataclass(frozen=True, slots=True)
class PlannedChange:
    """A file; a path that ends in `/` is a directory of ours with its contents."""

    file: str
    why: str
    ours: bool = True


@dataclass(frozen=True, slots=True)
class InstallPlan:
    """`left`: files that need a change but refuse it; `outside`: servers of apps that are not in `clients`."""

    touches: tuple[PlannedChange, ...]
    left: tuple[FileResult, ...]
    outside: tuple[Problem, ...] = ()


def planned(context: Context, wanted: InstallRequest) -> InstallPlan:
    worker = context.worker()
    previews = [(source, worker.preview(source, WRAP)) for source in worker.sources()]
    changed = [
        touch for source, result in previews if result.result == CHANGED for touch in _config(worker, source, result)
    ]
    touches = [*_launcher(context), *_policy(context, wanted), *_state(context.places, wanted)]
    if wanted.service:
        touches += _service(context.places)
    refused = tuple(result for _, result in previews if result.code)
    return InstallPlan((*touches, *changed), refused, tuple(_outside(worker)))


def _outside(worker: Worker) -> list[Problem]:
    """Servers that stay unprotected because their app is not in `clients`, with the command to type."""
    files = [status_facts.file_of(result) for result in UnmanagedApps().look(worker)]
    servers = [server for file in files for server in file.servers]
    return server_problems(servers, {file.client: file.title for file in files}, ())


def _launcher(context: Context) -> Iterator[PlannedChange]:
    places, bundle = context.places, bundle_path(context.places)
    text = launcher_text(places, context.settings)
    if read_bytes(places.launcher) == text.encode("utf-8") and (bundle is None or bundle.exists()):
        return
    yield PlannedChange(str(places.launcher), "the launcher that entries name")
    if bundle is not None:
        yield PlannedChange(str(bundle), "the launcher's modules in one file")
    for old in sorted(places.launcher.parent.glob(BUNDLES)):
        if old != bundle:
            yield PlannedChange(str(old), "the modules of an older version: removed")


def _policy(context: Context, wanted: InstallRequest) -> Iterator[PlannedChange]:
    if wanted.policy is None:
        if not has_policy(context):
            yield PlannedChange(str(context.policy_path(None)), f"your policy: the {wanted.profile} starter")
        return
    old = install_steps.policies_replaced(context, wanted.policy)
    if old is None:
        return
    for path in old:
        yield PlannedChange(str(old_name(path) or path), "your old policy, kept")
        yield PlannedChange(str(path), "makes way for the new policy")
    yield PlannedChange(str(install_steps.policy_target(context, wanted.policy)), "your policy")


def _state(places: Places, wanted: InstallRequest) -> Iterator[PlannedChange]:
    yield PlannedChange(f"{places.state}/", "journal, backups, history, compiled rules")
    if wanted.service:
        for place in dict.fromkeys((places.runtime, places.socket.parent)):
            if not place.is_relative_to(places.state):
                yield PlannedChange(f"{place}/", "the daemon's socket and lock")


def _service(places: Places) -> Iterator[PlannedChange]:
    service = login_service.which(places)
    for path in login_service.planned(service, places):
        if path != service.unit and os.path.lexists(path):
            continue
        if path == service.unit and read_bytes(path) == login_service.render(service, places).encode():
            continue
        yield PlannedChange(str(path), f"the login service ({service.kind})")


def _config(worker: Worker, source: ConfigSource, result: FileResult) -> Iterator[PlannedChange]:
    names = some([entry.name for entry in result.entries if entry.result == WRAPPED])
    # A link's target changes, not the link.
    file = os.path.realpath(source.file) if source.file.is_symlink() else str(source.file)
    yield PlannedChange(file, f"{source.client.title}: wraps {names}", ours=False)
    beside = backups.next_side_backup(worker.home.state, source.file)
    wrapped = any(entry.result == ALREADY for entry in result.entries)
    if source.user_level and not wrapped and beside is not None:
        yield PlannedChange(str(beside), "what it was before", ours=False)
