"""Questions and grants as control requests show them. Pure."""

from __future__ import annotations

import json
from dataclasses import replace

from mcpgov.core.approvals.grants import Grant
from mcpgov.core.approvals.question import DESK
from mcpgov.daemon.approvals import wording
from mcpgov.daemon.approvals.choices import ALWAYS, COMMAND, SURFACES, Choice, objection
from mcpgov.daemon.approvals.grants import Now
from mcpgov.daemon.approvals.lifecycle import Lifecycle
from mcpgov.daemon.approvals.question import Question
from mcpgov.daemon.approvals.time_limits import LATE
from mcpgov.daemon.approvals.waiting import EXPIRED, OFFERED, WaitingQuestion
from mcpgov.daemon.control.approval_requests import GrantView, QuestionsAnswer, QuestionView

MOST_ENDED = 50
MOST_TOLD = 2 * 1024 * 1024  # of questions in full in one answer; a line has room for twice that
FEW = 3


def questions_answer(life: Lifecycle, now: Now, locked: bool) -> QuestionsAnswer:
    waiting, left = _bounded(_once_each(life.open_questions, now), MOST_TOLD)
    both = _once_each([*life.open_questions, *life.ended_questions], now)
    ended, _ = _bounded([view for view in both if view.state != OFFERED][:MOST_ENDED], left)
    numbers = {view.number: view.numbers for view in both}
    return QuestionsAnswer(tuple(replace(view, numbers=numbers[view.number]) for view in waiting), ended, locked)


def _once_each(found: list[WaitingQuestion], now: Now) -> list[QuestionView]:
    """A view of each question; of equal ones the first, by the numbers of them all: a call that was tried again."""
    kept: dict[tuple[object, ...], list[WaitingQuestion]] = {}
    for held in found:
        kept.setdefault(held.question.key, []).append(held)
    return [
        replace(
            question_view(first, now), numbers=tuple(number for held in (first, *others) for number in held.numbers)
        )
        for first, *others in kept.values()
    ]


def _bounded(views: list[QuestionView], room: int) -> tuple[tuple[QuestionView, ...], int]:
    """All of them, in full as far as there is room, and what is left of it."""
    out: list[QuestionView] = []
    for view in views:
        size = len(json.dumps((view.question, view.details)))
        room = max(0, room - size)
        out.append(view if room else replace(view, question={}, details=view.details[:FEW]))
    return tuple(out), room


def question_view(held: WaitingQuestion, now: Now) -> QuestionView:
    question, is_open = held.question, held.state == OFFERED
    late = max(0.0, held.ended.mono + LATE - now.mono) if held.state == EXPIRED and question.lets(DESK) else 0.0
    return QuestionView(
        number=question.number,
        numbers=tuple(held.numbers),
        state=held.state,
        headline=wording.headline(question),
        details=tuple(wording.details(question)),
        question=question.as_data(),
        terms=_terms(question),
        scopes=question.scopes if question.lets(DESK) else (),
        surfaces=held.surfaces,
        asked_at=held.since.wall,
        remaining=max(0.0, held.remaining(now)) if is_open else 0.0,
        late=late,
        calls=len(held.present),
        suggests=held.suggests,
        answer=held.answer,
        surface=held.surface,
        after=0.0 if is_open else held.ended.mono - held.since.mono,
    )


def _terms(question: Question) -> tuple[str, ...]:
    """What may be answered at the desk; a rule only where one can be written."""
    if not question.lets(DESK):
        return ()
    rule = any(not objection(Choice(True, ALWAYS, scope), question, COMMAND) for scope in question.scopes)
    return tuple(term for term in SURFACES[COMMAND].terms if term != ALWAYS or rule)


def grant_view(grant: Grant) -> GrantView:
    return GrantView(
        grant=grant.id,
        number=grant.decision,
        server=grant.server,
        method=grant.method,
        target=grant.target,
        asked_by=grant.asked_by,
        layer=grant.layer,
        term=grant.term,
        scope=grant.scope,
        folders=tuple(f"{'.'.join(keys)} = {pattern}" for keys, pattern in grant.folders),
        session=grant.session,
        surface=grant.surface,
        made=grant.made,
        until=grant.until,
    )
