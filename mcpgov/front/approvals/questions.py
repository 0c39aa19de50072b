"""The daemon's questions for the command line: asked for, and found by what a person types.

Law: what a person types names one question or none; a question that waits is meant before one that is over.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

from mcpgov.daemon.approvals.question import NoQuestion, Question, question_from
from mcpgov.daemon.control import line_client
from mcpgov.daemon.control.approval_requests import QuestionsAnswer, QuestionsRequest, QuestionView
from mcpgov.daemon.control.client import ask
from mcpgov.daemon.control.requests import ControlRequest
from mcpgov.errors import CallerError, McpgovError, UsageError
from mcpgov.front.context import Context
from mcpgov.front.output.approvals_view import ShownQuestion
from mcpgov.front.output.text import some

A = TypeVar("A")
# As proxies number their decisions, and shortened: `4f1d0c92ab37-12`, `4f1d-12`.
NUMBER = re.compile(r"[0-9a-f]{2,}-[0-9]+")
WAITING, EXPIRED, WITHDRAWN, ANSWERED = "offered", "expired", "withdrawn", "answered"


def requested(context: Context, request: ControlRequest[A]) -> A:
    """The daemon's answer; what it refuses to an app's child is told like any other refusal."""
    try:
        return ask(context.places.socket, request)
    except line_client.ControlError as error:
        raise told_apart(error) from None


def told_apart(error: line_client.ControlError) -> McpgovError:
    return CallerError(str(error), hint=error.hint) if error.code == line_client.REFUSED else error


def all_questions(context: Context) -> QuestionsAnswer:
    return requested(context, QuestionsRequest())


def find(typed: str, found: QuestionsAnswer) -> QuestionView:
    """The question that is meant. Raises McpgovError where there is none, or more than one."""
    word = typed.strip().lower()
    if not word:
        raise UsageError("a question has a number", hint="mcpgov approvals")
    for views in (found.waiting, found.ended):
        exact = [view for view in views if word in (view.number, *view.numbers)]
        meant = exact or [view for view in views if any(_short(word, each) for each in (view.number, *view.numbers))]
        if len(meant) > 1:
            numbers = some([view.number for view in meant])
            raise UsageError(f"`{typed}` may be any of {numbers}", hint="more of its characters tell which")
        if meant:
            return meant[0]
    raise McpgovError(f"there is no question `{typed}`", hint=_instead(typed, found.waiting))


def _short(word: str, number: str) -> bool:
    """`4f1d` and `4f1d-12` for `4f1d0c92ab37-12`; what stands behind the dash is never shortened."""
    session, dash, count = word.partition("-")
    whole, _, its_count = number.rpartition("-")
    return len(session) > 1 and whole.startswith(session) and (not dash or count == its_count)


def _instead(typed: str, waiting: Sequence[QuestionView]) -> str:
    if waiting:
        return f"waiting: {some([view.number for view in waiting])}"
    about = f"; `mcpgov why {typed}` tells of a decision" if NUMBER.fullmatch(typed) else ""
    return f"nothing is asked now{about}"


def question_of(view: QuestionView) -> Question:
    """Raises McpgovError where it is not told in full: so much is asked at once that no answer holds all of it."""
    if not view.question:
        told = f"question `{view.number}` cannot be shown in full now: too much is asked at once"
        raise McpgovError(told, hint=f"answer the others first, or: mcpgov deny {view.number}")
    try:
        return question_from(view.question)
    except NoQuestion as error:
        told = f"the daemon's question cannot be read: {error}"
        raise line_client.OtherVersion(told, hint=line_client.RESTART, code=line_client.WRONG) from None


def opened(view: QuestionView) -> ShownQuestion:
    return ShownQuestion(question_of(view), view.remaining, view.calls, view.suggests)


def check_answerable(view: QuestionView) -> None:
    """Raises McpgovError where no yes can count any more."""
    if view.state == WITHDRAWN:
        told = f"question `{view.number}` was withdrawn: nobody waits for its answer"
        raise McpgovError(told, hint="let the app try again; it will be asked anew")
    if view.state == ANSWERED:
        word = {"yes": "allowed", "no": "denied"}.get(view.answer, "answered")
        where = f" ({view.surface})" if view.surface else ""
        told = f"question `{view.number}` is answered already: {word}{where}"
        raise McpgovError(told, hint=f"mcpgov why {view.number}")
    if view.state == EXPIRED and view.late <= 0:
        told = f"question `{view.number}` is over, and too long ago for a late answer"
        raise McpgovError(told, hint="let the app try again; it will be asked anew")
