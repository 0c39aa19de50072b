"""A status for the command line: the daemon's, or one made here if the daemon does not answer.

Law: there is always a status; what cannot be found out becomes a problem in it, not an error instead of it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mcpgov import __version__
from mcpgov.configs.config_pass import FileResult
from mcpgov.configs.locations import projects
from mcpgov.daemon import instance_lock
from mcpgov.daemon.control import line_client
from mcpgov.daemon.processes.supervisor import Supervisor
from mcpgov.daemon.status import model, status, status_facts
from mcpgov.daemon.status.model import DaemonStatus, KeptService, PolicyStatus, ProxyStatus, UngovernedServer
from mcpgov.daemon.watching.project_servers import ProjectServers, UnmanagedApps
from mcpgov.errors import McpgovError, SettingsError
from mcpgov.front.context import Context
from mcpgov.front.service import login_service
from mcpgov.front.service.login_service import LoginService
from mcpgov.front.service.service_manager import UnitState
from mcpgov.front.status import fast_status
from mcpgov.reason_codes import POLICY


class LocalStatus:
    """Makes a status each time `look` is called."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._places = context.places
        self._gatherer = status_facts.FactsCollector(context.places)
        self._service: tuple[LoginService, UnitState] | None = None
        self._hint = ""  # of the settings' error
        self._head: Mapping[str, object] | None = None  # of the policy, where it could be compiled just now

    def look(self) -> dict[str, Any]:
        """What `status --json` prints."""
        text, silent = self._ask()
        if text is None:
            text = status.envelope(status.build(self._facts(silent)))
        data: dict[str, Any] = json.loads(text)
        return data

    def _ask(self) -> tuple[str | None, bool]:
        """The daemon's answer; without one, whether there is a daemon that is silent."""
        socket = str(self._places.socket)
        if socket in fast_status.unanswered:
            fast_status.unanswered.discard(socket)  # only the first time: later it may answer again
            return None, True
        try:
            return fast_status.ask(socket), True
        except line_client.NoAnswer:
            return None, True
        except line_client.ControlError:
            return None, False

    def daemon(self) -> DaemonStatus:
        text, silent = self._ask()
        if text is None:
            return self._without(silent)
        row = json.loads(text)["daemon"]
        return DaemonStatus(**{name: row[name] for name in DaemonStatus.__slots__ if name in row})

    def _without(self, silent: bool) -> DaemonStatus:
        """The daemon's state when it does not answer."""
        service, unit = self.service()
        try:
            holder = instance_lock.holder(self._places.runtime / instance_lock.FILE)
        except McpgovError:
            holder = None  # `doctor` reports what is wrong with the directory
        kind = service.kind if unit.status != "missing" else "none"
        if holder is not None or silent:
            held = holder or instance_lock.Holder()
            return DaemonStatus(model.NOT_ANSWERING, held.pid or None, held.version, None, kind)
        installed = unit.status != "missing" or self._places.launcher.exists()
        if not installed:
            return DaemonStatus(model.NOT_INSTALLED)
        # A daemon leaves its lock file behind, however it ends.
        never = unit.status == "missing" and not (self._places.runtime / instance_lock.FILE).exists()
        return DaemonStatus(model.STOPPED, service=kind, by_choice=never)

    def service(self) -> tuple[LoginService, UnitState]:
        if self._service is None:
            login = login_service.which(self._places)
            try:
                self._service = login, login_service.state(login)
            except McpgovError as error:
                self._service = login, UnitState("missing", detail=str(error))
        return self._service

    def reports(self) -> tuple[list[FileResult], str]:
        """Every config file, and the settings' error if they are broken."""
        try:
            worker = self._context.worker()
        except SettingsError as error:
            self._hint = error.hint
            return [], str(error)
        return [worker.look(source) for source in worker.sources()], ""

    def aside(self) -> list[FileResult]:
        """Servers that we leave alone: in projects' own files, and of apps outside `clients`."""
        try:
            worker = self._context.worker()
        except SettingsError:
            return []
        return [*UnmanagedApps().look(worker), *ProjectServers().look(worker, projects(worker.home))]

    def outside(self) -> list[FileResult]:
        """Servers of apps outside `clients`; the settings must be valid."""
        return UnmanagedApps().look(self._context.worker())

    def known(self) -> list[dict[str, Any]]:
        """The servers as the daemon knows them; it alone knows which are contested or lost."""
        text, _ = self._ask()
        return list(json.loads(text)["servers"]) if text else []

    def services(self) -> list[KeptService]:
        """What the daemon keeps running, as it says."""
        text, _ = self._ask()
        rows = json.loads(text).get("services", []) if text else []
        return [KeptService(**{name: row[name] for name in KeptService.__slots__ if name in row}) for row in rows]

    def listener(self) -> dict[str, Any] | None:
        """The service of remote servers as the daemon knows it; None where no daemon answers."""
        text, _ = self._ask()
        return (json.loads(text).get("listener") or {}) if text else None

    def policy(self) -> PolicyStatus:
        """The policy in force is the compiled file that proxies load; errors in its text show by compiling it."""
        force, self._head = status_facts.policy_in_force(self._places), None
        try:
            file = str(self._context.policy_path(None))
            compiled = self._context.compile()
        except SettingsError:
            return force  # the broken settings are reported themselves
        except McpgovError as error:
            return replace(force, error=str(error), reason_code=error.reason_code)
        errors = [f"{problem.file}:{problem.line}: {problem.message}" for problem in compiled.errors]
        if errors:
            more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
            return replace(force, file=file, error=f"{errors[0]}{more}", reason_code=POLICY)
        warnings = tuple(f"{problem.file}:{problem.line}: {problem.message}" for problem in compiled.warnings)
        rules = sum(draft.enabled for draft in compiled.drafts)
        # A proxy compiles a changed policy before it judges the next call, so this one is in force.
        self._head = status_facts.head_of(compiled.text)
        return PolicyStatus(file, True, compiled.revision, compiled.default, rules, warnings)

    def _facts(self, silent: bool) -> model.Facts:
        reports, settings = self.reports()
        proxies, ungoverned = self.processes(reports)
        known = model.Facts(
            time.time(), self._without(silent), self.policy(), proxies=tuple(proxies), ungoverned=tuple(ungoverned),
            settings=settings, asked_by=__version__, settings_hint=self._hint,
        )  # fmt: skip
        return self._gatherer.complete(known, [*reports, *self.aside()], self._head)

    def processes(self, reports: list[FileResult]) -> tuple[list[ProxyStatus], list[UngovernedServer]]:
        """Proxies and ungoverned servers run without a daemon, too."""
        median = self._gatherer.journal_tail().p50
        supervisor = Supervisor(str(self._places.launcher), str(self._places.journal))
        states = [entry for report in reports for entry in report.states]
        try:
            return supervisor.report(median), supervisor.ungoverned(states)
        except (OSError, McpgovError):
            return [], []
