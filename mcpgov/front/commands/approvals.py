"""`mcpgov approvals`: questions that wait for you.

A call that a rule wants asked about waits here until somebody answers, the
app gives up, or its time is over. With ID all of that question is shown; with
--watch questions come and go as they do, and single keys answer the selected
one (`?` shows all of it, `q` leaves). `mcpgov approvals suggest` shows rules for
what you allow again and again.

Into a pipe, and with --json, --watch writes a line for every change and
answers nothing.

examples:
  mcpgov approvals
  mcpgov approvals 4f1d-12
  mcpgov approvals --watch
  mcpgov approvals suggest
"""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser, Namespace
from typing import NoReturn

from mcpgov.daemon.control.approval_requests import QuestionsAnswer, QuestionView, WatchQuestionsRequest
from mcpgov.daemon.control.client import Subscription
from mcpgov.errors import UsageError
from mcpgov.front.approvals import questions
from mcpgov.front.approvals.questions import EXPIRED
from mcpgov.front.context import Context
from mcpgov.front.dispatch import follow
from mcpgov.front.output.status_view import span, wants_color
from mcpgov.front.output.text import count
from mcpgov.front.result import Block, Cell, Line, Result, Table, picked

FIELDS = ("number", "numbers", "state", "headline", "details", "question", "terms", "scopes", "surfaces", "asked_at",
          "remaining", "late", "calls", "suggests", "answer", "surface", "after")  # fmt: skip


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("question", metavar="ID", nargs="?", help="all of this question")
    parser.add_argument("-w", "--watch", action="store_true", help="live, until q; single keys answer")


def run(args: Namespace, context: Context) -> Result:
    if args.watch and args.question:
        raise UsageError("`--watch` shows all questions: `?` shows all of one")
    if args.watch:
        return _watch(args, context)
    found = questions.all_questions(context)
    if args.question:
        view = questions.find(args.question, found)
        return Result("approvals", {"question": _data(view)}, _one(view))
    return Result("approvals", _all(found), _listed(found))


def _data(view: QuestionView) -> dict[str, object]:
    return picked(view, *FIELDS)


def _all(found: QuestionsAnswer) -> dict[str, object]:
    waiting, ended = ([_data(view) for view in views] for views in (found.waiting, found.ended))
    return {"questions": waiting, "ended": ended, "locked": found.locked}


# --- for people


def _listed(found: QuestionsAnswer) -> list[Block]:
    view: list[Block] = []
    if found.locked:
        view.append(Line("locked: every call is denied, and nothing is asked, until `mcpgov unlock`", "bad"))
    if not found.waiting:
        view.append(Line("nothing is asked"))
    else:
        number = len(found.waiting)
        title = f"{count(number, 'question')} {'waits' if number == 1 else 'wait'} for you"
        view.append(Table(("id", "left", "question"), [_row(each) for each in found.waiting], title=title))
        view.append(Line(f"answer: mcpgov approve {found.waiting[0].number}, or mcpgov deny …; all of it: "
                         f"mcpgov approvals {found.waiting[0].number}", "faint"))  # fmt: skip
    late = [each for each in found.ended if each.state == EXPIRED and each.late > 0]
    if late:
        title = "over; a yes lets the next try of the same call pass"
        rows: list[list[str | Cell]] = [
            [each.number, Cell(f"{span(each.late)} more", "faint"), each.headline] for each in late
        ]
        view.append(Table(("id", "can be approved for", "question"), rows, title=title))
    return view


def _row(view: QuestionView) -> list[str | Cell]:
    notes = [f"{view.calls} calls wait for it"] if view.calls > 1 else []
    notes += ["allowed three times: mcpgov approvals suggest"] if view.suggests else []
    left = max(0, round(view.remaining))
    time = Cell(f"{left} s", "warning" if left < 10 else "")
    return [Cell(view.number, "strong"), time, Cell(view.headline, "", tuple(notes))]


def _one(view: QuestionView) -> list[Block]:
    lines: list[Block] = [Line(view.headline, "strong"), *(Line(f"  {line}") for line in view.details)]
    if view.state == questions.WAITING:
        lines.append(Line(f"  {max(0, round(view.remaining))} s left", "warning"))
        lines += [Line(f"  {line}", "faint") for line in _answers(view)]
    else:
        lines.append(Line(f"  {_ended(view)}", "faint"))
    return lines


def _answers(view: QuestionView) -> list[str]:
    """What may be typed."""
    terms = {"session": "--session", "time": "--for 15m", "always": "--always"}
    scopes = [f"--{scope}" for scope in view.scopes if scope != "exact"]
    longer = [option for term, option in terms.items() if term in view.terms]
    out = [f"mcpgov approve {view.number}"] if view.terms else ["only the app itself may answer it"]
    if longer:
        wider = f", each with {' or '.join(scopes)}" if scopes else ""
        out[0] += f"    longer: {', '.join(longer)}{wider}"
    return [*out, f"mcpgov deny {view.number}"] if view.terms else out


def _ended(view: QuestionView) -> str:
    if view.state == EXPIRED and view.late > 0:
        more = f"for {span(view.late)} more `mcpgov approve {view.number}` lets the next try pass"
        return f"over: nobody answered in time; {more}"
    word = {"yes": "allowed", "no": "denied"}.get(view.answer, view.state)
    return f"{word}{f' ({view.surface})' if view.surface else ''}; the whole story: mcpgov why {view.number}"


# --- as it happens


def _watch(args: Namespace, context: Context) -> Result:
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or args.json or args.quiet:
        _follow(args, context)
    from mcpgov.front.approvals.watch import Watch

    color = "never" if args.no_color else context.color
    Watch(args, context).run(wants_color(color, True, os.environ))
    return Result("approvals", raw="")


def _follow(args: Namespace, context: Context) -> NoReturn:
    shown: dict[str, str] = {}
    with Subscription(context.places.socket, WatchQuestionsRequest(interactive=False)) as stream:

        def look() -> list[QuestionsAnswer]:
            found = stream.ready()
            if stream.ended:
                raise BrokenPipeError
            return found

        follow(args, context, look, lambda found: json.dumps(_all(found)), lambda found: _changes(found, shown))


def _changes(found: QuestionsAnswer, shown: dict[str, str]) -> list[Line]:
    """A line for every question that came or went."""
    now = {view.number: view.headline for view in found.waiting}
    went = {view.number: view for view in found.ended}
    lines = [Line(f"asked      {number}  {text}", "strong") for number, text in now.items() if number not in shown]
    for number in [number for number in shown if number not in now]:
        view = went.get(number)
        word = {"yes": "allowed", "no": "denied"}.get(view.answer, view.state) if view is not None else "over"
        lines.append(Line(f"{word:<10} {number}  {shown[number]}", "faint"))
    shown.clear()
    shown.update(now)
    return lines
