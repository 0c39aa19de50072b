"""The daemon's parts, put together.

Laws: what breaks in one part stops no other; a daemon that nobody can find any more touches nothing and ends.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from mcpgov import __version__
from mcpgov.daemon.approvals.runtime.approvals import Approvals
from mcpgov.daemon.callers.gate import Gate
from mcpgov.daemon.children import services
from mcpgov.daemon.children.service import NOT_NEEDED
from mcpgov.daemon.children.services import Services
from mcpgov.daemon.control import requests
from mcpgov.daemon.control.dispatch import Dispatcher, Handler
from mcpgov.daemon.control.link_calls import LinkCall
from mcpgov.daemon.control.listener import Listener
from mcpgov.daemon.control.proxy_links import Links
from mcpgov.daemon.control.replies import Caller
from mcpgov.daemon.control.requests import ControlRequest, StatusAnswer, StatusRequest
from mcpgov.daemon.control.status_requests import StatusRequests
from mcpgov.daemon.desktop_notify import DesktopNotifier
from mcpgov.daemon.heads_keeper import HeadKeeper
from mcpgov.daemon.ledger_keeper import LedgerKeeper
from mcpgov.daemon.lender_service import LenderService
from mcpgov.daemon.log import LEVELS, Log
from mcpgov.daemon.page.page_service import PageService
from mcpgov.daemon.policy_recompiler import Recompiler
from mcpgov.daemon.processes.supervisor import ASK, HUNG, LEFTOVER, ORPHAN, STUCK, Supervisor
from mcpgov.daemon.reactor import READ, Reactor
from mcpgov.daemon.remote.remote_service import RemoteService
from mcpgov.daemon.sd_notify import Notifier
from mcpgov.daemon.serve.caller_identity import CallerIdentity
from mcpgov.daemon.serve.reports import ReportedActions
from mcpgov.daemon.serve.serve_requests import CallerRequest, CountRequest, ReportRequest
from mcpgov.daemon.serve.serve_service import ServeService
from mcpgov.daemon.serve.shared_limits import SharedLimits
from mcpgov.daemon.settings_sync import SettingsSync, whole_number
from mcpgov.daemon.status import status
from mcpgov.daemon.status.model import RUNNING, DaemonStatus, Facts
from mcpgov.daemon.status.status_facts import FactsCollector, policy_in_force
from mcpgov.daemon.watching.config_worker import ConfigWorker
from mcpgov.daemon.watching.offload import is_heavy
from mcpgov.daemon.watching.sync_loop import SyncLoop
from mcpgov.daemon.watching.watcher import Watcher
from mcpgov.places import Places, squatted
from mcpgov.self_command import child_command
from mcpgov.serve_tokens import ServeTokens

TROUBLES = (HUNG, ORPHAN, LEFTOVER, STUCK)
# What a person should hear of even without looking: event -> the words.
LOUD = {"lost": "a client has lost the server", "contested": "another program keeps unwrapping the server"}
SOURCES = 300.0  # seconds between two looks at which files there are
LOCK = 3.0  # seconds between two looks at the lock, while there is nothing to do


class Daemon:
    """The parts, and how they reach each other."""

    _files: list[str]
    _watched: tuple[str, ...]

    def __init__(
        self,
        places: Places,
        log: Log,
        notices: DesktopNotifier,
        notifier: Notifier,
        service: str = "none",
        held: Callable[[], bool] = lambda: True,
    ) -> None:
        """`held`: whether the lock is still ours."""
        self._started = time.monotonic()
        self._places, self._log, self._notices, self._notifier = places, log, notices, notifier
        self._service, self._held, self._level = service, held, ""
        clock, command = time.monotonic, child_command(places.root)
        self.reactor = reactor = Reactor(log)
        self._supervisor = Supervisor(str(places.launcher), str(places.journal))
        self._services = Services(services.table(places), reactor, log, places.daemon, places.log)
        self._remote = RemoteService(places, self._services, self._push, self._sync_soon, log, notices)
        self._page = PageService(places, self._services, log)
        self._links = Links(self._supervisor, log, self._serve_proxy, left=self._session_gone, remote=self._remote)
        self._watch = Watcher(clock, log, reactor.wake)
        self._files, self._watched = [], ()
        self._config_worker = ConfigWorker(places, lambda: self._settings_sync.missing())
        self._loop = SyncLoop(
            self._config_worker, clock, self._say, places.daemon, heavy=is_heavy, run_heavy=self._config_worker.begin,
            listen=self._listen, forget=reactor.ignore, may=self._ours, passed=self._remote.passed,
        )  # fmt: skip
        compiling, last_good = [*command, "policy", "compile"], policy_in_force(places)
        self._policy = Recompiler(compiling, places.policy_candidates(), reactor, log, notices, in_force=last_good)
        self._lender = LenderService(places, self._services, self._policy.report)
        self._settings_sync = SettingsSync(command, str(places.settings_file), reactor, log, self._settled)
        self._ledger = LedgerKeeper([*command, "budget", "maintain"], places.ledger, reactor, log, notices)
        self._heads = HeadKeeper(str(places.journal), str(places.heads), log, hear=self._ledger.hear)
        self._facts_collector = FactsCollector(places)
        self._make_requests(command)
        self._refreshed, self._sign, self._locked = self._started, 0.0, 0.0

    def _make_requests(self, command: list[str]) -> None:
        """What is asked of the daemon, and of people through it."""
        places, log, reactor = self._places, self._log, self.reactor
        self._gate = Gate(places, log, self._notices)
        who, own_limit = CallerIdentity(ServeTokens(places.serve), self._supervisor).of, self._loop.own_limit
        self._approvals = Approvals(
            places, reactor, log, self._links, own_limit=own_limit, command=command, is_page=self._page.owns, who=who
        )
        self._reports, self._shared_limits = (
            ReportedActions(self._approvals.journal, who),
            SharedLimits(who, time.monotonic),
        )
        self._serve_http = ServeService(places.serve_install, self._services)
        self._statuses = StatusRequests(self._links, self._gather, lambda *given: self._dispatcher.explain(*given))
        self._dispatcher = Dispatcher(self._handlers(), log, self._gate)
        self._listener = Listener(places.socket, reactor, log, self._dispatcher.serve)

    # --- its life

    def open(self) -> None:
        self._listener.open()
        part = self._part
        # First of all what apps reach their remote servers through: they may ask before any config is read.
        self._services.open()
        self._remote.open()
        self._page.open()
        self._serve_http.refresh()
        part("services", self._services.due, self._services.work)
        part("remote", self._remote.due, self._remote.work)
        part("lock", lambda: self._locked + LOCK - time.monotonic(), self._look_at_lock)
        part("settings", self._settings_sync.due, self._settings_sync.work)
        part("policy", self._policy.due, self._policy.work)
        part("lender", self._lender.due, self._lender.work)
        part("sources", lambda: self._refreshed + SOURCES - time.monotonic(), self._refresh)
        part("watch", self._watch.due, self._look)
        part("configs", self._loop.due, self._loop.work)
        part("proxies", lambda: self._supervisor.due(time.monotonic()), self._supervise)
        part("heads", self._heads.due, self._heads.work)
        part("ledger", self._ledger.due, self._ledger.work)
        self._approvals.open()
        part("approvals", self._approvals.due, self._approvals.work)
        part("links", self._links.due, self._links.work)
        part("control", self._listener.due, self._listener.work)
        part("status", self._statuses.due, self._statuses.work)
        part("notices", self._notices.due, self._notices.work)
        part("service", self._next_sign, self._show_life)
        if taken := squatted(self._places):
            self._log.warning("socket elsewhere", taken=taken, socket=str(self._places.socket))
        self._log.info("started", pid=os.getpid(), version=__version__, socket=str(self._places.socket))
        self._notifier.ready(f"mcpgov {__version__} governs")

    def close(self) -> None:
        self._notifier.stopping()
        for close in (
            self._approvals.close, self._heads.look, self._listener.close, self._services.close,
            self._settings_sync.close, self._policy.close, self._ledger.close, self._loop.stop, self._watch.close,
            self._config_worker.close,
        ):  # fmt: skip
            try:
                close()
            except Exception as problem:
                self._log.crash("broken at the end", problem)
        self.reactor.close()
        self._log.info("stopped", pid=os.getpid())

    def reload(self) -> None:
        self._settings_sync.force()
        self._policy.force()
        self._loop.again()
        self._serve_http.refresh()
        self._services.again()

    # --- parts

    def _part(self, name: str, due: Callable[[], float | None], work: Callable[[], None]) -> None:
        self.reactor.part(name, due, lambda: work() if self._ours() else None)

    def _ours(self) -> bool:
        """INVARIANT: asked before anything is written. Without its lock it is a ghost, which an uninstall misses."""
        if self._held():
            return True
        if not self.reactor.stopped:
            self._log.warning("lock lost", pid=os.getpid())
            self.reactor.stop()
        return False

    def _look_at_lock(self) -> None:
        self._locked = time.monotonic()

    def _settled(self, values: Mapping[str, object]) -> None:
        """The settings are known, or others than before."""
        self._config_worker.take(values)
        level = values.get("log_level")
        if level in LEVELS and not self._level:
            self._log.level = str(level)
        self._notices.enabled = values.get("notices") is not False
        self._heads.keep_days = whole_number(values.get("audit_keep_days"))
        self._approvals.settled(values)
        self._lender.settled(values)
        self._refresh()

    def keep_level(self, level: str) -> None:
        """Given by hand: the settings do not change it."""
        self._level = self._log.level = level

    def _refresh(self) -> None:
        """Which files are there to be governed?"""
        self._refreshed = time.monotonic()
        self._files = self._loop.refresh()
        self._follow()

    def _follow(self) -> None:
        """Watch what there is to watch."""
        paths = tuple(
            dict.fromkeys((*self._files, *self._policy.inputs, self._settings_sync.file, *self._remote.watched()))
        )
        if paths != self._watched:
            self._watched = paths
            self._watch.set_paths(paths)

    def _look(self) -> None:
        self._follow()
        for path in (*self._watch.take(), *self._watch.poll()):
            self._loop.changed(path)
            self._policy.changed(path)
            if path in self._policy.inputs:
                self._ledger.soon()
            self._settings_sync.changed(path)
            self._remote.changed(path)

    def _listen(self, fd: int) -> None:
        self.reactor.listen(fd, READ, lambda _events: self._loop.work(), "heavy work")

    def _serve_proxy(self, fields: dict[str, object], call: LinkCall) -> None:
        self._dispatcher.serve(fields, call, by_proxy=True)

    def _push(self, link: int, op: str, **fields: object) -> bool:
        return self._links.push(link, op, **fields)

    def _sync_soon(self, paths: Iterable[str]) -> None:
        self._loop.again(paths)

    def _session_gone(self, session: str) -> None:
        self._approvals.session_gone(session)
        self._ledger.soon()

    def _supervise(self) -> None:
        for action in self._supervisor.tick(time.monotonic()):
            if action.what == ASK:
                self._links.ask(action.pid)
                continue
            level = "warning" if action.what in TROUBLES else "info"
            self._log(level, f"proxy {action.what}", pid=action.pid, server=action.server, client=action.client)

    def _say(self, level: str, event: str, **fields: object) -> None:
        self._log(level, event, **fields)
        if event in LOUD:
            name = fields.get("name")
            self._notices.tell("mcpgov", f"{LOUD[event]} {name}: mcpgov status", f"{event} {fields.get('file')} {name}")

    def _next_sign(self) -> float | None:
        interval = self._notifier.interval
        return None if interval is None else self._sign + interval - time.monotonic()

    def _show_life(self) -> None:
        self._sign = time.monotonic()
        self._notifier.alive()

    # --- control requests: a row of `requests.TABLE` each

    def _handlers(self) -> dict[type[ControlRequest[Any]], Handler]:
        return {
            requests.PingRequest: self._ping,
            requests.KnownRequest: self._known,
            StatusRequest: self._statuses.serve,
            requests.SyncRequest: self._sync,
            requests.ReloadRequest: self._reload,
            requests.StopRequest: self._stop,
            requests.PermissionRequest: self._gate.answer,
            requests.RegisterRequest: self._links.register,
            **self._remote.handlers(),
            **self._approvals.handlers(),
            **self._page.handlers(),
            CallerRequest: self._reports.caller,
            ReportRequest: self._reports.report,
            CountRequest: self._shared_limits.count,
        }

    def _ping(self, _request: requests.PingRequest, _caller: Caller) -> requests.PingAnswer:
        return requests.PingAnswer(os.getpid(), __version__, int(time.monotonic() - self._started))

    def _known(self, _request: requests.KnownRequest, _caller: Caller) -> requests.KnownAnswer:
        return requests.KnownAnswer(tuple(row.op for row in requests.TABLE if not row.by_proxy))

    def _gather(self, request: StatusRequest) -> StatusAnswer:
        self._loop.fresh()  # "governed" is never said from memory
        files = self._loop.report()
        entries = [state for file in files for state in file.states]
        kept = self._service != "none"
        uptime = int(time.monotonic() - self._started)
        remote, listener = self._remote.report()
        known = Facts(
            time.time(),
            DaemonStatus(RUNNING, os.getpid(), __version__, uptime, self._service, kept),
            self._policy.report(),
            proxies=tuple(self._supervisor.report(self._facts_collector.journal_tail().p50)),
            ungoverned=tuple(self._supervisor.ungoverned(entries)),
            settings=self._settings_sync.error,
            settings_hint=self._settings_sync.hint,
            asked_by=request.version,
            services=tuple(each for each in self._services.report() if each.state != NOT_NEEDED),
            questions=self._approvals.open_questions(),
            remote=remote,
            listener=listener,
        )
        facts = self._facts_collector.complete(known, [*files, *self._config_worker.aside()])
        return StatusAnswer(status.envelope(status.build(facts)))

    def _sync(self, _request: requests.SyncRequest, _caller: Caller) -> requests.SyncAnswer:
        self._refresh()
        self._loop.again()
        self._loop.work()
        files = self._loop.report()
        return requests.SyncAnswer(tuple(requests.SyncedFile(file.file, file.result, file.reason) for file in files))

    def _reload(self, _request: requests.ReloadRequest, _caller: Caller) -> requests.ReloadAnswer:
        self.reload()
        return requests.ReloadAnswer()

    def _stop(self, _request: requests.StopRequest, _caller: Caller) -> requests.StopAnswer:
        self.reactor.stop()
        return requests.StopAnswer(os.getpid())
