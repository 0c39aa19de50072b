"""Performs what the transitions of questions lead to, in order.

Laws: a record stands before what it tells of. Where the journal or the store of grants cannot be written, nothing
behind it lets a call pass: waiting calls are denied with that reason, and what was to be shown is not.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from mcpgov.daemon.approvals import wording
from mcpgov.daemon.approvals.effects import (
    DENY,
    UNREACHABLE,
    Answer,
    Effect,
    GrantEnded,
    GrantMade,
    OfferQuestion,
    RecordEntry,
    WithdrawQuestion,
)
from mcpgov.daemon.approvals.grant_store import GrantStore
from mcpgov.daemon.approvals.grants import Now
from mcpgov.daemon.approvals.lifecycle import Lifecycle
from mcpgov.daemon.approvals.runtime.daemon_journal import DaemonJournal
from mcpgov.daemon.approvals.surfaces.table import Surfaces
from mcpgov.daemon.log import Log

UNRECORDED = "it could not be recorded"


@dataclass(eq=False)
class QuestionDriver:
    """`deliver` brings an answer to the proxy that waits for it; `changed` hears that something did.

    `surfaces` is set once its rows are there: they answer through this.
    """

    surfaces: Surfaces = field(init=False)
    _life: Lifecycle
    _journal: DaemonJournal
    _store: GrantStore
    _log: Log
    _now: Callable[[], Now]
    _deliver: Callable[[Answer], None]
    _changed: Callable[[], None]
    _queue: deque[Sequence[Effect]] = field(default_factory=deque, init=False)
    _busy: bool = field(default=False, init=False)

    def perform(self, effects: Sequence[Effect]) -> bool:
        """False: not all of it could be recorded. What a surface tells meanwhile comes after it."""
        if not effects:
            return True
        self._queue.append(effects)
        if self._busy:
            return True
        self._busy, whole = True, True
        try:
            while self._queue:
                whole = self._carry_out(self._queue.popleft()) and whole
        finally:
            self._busy = False
        self._changed()
        return whole

    def failed(self, number: str, surface: str, why: str = "") -> None:
        """A surface cannot show a question."""
        self._log.info("question not shown", question=number, surface=surface, why=why)
        self.perform(self._life.surface_failed(number, surface, self._now()))

    def _carry_out(self, effects: Sequence[Effect]) -> bool:
        recorded = True
        for effect in effects:
            if isinstance(effect, RecordEntry):
                recorded = self._journal.write(effect.entry) and recorded
            elif isinstance(effect, GrantMade):
                recorded = recorded and self._save()
                if not recorded:
                    self._life.granting.grants.revoke(effect.grant.id)
            elif isinstance(effect, GrantEnded):
                recorded = self._save() and recorded
            elif isinstance(effect, Answer):
                self._deliver(effect if recorded or effect.verdict == DENY else self._denied(effect))
            elif isinstance(effect, OfferQuestion):
                self._offer(effect, recorded)
            else:
                self._withdraw(effect)
        return recorded

    def _offer(self, effect: OfferQuestion, recorded: bool) -> None:
        if recorded:
            self.surfaces.offer(effect)
            return
        for name in effect.surfaces:
            self._queue.append(self._life.surface_failed(effect.number, name, self._now()))

    def _withdraw(self, effect: WithdrawQuestion) -> None:
        for problem in self.surfaces.withdraw(effect):
            self._log.warning("question not withdrawn", question=effect.question.number, problem=problem)

    def _denied(self, answer: Answer) -> Answer:
        self._queue.append(self._life.granting.refused(answer.number, UNRECORDED))
        text = wording.unrecorded()
        return Answer(answer.session, answer.number, DENY, UNREACHABLE, "unrecorded", text)

    def _save(self) -> bool:
        saved = self._store.save(self._life.granting.grants)
        self.tell_problems()
        return saved

    def tell_problems(self) -> None:
        """What is wrong with the store, once."""
        for problem in self._store.problems:
            self._log.error("grants", problem=problem)
        self._store.problems = []
