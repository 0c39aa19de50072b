"""What a yes makes: answers that bring grants, grants that are kept, and what became of them. Pure.

answered(yes) -> dispatched | refused at dispatch     each call that got a yes is followed until its proxy tells
late yes -> one-use grant -> used | expired | revoked; to a caller that is no governed server: the next request's answer
"""

from __future__ import annotations

from collections.abc import Iterable

from mcpgov.core.approvals.grants import ONCE, SESSION, Grant, grant_of
from mcpgov.daemon.approvals import records
from mcpgov.daemon.approvals.choices import ALWAYS, Choice
from mcpgov.daemon.approvals.effects import ALLOW, Answer, Effect, GrantEnded, GrantMade, RecordEntry
from mcpgov.daemon.approvals.grants import HELD_SECONDS, MOST, ONE_USE_SECONDS, Grants, Now, grant_for, lasting
from mcpgov.daemon.approvals.question import Question
from mcpgov.daemon.approvals.waiting import Waiter


class Granting:
    """The grants, and the calls that were said yes to and are not yet dispatched."""

    def __init__(self, grants: Grants) -> None:
        self.grants = grants
        self._approved: dict[str, tuple[Question, Grant, str, Now]] = {}
        # Late yeses to callers that are no governed server: no call passes by them, the same request again does, once.
        self._late: dict[tuple[str, ...], tuple[Grant, Now]] = {}

    def __contains__(self, number: str) -> bool:
        return number in self._approved

    def __len__(self) -> int:
        return len(self._approved) + len(self.grants)

    def granted(
        self, question: Question, choice: Choice, surface: str, session: str, present: list[Waiter], now: Now
    ) -> list[Effect]:
        """The grants that a yes makes, and the answers that bring them to the calls that wait.

        `session`: the one that was answered for. An equal call of another session passes this once: nobody said yes
        to what that session will do.
        """
        if question.is_permission:
            return self._permitted(question, choice, surface, session, present, now)
        effects: list[Effect] = []
        made: dict[str, Grant] = {}
        for waiter in present:
            elsewhere = choice.term == SESSION and waiter.session != session
            given = Choice(True, ONCE) if elsewhere or choice.term == ALWAYS else choice
            owner = waiter.number if given.term == ONCE else given.term
            if owner not in made:
                seconds = HELD_SECONDS if given.term == ONCE else lasting(given)
                made[owner] = grant_for(question, given, surface, waiter.number, waiter.session, now, seconds)
                effects += [] if given.term == ONCE else self._keep(made[owner], now)
            effects.append(self._yes(question, waiter.session, waiter.number, made[owner], now))
        if not present:  # for the next try
            grant = grant_for(question, choice, surface, question.number, session, now, lasting(choice))
            effects += self._keep(grant, now)
        return effects

    def _permitted(
        self, question: Question, choice: Choice, surface: str, session: str, present: list[Waiter], now: Now
    ) -> list[Effect]:
        """A server got what it asked for: kept for its calls, where it is a governed one, and told to those who ask."""
        grant = grant_for(question, choice, surface, question.number, session, now, lasting(choice))
        effects = self._keep(grant, now) if question.service else []
        if not question.service and not present:
            if len(self._late) >= MOST:
                self._late.clear()
            self._late[_asked_for(question)] = grant, now
        return effects + [Answer(waiter.session, waiter.number, ALLOW, grant=grant) for waiter in present]

    def _yes(self, question: Question, session: str, number: str, grant: Grant, now: Now) -> Answer:
        self._approved[number] = question, grant, session, now
        return Answer(session, number, ALLOW, grant=grant)

    def _keep(self, grant: Grant, now: Now) -> list[Effect]:
        effects: list[Effect] = [RecordEntry(records.grant_entry(records.GRANT_MADE, grant)), GrantMade(grant)]
        return effects + _ended(self.grants.add(grant, now), "too many grants")

    def use(self, question: Question, now: Now) -> list[Effect]:
        """The answer to a call that a grant holds for already; [] where none does."""
        grant = self.grants.find(question, question.session, now) or self._late_yes(question, now)
        if grant is None:
            return []
        entry = records.grant_entry(records.GRANT_USED, grant, call=question.number, client=question.client)
        effects: list[Effect] = [RecordEntry(entry)]
        if question.is_permission:  # it is told once more what it has, and uses nothing up
            return [*effects, Answer(question.session, question.number, ALLOW, grant=grant)]
        if self.grants.use(grant):
            effects.append(GrantEnded(grant, "used"))
        return [*effects, self._yes(question, question.session, question.number, grant, now)]

    def _late_yes(self, question: Question, now: Now) -> Grant | None:
        found = self._late.pop(_asked_for(question), None) if question.is_permission and not question.service else None
        return found[0] if found is not None and not now.passed(found[1], ONE_USE_SECONDS) else None

    def parked(self, number: str, now: Now) -> list[Effect]:
        """The yes crossed the end of the request, which asked in its result: it is for the retry."""
        found = self._approved.pop(number, None)
        if found is None or found[1].term != ONCE:
            return []
        data = {**found[1].as_data(), "made": now.wall, "until": now.wall + ONE_USE_SECONDS}
        return self._keep(grant_of(data), now)

    def dispatched(self, number: str) -> list[Effect]:
        return self._end(number, records.DISPATCHED, "")

    def refused(self, number: str, why: str) -> list[Effect]:
        """Judged anew, the call did not pass: policy, tool or arguments moved. Or it was cancelled before."""
        return self._end(number, records.NOT_DISPATCHED, why)

    def _end(self, number: str, event: str, why: str) -> list[Effect]:
        found = self._approved.pop(number, None)
        return [RecordEntry(records.entry(event, found[0], number, why=why))] if found is not None else []

    def revoke(self, ident: str) -> list[Effect]:
        """One grant or, without an id, every one."""
        self._late = {key: held for key, held in self._late.items() if ident and held[0].id != ident}
        return _ended(self.grants.revoke(ident) if ident else self.grants.revoke_all(), "revoked")

    def end_session(self, session: str, why: str) -> list[Effect]:
        numbers = [number for number, (_, _, owner, _) in self._approved.items() if owner == session]
        effects = [effect for number in numbers for effect in self.refused(number, why)]
        return effects + _ended(self.grants.end_session(session), why)

    def keep_sessions(self, alive: Iterable[str], why: str) -> list[Effect]:
        """After a restart: grants of sessions that are not there any more end."""
        return _ended(self.grants.keep_sessions(alive), why)

    def tick(self, now: Now) -> list[Effect]:
        late = [number for number, (_, _, _, since) in self._approved.items() if now.passed(since, HELD_SECONDS)]
        effects = [effect for number in late for effect in self.refused(number, "it was never dispatched")]
        return effects + _ended(self.grants.expire(now), "expired")


def _asked_for(question: Question) -> tuple[str, ...]:
    """Who asks, for what; not why."""
    return question.server, question.client, question.project, question.method, question.target


def _ended(ended: Iterable[Grant], why: str) -> list[Effect]:
    effects: list[Effect] = []
    for grant in ended:
        entry = records.grant_entry(records.GRANT_ENDED, grant, why=why)
        effects += [RecordEntry(entry), GrantEnded(grant, why)]
    return effects
