"""The life of questions: every event a method, every method returns effects. Pure; the clocks come in as Now.

Laws:
- a waiting call gets exactly one Answer, unless it was cancelled, its session is over, or it was ended by asking
  inside its result (`parked`);
- what is answered in an app answers for that app's conversation; equal calls of others go on waiting;
- the first answer wins; every surface that was offered the question and did not answer is told to withdraw it;
- no yes without a person's answer or a grant that a person's answer made;
- equal open questions are one, also inside an app, which is asked again only if the call it was asked about is gone;
- a server has at most `limits.open` open and `limits.a_minute` new ones in a minute;
- every arrow is a RecordEntry, before what it leads to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mcpgov.core.approvals.question import APP, DESK
from mcpgov.daemon.approvals import records, wording
from mcpgov.daemon.approvals.choices import APP_SURFACE, Choice, objection
from mcpgov.daemon.approvals.effects import (
    DENY,
    REFUSED,
    TIMEOUT,
    UNREACHABLE,
    Answer,
    Effect,
    OfferQuestion,
    RecordEntry,
    WithdrawQuestion,
)
from mcpgov.daemon.approvals.flood import Flood, QuestionLimits
from mcpgov.daemon.approvals.granting import Granting
from mcpgov.daemon.approvals.grants import Grants, Now
from mcpgov.daemon.approvals.habits import Habits
from mcpgov.daemon.approvals.question import Question
from mcpgov.daemon.approvals.time_limits import LATE
from mcpgov.daemon.approvals.waiting import ANSWERED, EXPIRED, OFFERED, WITHDRAWN, Waiter, WaitingQuestion

LOOK_AGAIN = 5.0  # seconds: a machine that slept is noticed so much after it woke
UNKNOWN, ALREADY = "there is no such question", "it was answered, or is over"


@dataclass(frozen=True, slots=True)
class Brought:
    """The answer that a repeated request brings (2026-07-28): to which question, and what was chosen."""

    number: str
    choice: Choice


class Lifecycle:
    def __init__(self, grants: Grants, limits: QuestionLimits | None = None) -> None:
        self.granting = Granting(grants)
        self._flood = Flood(limits or QuestionLimits())
        self._all: dict[str, WaitingQuestion] = {}
        self._by_number: dict[str, WaitingQuestion] = {}
        self._open: dict[tuple[object, ...], WaitingQuestion] = {}
        self.habits = Habits()

    # --- what is asked

    def ask(
        self, question: Question, wait: float, desk: Sequence[str], now: Now, brought: Brought | None = None
    ) -> list[Effect]:
        """`desk`: the surfaces at the desk that can reach somebody now."""
        if question.number in self._by_number or question.number in self.granting:
            return []  # said twice
        asked: Effect = RecordEntry(records.entry(records.ASKED, question, question.number, layer=question.layer))
        if brought is not None and self._was_asked(brought, question) and self._is_no(brought):
            # A no in the app wins over a yes that was given elsewhere meanwhile, and a no elsewhere over its yes.
            denied = _no(question, question.session, question.number)
            return [asked, *(self._take(brought, question, wait, now) or [denied])]
        used = self.granting.use(question, now)
        if used:
            return [asked, *used]
        if brought is not None and (found := self._take(brought, question, wait, now)) is not None:
            return [asked, *found]
        held = self._open.get(question.key)
        if held is not None:
            return [asked, *self._join(held, question, wait, now)]
        are_open = sum(each.question.server == question.server for each in self._open.values())
        why = self._flood.too_many(question.server, are_open, now.mono)
        if why:
            text = wording.too_many(question.server, why, question.number)
            entry = records.entry(records.TOO_MANY, question, question.number, why=why)
            denied = Answer(question.session, question.number, DENY, UNREACHABLE, "too_many_questions", text)
            return [asked, RecordEntry(entry), denied]
        return [asked, *self._offer(question, wait, desk, now)]

    def _offer(self, question: Question, wait: float, desk: Sequence[str], now: Now) -> list[Effect]:
        held = WaitingQuestion(question, now)
        self._all[question.number] = held
        app = (APP_SURFACE,) if self._hang(held, question, wait, now).app else ()
        held.surfaces = (*app, *(desk if question.lets(DESK) else ()))
        if not held.surfaces:
            return self._nobody(held, now)  # ASKED -> EXPIRED
        held.move(OFFERED, now)
        self._open[question.key] = held
        entry = records.entry(records.OFFERED, question, question.number, surfaces=list(held.surfaces), wait=wait)
        return [RecordEntry(entry), self._offering(held, held.waiters[question.number], held.surfaces, wait)]

    def _offering(self, held: WaitingQuestion, waiter: Waiter, surfaces: tuple[str, ...], wait: float) -> OfferQuestion:
        held.suggests = self.habits.suggests(held.question)
        held.apps |= {waiter.number} if APP_SURFACE in surfaces else set()
        return OfferQuestion(held.question, surfaces, waiter.session, waiter.number, wait, held.suggests)

    def _join(
        self, held: WaitingQuestion, question: Question, wait: float, now: Now, offer: bool = True
    ) -> list[Effect]:
        waiter = self._hang(held, question, wait, now)
        effects: list[Effect] = [RecordEntry(records.entry(records.JOINED, held.question, question.number))]
        if offer and waiter.app and not held.asked_in(question.session):
            held.surfaces = tuple(dict.fromkeys((APP_SURFACE, *held.surfaces)))
            effects.append(self._offering(held, waiter, (APP_SURFACE,), wait))
        return effects

    def _hang(self, held: WaitingQuestion, question: Question, wait: float, now: Now) -> Waiter:
        self._by_number[question.number] = held
        app = bool(question.app) and question.lets(APP)
        return held.add(question.number, question.session, wait, now, app)

    def _ask_next(self, held: WaitingQuestion, gone: Sequence[str], now: Now) -> list[Effect]:
        """Calls that were asked about in their apps are gone: an equal call of the same app takes the question over."""
        asked = [number for number in gone if number in held.apps]
        held.apps.difference_update(gone)
        found = [held.next_in(session) for session in dict.fromkeys(map(_session, asked))]
        return [self._offering(held, each, (APP_SURFACE,), each.remaining(now)) for each in found if each is not None]

    def _was_asked(self, brought: Brought, question: Question) -> bool:
        """Is it the answer to this very question, put to the same session before?"""
        held = self._by_number.get(brought.number)
        asked_here = brought.number.rpartition("-")[0] == question.session
        return held is not None and held.question.key == question.key and asked_here

    def _is_no(self, brought: Brought) -> bool:
        return not brought.choice.yes or self._by_number[brought.number].answer == "no"

    def _take(self, brought: Brought, question: Question, wait: float, now: Now) -> list[Effect] | None:
        """The answer that a repeated request brings to the question it was asked; None: it answers nothing."""
        if not self._was_asked(brought, question):
            return None
        held = self._by_number[brought.number]
        if _objection(brought.choice, held, APP_SURFACE):
            return None
        if held.state == EXPIRED:  # asked again meanwhile, by another session; what was answered takes no second answer
            held = self._open.get(question.key, held)
        if held.state == OFFERED:
            before = held.waiters.get(brought.number)
            if before is not None and before.left:
                del held.waiters[brought.number]
            joined = self._join(held, question, wait, now, offer=False)
            return [*joined, *self._answered(held, brought.choice, APP_SURFACE, "", question.session, now)]
        if held.state == EXPIRED and not now.passed(held.ended, LATE):
            late = self._late(held, brought.choice, APP_SURFACE, "", question.session, now)
            return [*late, *(self.granting.use(question, now) or [_no(question, question.session, question.number)])]
        return None

    # --- answers

    def answer(self, number: str, choice: Choice, surface: str, who: str, now: Now) -> tuple[str, list[Effect]]:
        """Why the answer does not count, or ""; and the effects. `who`: the person's side, for the record."""
        held = self._by_number.get(number)
        if held is None:
            return UNKNOWN, []
        held = self._open.get(held.question.key, held)  # the same call, tried again meanwhile
        why = _objection(choice, held, surface)
        if why:
            entry = records.entry(records.OBJECTED, held.question, number, surface=surface, who=who, why=why)
            return why, [RecordEntry(entry)]
        if held.state == OFFERED:
            return "", self._answered(held, choice, surface, who, _session(number), now)
        if held.state == EXPIRED and not now.passed(held.ended, LATE):
            return "", self._late(held, choice, surface, who, _session(number), now)
        return ALREADY, []

    def _answered(
        self, held: WaitingQuestion, choice: Choice, surface: str, who: str, session: str, now: Now
    ) -> list[Effect]:
        question = held.question
        if surface == APP_SURFACE and any(waiter.session != session for waiter in held.waiters.values()):
            return self._answered_in_part(held, choice, who, session, now)
        effects = self._said(records.ANSWERED, held, choice, surface, who, now)
        others = tuple(name for name in held.surfaces if name != surface)
        present = held.present
        if APP_SURFACE in held.surfaces and len(present) > 1:  # asked in several apps, answered in one at most
            others = tuple(dict.fromkeys((APP_SURFACE, *others)))
        effects += [WithdrawQuestion(question, others, "answered")] if others else []
        held.waiters.clear()
        if not choice.yes:
            return effects + [_no(question, waiter.session, waiter.number) for waiter in present]
        return effects + self.granting.granted(question, choice, surface, session, present, now)

    def _answered_in_part(
        self, held: WaitingQuestion, choice: Choice, who: str, session: str, now: Now
    ) -> list[Effect]:
        """INVARIANT: no app answers for another: whoever is governed may start a proxy, ask the same and say yes."""
        question = held.question
        present = [waiter for waiter in held.present if waiter.session == session]
        after = round((now.mono - held.since.mono) * 1000)
        said = {"surface": APP_SURFACE, "who": who, "after_ms": after, **records.choice_fields(choice)}
        effects: list[Effect] = []
        for waiter in [waiter for waiter in held.waiters.values() if waiter.session == session]:
            del held.waiters[waiter.number]
            effects.append(RecordEntry(records.entry(records.ANSWERED, question, waiter.number, **said)))
        if not choice.yes:
            return effects + [_no(question, waiter.session, waiter.number) for waiter in present]
        return effects + self.granting.granted(question, choice, APP_SURFACE, session, present, now)

    def _late(
        self, held: WaitingQuestion, choice: Choice, surface: str, who: str, session: str, now: Now
    ) -> list[Effect]:
        effects = self._said(records.LATE, held, choice, surface, who, now)
        return effects + (self.granting.granted(held.question, choice, surface, session, [], now) if choice.yes else [])

    def _said(
        self, event: str, held: WaitingQuestion, choice: Choice, surface: str, who: str, now: Now
    ) -> list[Effect]:
        question = held.question
        held.move(ANSWERED, now)
        held.answer, held.surface = "yes" if choice.yes else "no", surface
        self._open.pop(question.key, None)
        self.habits.count(question, choice.yes)
        after = round((now.mono - held.since.mono) * 1000)
        said = {"surface": surface, "who": who, "after_ms": after, **records.choice_fields(choice)}
        return [RecordEntry(records.entry(event, question, question.number, **said))]

    # --- ends

    def parked(self, number: str, now: Now) -> list[Effect]:
        """The request was ended by asking inside its result: nobody waits, the next try brings the answer."""
        held = self._by_number.get(number)
        if held is not None and number in held.waiters:
            held.waiters[number].left = True
        return self.granting.parked(number, now)

    def cancel(self, number: str, why: str, now: Now) -> list[Effect]:
        effects = self.granting.refused(number, why)
        held = self._by_number.get(number)
        if held is None or number not in held.waiters:
            return effects
        return effects + self._withdrawn(held, [number], why, now)

    def session_gone(self, session: str, why: str, now: Now) -> list[Effect]:
        """The client or the proxy is gone."""
        effects: list[Effect] = []
        for held in list(self._open.values()):
            numbers = [waiter.number for waiter in held.waiters.values() if waiter.session == session]
            effects += self._withdrawn(held, numbers, why, now) if numbers else []
        return effects + self.granting.end_session(session, why)

    def _withdrawn(self, held: WaitingQuestion, numbers: Sequence[str], why: str, now: Now) -> list[Effect]:
        """Calls are gone, and with them what their apps were asked."""
        effects: list[Effect] = []
        for number in numbers:
            del held.waiters[number]
            effects.append(RecordEntry(records.entry(records.WITHDRAWN, held.question, number, why=why)))
        emptied = self._emptied(held, why, now)
        asked_apps = bool(held.apps)
        taken_over = self._ask_next(held, numbers, now)
        if emptied or held.apps or not asked_apps:
            return effects + emptied + taken_over
        gone = WithdrawQuestion(held.question, (APP_SURFACE,), why)
        return [*effects, gone, *self.surface_failed(numbers[0], APP_SURFACE, now)]

    def surface_failed(self, number: str, surface: str, now: Now) -> list[Effect]:
        """It could not show the question after all. The app is one surface a call: the others' apps still ask."""
        held = self._by_number.get(number)
        if held is None or held.state != OFFERED or surface not in held.surfaces:
            return []
        if surface == APP_SURFACE:
            held.apps.discard(number)
            if held.apps:
                return []
        held.surfaces = tuple(name for name in held.surfaces if name != surface)
        return [] if held.surfaces else self._nobody(held, now)

    def _nobody(self, held: WaitingQuestion, now: Now) -> list[Effect]:
        question = held.question
        held.move(EXPIRED, now)
        self._open.pop(question.key, None)
        effects: list[Effect] = [RecordEntry(records.entry(records.UNREACHABLE, question, question.number))]
        text = wording.unreachable(question)
        for waiter in held.present:
            effects.append(Answer(waiter.session, waiter.number, DENY, UNREACHABLE, "unreachable", text))
        held.waiters.clear()
        return effects

    def _emptied(self, held: WaitingQuestion, why: str, now: Now) -> list[Effect]:
        """The last call is gone: by time, then a late yes counts; else nobody will try it again."""
        if held.waiters:
            return []
        held.move(EXPIRED if held.ran_out else WITHDRAWN, now)
        self._open.pop(held.question.key, None)
        return [WithdrawQuestion(held.question, held.surfaces, why)]

    def close(self, why: str, now: Now) -> list[Effect]:
        """The daemon ends: nothing stays open, and every waiting call hears why."""
        effects: list[Effect] = []
        for held in list(self._open.values()):
            present = held.present
            held.waiters.clear()
            held.ran_out = False
            entry = records.entry(records.WITHDRAWN, held.question, held.question.number, why=why)
            effects += [RecordEntry(entry), *self._emptied(held, why, now)]
            text = wording.withdrawn(held.question, why)
            for waiter in present:
                effects.append(Answer(waiter.session, waiter.number, DENY, UNREACHABLE, "withdrawn", text))
        return effects

    # --- time

    def tick(self, now: Now) -> list[Effect]:
        effects: list[Effect] = []
        for held in list(self._open.values()):
            effects += self._run_out(held, now)
        for number, held in list(self._all.items()):
            if held.state != OFFERED and now.passed(held.ended, LATE):
                del self._all[number]
                for each in held.numbers:
                    del self._by_number[each]
        return effects + self.granting.tick(now)

    def _run_out(self, held: WaitingQuestion, now: Now) -> list[Effect]:
        effects: list[Effect] = []
        late = [waiter for waiter in held.waiters.values() if now.passed(waiter.since, waiter.wait)]
        for waiter in late:
            del held.waiters[waiter.number]
            held.ran_out = True
            entry = records.entry(records.EXPIRED, held.question, waiter.number, wait=waiter.wait)
            effects.append(RecordEntry(entry))
            if not waiter.left:
                text = wording.timed_out(held.question, waiter.wait)
                effects.append(Answer(waiter.session, waiter.number, DENY, TIMEOUT, "timeout", text))
        taken_over = self._ask_next(held, [waiter.number for waiter in late], now)
        return effects + taken_over + self._emptied(held, "nobody answered in time", now) if late else []

    def due(self, now: Now) -> float | None:
        """Seconds until tick() is wanted; None: nothing waits."""
        if self._open:
            soonest = min(held.remaining(now) for held in self._open.values())
            return min(LOOK_AGAIN, max(0.0, soonest))
        return LOOK_AGAIN if self._all or len(self.granting) else None

    # --- for views

    @property
    def open_questions(self) -> list[WaitingQuestion]:
        """Oldest first."""
        return list(self._open.values())

    @property
    def ended_questions(self) -> list[WaitingQuestion]:
        """As long as they are remembered, the latest first."""
        ended = [held for held in self._all.values() if held.state != OFFERED]
        return sorted(ended, key=lambda held: -held.ended.mono)

    def suggest_again(self) -> None:
        """The habits have become known: a rule may be worth it for what is asked now."""
        for held in self._open.values():
            held.suggests = self.habits.suggests(held.question)

    def find(self, number: str) -> WaitingQuestion | None:
        return self._by_number.get(number)

    def limit(self, limits: QuestionLimits) -> None:
        self._flood.limits = limits


def _session(number: str) -> str:
    return number.rpartition("-")[0]


def _objection(choice: Choice, held: WaitingQuestion, surface: str) -> str:
    if surface == APP_SURFACE and surface not in held.surfaces:
        return "the app was not asked"
    return objection(choice, held.question, surface)


def _no(question: Question, session: str, number: str) -> Answer:
    return Answer(session, number, DENY, REFUSED, "refused", wording.refused(question, number))
