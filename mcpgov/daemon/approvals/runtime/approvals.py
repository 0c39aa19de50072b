"""The parts of asking, put together for the daemon: handlers of control requests, a part of the loop, facts for status.

Laws: a question is never answered by what a server sends; with nobody to be asked it is denied at once. At the daemon's
end every open question is withdrawn with that reason.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mcpgov.daemon.approvals import time_limits, wording
from mcpgov.daemon.approvals.choices import APP_SURFACE, DESKTOP, PAGE, TERMINAL, Choice
from mcpgov.daemon.approvals.effects import Answer, OfferQuestion, WithdrawQuestion
from mcpgov.daemon.approvals.flood import QuestionLimits
from mcpgov.daemon.approvals.grant_store import GrantStore
from mcpgov.daemon.approvals.grants import Grants, Now
from mcpgov.daemon.approvals.lifecycle import Lifecycle
from mcpgov.daemon.approvals.runtime.daemon_journal import DaemonJournal
from mcpgov.daemon.approvals.runtime.desk_requests import DeskRequests
from mcpgov.daemon.approvals.runtime.driver import QuestionDriver
from mcpgov.daemon.approvals.runtime.journal_habits import JournalHabits
from mcpgov.daemon.approvals.runtime.lock_requests import LockRequests
from mcpgov.daemon.approvals.runtime.proxy_questions import LinksLike, ProxyQuestions
from mcpgov.daemon.approvals.runtime.question_watchers import QuestionWatchers
from mcpgov.daemon.approvals.runtime.tool_runner import ToolRunner
from mcpgov.daemon.approvals.surfaces.desktop import Desktop, Which
from mcpgov.daemon.approvals.surfaces.table import SurfaceRow, Surfaces
from mcpgov.daemon.control import approval_requests, question_requests
from mcpgov.daemon.control.approval_requests import QuestionsAnswer
from mcpgov.daemon.control.dispatch import Handler
from mcpgov.daemon.control.question_requests import AskAnswer
from mcpgov.daemon.control.replies import Caller, Later, Stream
from mcpgov.daemon.control.request_row import ControlRequest
from mcpgov.daemon.log import Log
from mcpgov.daemon.reactor import Reactor
from mcpgov.daemon.serve.caller_identity import ServeCaller
from mcpgov.daemon.serve.permissions import ResourcePermissions
from mcpgov.daemon.serve.serve_requests import ResourceRequest
from mcpgov.daemon.settings_sync import whole_number
from mcpgov.daemon.status.model import QuestionLine
from mcpgov.places import Places

STOPPING = "mcpgov's daemon stops. Try again"
LOCKED = "mcpgov was locked. Ask the user to run: mcpgov unlock"
COME_BACK = 600.0  # seconds after a start in which the sessions that have grants link again
NOT_BACK = "its session did not come back"


def never_set() -> float:
    """Seconds by a clock that nobody sets, and that goes on while the machine sleeps."""
    kind = time.CLOCK_BOOTTIME if sys.platform == "linux" else time.CLOCK_MONOTONIC
    return time.clock_gettime(kind)


def both_clocks() -> Now:
    return Now(never_set(), time.time())


class Approvals:
    """`which` finds the desktop's tools."""

    def __init__(
        self,
        places: Places,
        reactor: Reactor,
        log: Log,
        links: LinksLike,
        now: Callable[[], Now] = both_clocks,
        which: Which = shutil.which,
        own_limit: Callable[[str, str], float | None] = lambda _client, _server: None,
        command: Sequence[str] = (),
        is_page: Callable[[int], bool] = lambda _pid: False,
        who: Callable[[int, str], ServeCaller] = lambda pid, _token: ServeCaller(f"process {pid}"),
    ) -> None:
        """`own_limit`: after how many seconds a client gives up on this server, where its config says so.

        `command` runs mcpgov, for what a child reads; without it nothing is read. `is_page`: is that process the local
        page's service, which alone answers as the page. `who` asks for a resource.
        """
        self._now, self._links, self._own_limit = now, links, own_limit
        self._closed = False
        self._waits: dict[str, float] = {}
        self._surfaces: tuple[str, ...] = (APP_SURFACE, DESKTOP, TERMINAL, PAGE)
        store = GrantStore(places.grants)
        self._life = life = Lifecycle(Grants(store.load(), now()))
        self.journal = DaemonJournal(str(places.journal), lambda: now().wall)
        self._lock = LockRequests(places.lock, self.journal, log, lambda: now().wall, self._locked)
        self._driver = QuestionDriver(life, self.journal, store, log, now, self._deliver, self._changed)
        self._driver.tell_problems()
        self._habits = JournalHabits(command, reactor, life.habits, self._habits_known) if command else None
        self._tools = ToolRunner(reactor)
        self._desktop = Desktop(self._tools, self._on_desktop, self._driver.failed, lambda: now().mono, which)
        self._desk = DeskRequests(life, self._driver, now, self._lock.locked, is_page)
        self._watchers = QuestionWatchers(self._desk.snapshot, self._nobody_watches)
        self._proxies = ProxyQuestions(
            life, self._driver, links, now, self._wait, lambda: APP_SURFACE in self._surfaces, self._lock.locked
        )
        self._permissions = ResourcePermissions(life, self._driver, now, self._lock.locked, who)
        self._driver.surfaces = Surfaces(self._rows(), self._driver.failed)
        self._back_by: float | None = now().mono + COME_BACK if len(life.granting.grants) else None

    def _rows(self) -> tuple[SurfaceRow, ...]:
        """Where a person can be asked. The command line needs no row: what is asked elsewhere is answered there too."""
        desktop = self._desktop
        return (
            SurfaceRow(APP_SURFACE, lambda: True, self._proxies.elicit, _nothing),
            SurfaceRow(
                DESKTOP,
                lambda: DESKTOP in self._surfaces and desktop.reaches(),
                lambda effect: desktop.offer(effect.question, effect.wait),
                lambda effect: desktop.withdraw(effect.question.number),
            ),
            *(SurfaceRow(name, self._watched_on(name), _nothing, _nothing) for name in (TERMINAL, PAGE)),
        )

    def _watched_on(self, surface: str) -> Callable[[], bool]:
        return lambda: surface in self._surfaces and self._watchers.reaches(surface)

    # --- for the daemon

    def handlers(self) -> dict[type[ControlRequest[Any]], Handler]:
        desk, lock, proxies, asked = self._desk, self._lock, self._proxies, approval_requests
        return {
            asked.QuestionsRequest: desk.questions,
            asked.WatchQuestionsRequest: self._watch,
            asked.ApproveRequest: desk.approve,
            asked.DenyRequest: desk.deny,
            asked.GrantsRequest: desk.grants,
            asked.RevokeRequest: desk.revoke,
            asked.SuggestionsRequest: desk.suggestions,
            asked.LockRequest: lock.lock,
            asked.UnlockRequest: lock.unlock,
            ResourceRequest: self._permissions.ask,
            question_requests.AskRequest: self._ask,
            question_requests.AppWordRequest: proxies.app,
            question_requests.ParkedRequest: proxies.parked,
            question_requests.DispatchedRequest: proxies.dispatched,
            question_requests.NotDispatchedRequest: proxies.not_dispatched,
        }

    def open(self) -> None:
        """Finds out what the desktop can do, so that the first question knows."""
        if DESKTOP in self._surfaces:
            self._desktop.reaches()

    def settled(self, values: Mapping[str, object]) -> None:
        """The settings, as `settings show` tells them."""
        waits, surfaces = values.get("approvals_timeout"), values.get("approvals_surfaces")
        if isinstance(waits, dict):
            self._waits = {str(name): float(wait) for name, wait in waits.items() if isinstance(wait, (int, float))}
        if isinstance(surfaces, (list, tuple)):
            self._surfaces = tuple(map(str, surfaces))
        usual = QuestionLimits()
        most = whole_number(values.get("approvals_max_open")) or usual.open
        a_minute = whole_number(values.get("approvals_max_per_minute")) or usual.a_minute
        self._life.limit(QuestionLimits(most, a_minute))
        self.journal.keep(whole_number(values.get("audit_keep_days")) or 0)

    def session_gone(self, session: str) -> None:
        """Not at the daemon's own end, which closes every link: the sessions go on, and find the next daemon."""
        if not self._closed:
            self._proxies.session_gone(session)

    def due(self) -> float | None:
        now = self._now()
        back = self._back_by - now.mono if self._back_by is not None else None
        habits = self._habits.due() if self._habits is not None else None
        found = [self._life.due(now), self._desktop.due(), self._watchers.due(), back, habits]
        return min((seconds for seconds in found if seconds is not None), default=None)

    def work(self) -> None:
        now = self._now()
        self._driver.perform(self._life.tick(now))
        if self._back_by is not None and now.mono >= self._back_by:
            self._back_by = None
            self._driver.perform(self._life.granting.keep_sessions(self._links.sessions(), NOT_BACK))
        self._desktop.work()
        self._watchers.work()
        if self._habits is not None:
            self._habits.work()

    def close(self) -> None:
        self._closed = True
        self._driver.perform(self._life.close(STOPPING, self._now()))
        self._watchers.work()
        self._watchers.close()
        self._tools.close()
        if self._habits is not None:
            self._habits.close()

    def open_questions(self) -> tuple[QuestionLine, ...]:
        """For status: what waits for a person, oldest first."""
        now = self._now()
        return tuple(
            QuestionLine(held.question.number, wording.headline(held.question), max(0, round(held.remaining(now))))
            for held in self._life.open_questions
        )

    # --- between the parts

    def _ask(self, request: question_requests.AskRequest, caller: Caller) -> Later[AskAnswer] | AskAnswer:
        answer = self._proxies.ask(request, caller)
        if self._habits is not None:
            self._habits.want()
        return answer

    def _habits_known(self) -> None:
        self._life.suggest_again()
        self._changed()

    def _wait(self, client: str, server: str) -> float:
        return time_limits.wait_for(client, self._waits, self._own_limit(client, server))

    def _deliver(self, answer: Answer) -> None:
        if not self._permissions.deliver(answer):
            self._proxies.deliver(answer)

    def _changed(self) -> None:
        self._watchers.changed()

    def _on_desktop(self, number: str, choice: Choice, surface: str) -> None:
        # One that came second changes nothing: the popup was taken away meanwhile.
        _why, effects = self._life.answer(number, choice, surface, "the desktop", self._now())
        self._driver.perform(effects)

    def _watch(self, request: approval_requests.WatchQuestionsRequest, caller: Caller) -> Stream[QuestionsAnswer]:
        self._desk.check_surface(request.surface, caller)
        return self._watchers.watch(request, caller)

    def _nobody_watches(self, surface: str) -> None:
        for held in self._life.open_questions:
            if surface in held.surfaces:
                self._driver.failed(held.question.number, surface, "nobody watches any more")

    def _locked(self, locked: bool) -> None:
        if locked:
            self._driver.perform(self._life.close(LOCKED, self._now()))
        self._changed()


def _nothing(_effect: OfferQuestion | WithdrawQuestion) -> None:
    """Watchers see every change; an app's question is taken away by the answer to its ask."""
