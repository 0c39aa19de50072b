import json

from mcpgov.daemon.approvals.choices import YES_ONCE, Choice
from mcpgov.daemon.approvals.grants import Grants, Now
from mcpgov.daemon.approvals.lifecycle import Lifecycle
from mcpgov.daemon.approvals.question import question_from
from mcpgov.daemon.approvals.runtime import question_views
from mcpgov.daemon.approvals.runtime.question_views import grant_view, question_view, questions_answer
from tests.helpers.questions import question

T0 = Now(100.0, 5000.0)
DESK = ("terminal",)


def later(seconds):
    return Now(T0.mono + seconds, T0.wall + seconds)


def asked(**change):
    life = Lifecycle(Grants())
    life.ask(question(**change), 25.0, DESK, T0)
    return life


def test_an_open_question_is_shown_with_all_that_an_answer_needs():
    life = asked()
    view = question_view(life.open_questions[0], later(5))
    assert (view.number, view.numbers, view.state, view.calls) == ("4f1d-1", ("4f1d-1",), "offered", 1)
    assert (view.asked_at, view.remaining, view.late, view.after) == (5000.0, 20.0, 0.0, 0.0)
    assert (view.terms, view.scopes) == (("once", "session", "time", "always"), ("exact", "folder", "tool"))
    assert (view.surfaces, view.suggests, view.answer) == (("terminal",), False, "")
    assert view.headline.startswith("github wants to run delete_repository")
    assert "why: deletes need a yes" in view.details
    assert question_from(view.question) == question()


def test_what_only_the_app_may_answer_offers_nothing_at_the_desk():
    life = asked(ask=["app"], app="request")
    view = question_view(life.open_questions[0], T0)
    assert (view.terms, view.scopes) == ((), ())


def test_always_is_offered_only_where_a_rule_can_be_written():
    view = question_view(asked(layer="managed").open_questions[0], T0)
    assert view.terms == ("once", "session", "time")


def test_an_expired_question_says_how_long_a_late_yes_counts_and_an_answered_one_who_answered():
    life = asked()
    life.tick(later(25))
    found = questions_answer(life, later(125), locked=True)
    (view,) = found.ended
    assert (found.waiting, found.locked) == ((), True)
    assert (view.state, view.late, view.remaining, view.after) == ("expired", 500.0, 0.0, 25.0)
    life.answer("4f1d-1", YES_ONCE, "command", "", later(130))
    (view,) = questions_answer(life, later(131), locked=False).ended
    assert (view.state, view.answer, view.surface, view.late) == ("answered", "yes", "command", 0.0)


def test_a_grant_is_shown_with_what_it_is_bound_to():
    life = asked()
    life.answer("4f1d-1", Choice(True, "time", "folder", 900.0), "command", "", T0)
    (grant,) = life.granting.grants
    view = grant_view(grant)
    assert (view.grant, view.number, view.folders) == ("4f1d-1", "4f1d-1", ("path = /etc/**",))
    assert (view.term, view.scope, view.made, view.until) == ("time", "folder", 5000.0, 5900.0)


def test_more_than_a_line_takes_is_told_in_short(monkeypatch):
    life = asked()
    life.ask(question(number="4f1d-2", target="x"), 25.0, DESK, T0)
    whole = questions_answer(life, T0, locked=False)
    size = len(json.dumps((whole.waiting[0].question, whole.waiting[0].details)))
    monkeypatch.setattr(question_views, "MOST_TOLD", size + 1)
    first, second = questions_answer(life, T0, locked=False).waiting
    assert first == whole.waiting[0]
    assert (second.headline, second.question, len(second.details)) == (whole.waiting[1].headline, {}, 3)


def test_a_call_that_was_tried_again_is_listed_once_by_all_of_its_numbers():
    life = Lifecycle(Grants())
    for at in (1, 2):
        life.ask(question(number=f"4f1d-{at}"), 25.0, (), later(at))  # nobody to reach: over at once
    life.ask(question(number="4f1d-3", args_digest="a2"), 25.0, (), later(3))
    found = questions_answer(life, later(4), locked=False)
    assert [(view.number, view.numbers) for view in found.ended] == [
        ("4f1d-3", ("4f1d-3",)), ("4f1d-2", ("4f1d-2", "4f1d-1")),
    ]  # fmt: skip
    life.answer("4f1d-1", YES_ONCE, "command", "", later(5))
    found = questions_answer(life, later(6), locked=False)
    assert [(view.number, view.state) for view in found.ended] == [("4f1d-1", "answered"), ("4f1d-3", "expired")]
    life.ask(question(number="4f1d-4", args_digest="a2"), 25.0, DESK, later(7))
    found = questions_answer(life, later(8), locked=False)
    assert [view.numbers for view in found.waiting] == [("4f1d-4", "4f1d-3")]
    assert [view.number for view in found.ended] == ["4f1d-1"]
