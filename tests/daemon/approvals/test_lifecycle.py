import pytest

from mcpgov.daemon.approvals.choices import NO, YES_ONCE, Choice
from mcpgov.daemon.approvals.effects import Answer, GrantEnded, GrantMade, OfferQuestion, RecordEntry, WithdrawQuestion
from mcpgov.daemon.approvals.flood import QuestionLimits
from mcpgov.daemon.approvals.grants import Grants, Now
from mcpgov.daemon.approvals.lifecycle import ALREADY, UNKNOWN, Brought, Lifecycle
from mcpgov.daemon.control.approval_requests import HabitView
from tests.helpers.questions import question

T0 = Now(100.0, 5000.0)
DESK = ("desktop", "terminal")
TIME = Choice(True, "time", "tool", 900.0)


def later(seconds, wall=None):
    return Now(T0.mono + seconds, T0.wall + (seconds if wall is None else wall))


def begun(limits=None, **change):
    life = Lifecycle(Grants(), limits)
    return life, life.ask(question(**change), 25.0, DESK, T0)


def without_records(effects):
    return [effect for effect in effects if not isinstance(effect, RecordEntry)]


def actions(effects):
    return [effect.entry["action"] for effect in effects if isinstance(effect, RecordEntry)]


def answers(effects):
    return [(each.number, each.verdict, each.answer) for each in effects if isinstance(each, Answer)]


def test_a_question_is_offered_on_every_surface_that_reaches_somebody():
    life, effects = begun(app="request")
    assert actions(effects) == ["asked", "offered"]
    assert without_records(effects) == [
        OfferQuestion(question(app="request"), ("app", *DESK), "4f1d", "4f1d-1", 25.0)
    ]  # fmt: skip
    assert [held.question.number for held in life.open_questions] == ["4f1d-1"]
    assert life.find("4f1d-1") is life.open_questions[0]


def test_a_rule_chooses_the_surfaces():
    _, effects = begun(app="request", ask=["desk"])
    assert effects[-1].surfaces == DESK
    _, effects = begun(app="request", ask=["app"])
    assert effects[-1].surfaces == ("app",)


def test_with_nobody_to_ask_the_call_is_denied_at_once_and_a_late_yes_counts():
    life = Lifecycle(Grants())
    effects = life.ask(question(), 25.0, (), T0)
    assert actions(effects) == ["asked", "unreachable"]
    assert answers(effects) == [("4f1d-1", "deny", "unreachable")]
    assert "mcpgov approve 4f1d-1" in effects[-1].text
    assert life.answer("4f1d-1", YES_ONCE, "command", "me", later(30))[0] == ""
    assert answers(life.ask(question(number="4f1d-2"), 25.0, (), later(31))) == [("4f1d-2", "allow", "")]


def test_the_first_answer_wins_and_the_others_are_withdrawn():
    life, _ = begun(app="request")
    why, effects = life.answer("4f1d-1", YES_ONCE, "terminal", "pts/3", later(2))
    assert why == ""
    assert actions(effects) == ["question answered"]
    told = effects[0].entry
    assert (told["surface"], told["who"], told["after_ms"], told["answer"]) == ("terminal", "pts/3", 2000, "yes")
    assert effects[1] == WithdrawQuestion(question(app="request"), ("app", "desktop"), "answered")
    assert answers(effects) == [("4f1d-1", "allow", "")]
    assert effects[-1].grant.args_digest == "a1"
    assert life.answer("4f1d-1", NO, "desktop", "", later(2)) == (ALREADY, [])
    assert life.open_questions == []


def test_a_no_denies_with_the_contracts_words():
    life, _ = begun()
    effects = life.answer("4f1d-1", NO, "desktop", "", later(1))[1]
    assert answers(effects) == [("4f1d-1", "deny", "refused")]
    assert effects[-1].text.startswith("Permission denied: delete_repository was refused by the user")


def test_a_surface_alone_has_nobody_to_withdraw():
    life = Lifecycle(Grants())
    life.ask(question(), 25.0, ("terminal",), T0)
    effects = life.answer("4f1d-1", NO, "terminal", "", T0)[1]
    assert [effect for effect in effects if isinstance(effect, WithdrawQuestion)] == []


def test_an_answer_that_a_surface_may_not_give_changes_nothing():
    life, _ = begun()
    why, effects = life.answer("4f1d-1", TIME, "desktop", "", T0)
    assert ("at the desk" in why, actions(effects)) == (True, ["not accepted"])
    assert life.answer("4f1d-1", YES_ONCE, "app", "", T0)[0] == "the app was not asked"
    assert life.answer("0000-1", YES_ONCE, "terminal", "", T0) == (UNKNOWN, [])
    assert len(life.open_questions) == 1


def test_equal_questions_are_one_and_every_call_is_answered():
    life, _ = begun()
    effects = life.ask(question(number="77aa-9", session="77aa", app="request"), 50.0, DESK, T0)
    assert actions(effects) == ["asked", "joined"]
    assert without_records(effects)[0].surfaces == ("app",)
    assert without_records(life.ask(question(number="4f1d-2"), 25.0, DESK, T0)) == []
    effects = life.answer("77aa-9", YES_ONCE, "command", "", later(1))[1]
    assert answers(effects) == [("4f1d-1", "allow", ""), ("77aa-9", "allow", ""), ("4f1d-2", "allow", "")]
    assert set(effects[1].surfaces) == {"app", *DESK}


def test_the_same_call_said_twice_is_one():
    life, _ = begun()
    assert life.ask(question(), 25.0, DESK, T0) == []


def test_each_call_runs_out_by_its_own_time_and_the_question_with_the_last():
    life, _ = begun()
    life.ask(question(number="77aa-9", session="77aa"), 50.0, DESK, T0)
    assert life.due(T0) == 5.0
    assert life.due(later(24)) == 1.0
    assert life.tick(later(24)) == []
    effects = life.tick(later(25))
    assert answers(effects) == [("4f1d-1", "deny", "timeout")]
    assert "nobody answered in 25 s" in effects[-1].text
    effects = life.tick(later(50))
    assert answers(effects) == [("77aa-9", "deny", "timeout")]
    assert effects[-1] == WithdrawQuestion(question(), DESK, "nobody answered in time")
    assert life.due(later(50)) == 5.0


def test_a_machine_that_slept_finds_its_questions_expired():
    life, _ = begun()
    assert answers(life.tick(later(3600))) == [("4f1d-1", "deny", "timeout")]


@pytest.mark.parametrize("wall", [-86400, 86400])
def test_a_clock_that_is_set_neither_hastens_nor_delays_a_deadline(wall):
    life, _ = begun()
    assert life.tick(later(24, wall)) == []
    assert life.due(later(24, wall)) == 1.0
    assert answers(life.tick(later(25, wall))) == [("4f1d-1", "deny", "timeout")]
    assert life.answer("4f1d-1", YES_ONCE, "command", "", later(600, wall))[0] == ""
    assert answers(life.ask(question(number="4f1d-2"), 25.0, (), later(700, wall))) == [("4f1d-2", "allow", "")]


def test_a_late_yes_becomes_a_one_use_grant_for_the_identical_call():
    life, _ = begun()
    life.tick(later(25))
    why, effects = life.answer("4f1d-1", YES_ONCE, "command", "", later(600))
    assert (why, actions(effects)) == ("", ["question answered late", "grant made"])
    assert [type(effect) for effect in without_records(effects)] == [GrantMade]
    other = life.ask(question(number="4f1d-2", args_digest="a2"), 25.0, DESK, later(601))
    assert answers(other) == []
    effects = life.ask(question(number="4f1d-3"), 25.0, DESK, later(601))
    assert answers(effects) == [("4f1d-3", "allow", "")]
    assert actions(effects) == ["asked", "grant used"]
    assert answers(life.ask(question(number="4f1d-4"), 25.0, DESK, later(602))) == []


def test_a_yes_after_ten_minutes_is_none():
    life, _ = begun()
    life.tick(later(25))
    assert life.answer("4f1d-1", YES_ONCE, "command", "", later(625))[0] == ALREADY
    life.tick(later(625))
    assert life.answer("4f1d-1", YES_ONCE, "command", "", later(625))[0] == UNKNOWN
    assert life.due(later(625)) is None


def test_a_late_no_makes_nothing():
    life, _ = begun()
    life.tick(later(25))
    assert actions(life.answer("4f1d-1", NO, "command", "", later(30))[1]) == ["question answered late"]
    assert life.answer("4f1d-1", YES_ONCE, "command", "", later(31))[0] == ALREADY


def test_a_yes_to_an_expired_question_answers_the_same_call_that_is_tried_again():
    life, _ = begun()
    life.tick(later(25))
    life.ask(question(number="4f1d-2"), 25.0, DESK, later(30))
    effects = life.answer("4f1d-1", YES_ONCE, "command", "", later(31))[1]
    assert answers(effects) == [("4f1d-2", "allow", "")]
    assert not any(isinstance(effect, GrantMade) for effect in effects)


def test_a_cancel_withdraws_the_question_and_no_late_yes_counts():
    life, _ = begun()
    life.ask(question(number="77aa-9", session="77aa"), 50.0, DESK, T0)
    assert actions(life.cancel("4f1d-1", "cancelled", T0)) == ["withdrawn"]
    effects = life.cancel("77aa-9", "cancelled", T0)
    assert without_records(effects) == [WithdrawQuestion(question(), DESK, "cancelled")]
    assert life.cancel("77aa-9", "cancelled", T0) == []
    assert life.cancel("none-1", "cancelled", T0) == []
    assert life.answer("4f1d-1", YES_ONCE, "command", "", T0)[0] == ALREADY


def test_after_one_call_ran_out_a_cancel_of_the_other_leaves_a_late_yes_possible():
    life, _ = begun()
    life.ask(question(number="77aa-9", session="77aa"), 50.0, DESK, T0)
    life.tick(later(25))
    life.cancel("77aa-9", "cancelled", later(26))
    assert life.answer("4f1d-1", YES_ONCE, "command", "", later(27))[0] == ""


def test_a_dead_session_takes_its_questions_and_grants_with_it():
    life, _ = begun()
    life.ask(question(number="77aa-9", session="77aa"), 50.0, DESK, T0)
    life.answer("4f1d-1", Choice(True, "session"), "terminal", "", T0)
    life.ask(question(number="4f1d-5", args_digest="a5"), 25.0, DESK, T0)
    effects = life.session_gone("4f1d", "the client is gone", T0)
    assert actions(effects) == ["withdrawn", "refused at dispatch", "grant ended"]
    assert [type(effect) for effect in without_records(effects)] == [WithdrawQuestion, GrantEnded]
    assert list(life.granting.grants) == []


def test_a_cancel_after_the_yes_is_on_record():
    life, _ = begun()
    life.answer("4f1d-1", YES_ONCE, "terminal", "", T0)
    assert actions(life.cancel("4f1d-1", "cancelled", T0)) == ["refused at dispatch"]


def test_a_server_has_five_open_questions_and_twenty_a_minute():
    life = Lifecycle(Grants(), QuestionLimits(open=2, a_minute=3))

    def ask(n, server="github", at=T0):
        made = question(number=f"4f1d-{n}", args_digest=f"a{n}", server=server)
        return life.ask(made, 25.0, DESK, at)

    ask(1), ask(2)
    effects = ask(3)
    assert actions(effects) == ["asked", "too many"]
    assert answers(effects) == [("4f1d-3", "deny", "unreachable")]
    assert "2 questions of it are open" in effects[-1].text
    assert answers(ask(4, "other")) == []
    life.answer("4f1d-1", NO, "terminal", "", T0)
    life.answer("4f1d-2", NO, "terminal", "", T0)
    assert answers(ask(5)) == []
    life.answer("4f1d-5", NO, "terminal", "", T0)
    assert "within a minute" in ask(6)[-1].text
    assert answers(ask(7, at=later(60))) == []


def test_a_surface_that_fails_is_not_waited_for():
    life, _ = begun()
    assert life.surface_failed("4f1d-1", "desktop", T0) == []
    effects = life.surface_failed("4f1d-1", "terminal", T0)
    assert answers(effects) == [("4f1d-1", "deny", "unreachable")]
    assert life.surface_failed("4f1d-1", "terminal", T0) == []
    assert life.surface_failed("none-1", "terminal", T0) == []


def test_after_three_equal_yeses_the_next_question_offers_a_rule():
    life = Lifecycle(Grants())
    offers = []
    for n in range(5):
        effects = life.ask(question(number=f"4f1d-{n}", args_digest=f"a{n}"), 25.0, DESK, T0)
        offers += [effect.suggests for effect in effects if isinstance(effect, OfferQuestion)]
        life.answer(f"4f1d-{n}", NO if n == 4 else YES_ONCE, "terminal", "", T0)
    assert offers == [False, False, False, True, True]
    effects = life.ask(question(number="4f1d-9", args_digest="a9"), 25.0, DESK, T0)
    assert effects[-1].suggests is False


def test_before_the_daemon_ends_every_waiting_call_hears_why():
    life, _ = begun()
    life.ask(question(number="77aa-9", session="77aa"), 50.0, DESK, T0)
    effects = life.close("mcpgov is being upgraded", T0)
    assert actions(effects) == ["withdrawn"]
    assert answers(effects) == [("4f1d-1", "deny", "unreachable"), ("77aa-9", "deny", "unreachable")]
    assert "mcpgov is being upgraded" in effects[-1].text
    assert life.open_questions == []


# --- asked inside a result (2026-07-28)


def parked():
    life, _ = begun(app="result")
    life.parked("4f1d-1", T0)
    life.parked("none-1", T0)
    return life


def retry(life, choice, at=T0, answers_to="4f1d-1", **change):
    made = question(**{"number": "4f1d-2", "app": "result", **change})
    return life.ask(made, 25.0, DESK, at, Brought(answers_to, choice))


def test_a_repeated_request_brings_its_answer():
    life = parked()
    effects = retry(life, YES_ONCE)
    assert actions(effects) == ["asked", "joined", "question answered"]
    assert answers(effects) == [("4f1d-2", "allow", "")]
    assert answers(retry(parked(), NO)) == [("4f1d-2", "deny", "refused")]


def test_a_yes_given_at_the_desk_meanwhile_is_a_grant_for_the_retry():
    life = parked()
    effects = life.answer("4f1d-1", YES_ONCE, "terminal", "", T0)[1]
    assert (answers(effects), actions(effects)) == ([], ["question answered", "grant made"])
    again = question(number="4f1d-2", app="result")
    assert answers(life.ask(again, 25.0, DESK, T0)) == [("4f1d-2", "allow", "")]


def test_a_no_in_the_app_wins_over_a_yes_that_was_given_at_the_desk_meanwhile():
    life = parked()
    life.answer("4f1d-1", YES_ONCE, "terminal", "", T0)
    assert answers(retry(life, NO)) == [("4f1d-2", "deny", "refused")]


def test_a_parked_call_that_runs_out_is_not_answered_twice_and_may_be_late():
    life = parked()
    effects = life.tick(later(25))
    assert (answers(effects), actions(effects)) == ([], ["expired"])
    assert answers(retry(life, YES_ONCE, later(30))) == [("4f1d-2", "allow", "")]
    life = parked()
    life.tick(later(25))
    assert answers(retry(life, NO, later(30))) == [("4f1d-2", "deny", "refused")]


@pytest.mark.parametrize(
    ("number", "change"),
    [("none-1", {}), ("4f1d-1", {"args_digest": "a2"}), ("4f1d-1", {"session": "77aa", "number": "77aa-3"})],
)
def test_an_answer_to_another_question_answers_nothing(number, change):
    effects = retry(parked(), YES_ONCE, answers_to=number, **change)
    assert answers(effects) == []


def test_an_answer_that_the_app_may_not_give_answers_nothing():
    assert answers(retry(parked(), TIME)) == []


def test_a_no_at_the_desk_came_first_and_holds_for_what_the_app_brings_later():
    life = parked()
    life.answer("4f1d-1", NO, "terminal", "", T0)
    assert answers(retry(life, YES_ONCE)) == [("4f1d-2", "deny", "refused")]
    assert actions(life.ask(question(number="4f1d-3", app="result"), 25.0, DESK, T0)) == ["asked", "offered"]


def test_a_late_answer_leaves_the_equal_question_of_another_app_open():
    life = parked()
    life.tick(later(25))
    life.ask(question(number="77aa-9", session="77aa", app="result"), 25.0, DESK, later(26))
    assert answers(retry(life, YES_ONCE, later(27))) == [("4f1d-2", "allow", "")]
    assert len(life.open_questions) == 1


def test_a_call_that_waits_is_answered_also_when_another_brings_the_answer():
    life, _ = begun(app="result")  # not parked: its client waits
    assert answers(retry(life, YES_ONCE)) == [("4f1d-1", "allow", ""), ("4f1d-2", "allow", "")]


def test_a_second_answer_to_what_was_answered_does_not_reach_the_equal_question_that_is_open():
    life = parked()
    retry(life, NO)
    life.ask(question(number="77aa-9", session="77aa", app="result"), 25.0, DESK, T0)
    assert answers(retry(life, YES_ONCE, number="4f1d-3")) == [("4f1d-3", "deny", "refused")]
    assert len(life.open_questions) == 1


def test_ended_questions_are_remembered_the_latest_first_and_limits_may_change():
    life, _ = begun()
    life.ask(question(number="4f1d-2", args_digest="a2"), 25.0, DESK, T0)
    life.answer("4f1d-2", NO, "terminal", "", T0)
    life.answer("4f1d-1", YES_ONCE, "terminal", "", later(1))
    found = [(held.question.number, held.answer, held.surface) for held in life.ended_questions]
    assert found == [("4f1d-1", "yes", "terminal"), ("4f1d-2", "no", "terminal")]
    life.limit(QuestionLimits(open=0))
    assert "0 questions of it are open" in life.ask(question(number="4f1d-3"), 25.0, DESK, T0)[-1].text


def test_an_app_that_gives_up_or_goes_leaves_the_apps_of_equal_calls():
    life = Lifecycle(Grants())
    calls = [("4f1d-1", "4f1d", "request"), ("77aa-9", "77aa", "request"), ("88bb-2", "88bb", "request")]
    for number, session, app in calls:
        life.ask(question(number=number, session=session, app=app), 25.0, (), T0)
    assert life.surface_failed("4f1d-1", "app", T0) == []
    assert actions(life.cancel("77aa-9", "cancelled", T0)) == ["withdrawn"]
    why, effects = life.answer("88bb-2", YES_ONCE, "app", "", T0)
    assert (why, answers(effects)) == ("", [("88bb-2", "allow", "")])


def test_an_app_is_asked_once_however_many_equal_calls_it_makes():
    life = Lifecycle(Grants())
    life.ask(question(app="request"), 25.0, (), T0)
    for at in range(2, 102):
        assert without_records(life.ask(question(number=f"4f1d-{at}", app="request"), 25.0, (), later(1))) == []
    effects = life.answer("4f1d-1", YES_ONCE, "app", "", later(2))[1]
    assert [verdict for _, verdict, _ in answers(effects)] == ["allow"] * 101


def test_an_equal_call_of_the_app_takes_the_question_over_when_the_first_is_cancelled_or_runs_out():
    life = Lifecycle(Grants())
    for at in (1, 2, 3):
        life.ask(question(number=f"4f1d-{at}", app="request"), 25.0, (), later(at))
    effects = without_records(life.cancel("4f1d-1", "cancelled", later(5)))
    assert [(effect.surfaces, effect.number, effect.wait) for effect in effects] == [(("app",), "4f1d-2", 22.0)]
    effects = life.tick(later(27))
    assert answers(effects) == [("4f1d-2", "deny", "timeout")]
    assert [(each.number, each.wait) for each in effects if isinstance(each, OfferQuestion)] == [("4f1d-3", 1.0)]
    assert without_records(life.cancel("4f1d-3", "cancelled", later(27)))[-1].surfaces == ("app",)
    assert life.open_questions == []


def test_with_the_last_app_gone_who_hung_on_its_question_waits_for_nobody():
    life = Lifecycle(Grants())
    life.ask(question(app="request"), 25.0, (), T0)
    life.ask(question(number="77aa-9", session="77aa"), 25.0, (), T0)
    effects = life.cancel("4f1d-1", "cancelled", T0)
    assert (actions(effects), answers(effects)) == (["withdrawn", "unreachable"], [("77aa-9", "deny", "unreachable")])


@pytest.mark.parametrize(("choice", "told"), [(YES_ONCE, ("allow", "")), (NO, ("deny", "refused"))])
def test_what_is_answered_in_one_app_answers_no_equal_call_of_another(choice, told):
    life, _ = begun()
    life.ask(question(number="77aa-9", session="77aa", app="request"), 50.0, DESK, T0)
    why, effects = life.answer("77aa-9", choice, "app", "the app, pid 9", later(1))
    assert (why, answers(effects)) == ("", [("77aa-9", *told)])
    assert effects[0].entry["decision"] == "77aa-9"
    assert [held.present[0].number for held in life.open_questions] == ["4f1d-1"]
    assert answers(life.answer("4f1d-1", YES_ONCE, "terminal", "", later(2))[1]) == [("4f1d-1", "allow", "")]


def test_a_question_that_shows_something_else_is_another_question():
    life, _ = begun()
    for at, change in enumerate([{"shown": {"repo": "harmless"}}, {"message": "fine"}, {"hosts": []}], 2):
        life.ask(question(number=f"4f1d-{at}", **change), 25.0, DESK, T0)
    assert len(life.open_questions) == 4


def test_a_question_that_waits_offers_a_rule_once_the_habits_are_known():
    life, _ = begun()
    assert not life.open_questions[0].suggests
    asked = question()
    life.habits.know([HabitView(asked.server, asked.method, asked.target, asked.asked_by, 3, "old-1")])
    life.suggest_again()
    assert life.open_questions[0].suggests
