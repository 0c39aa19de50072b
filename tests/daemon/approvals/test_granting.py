import pytest

from mcpgov.daemon.approvals.choices import YES_ONCE, Choice
from mcpgov.daemon.approvals.effects import Answer, GrantEnded, GrantMade, RecordEntry
from mcpgov.daemon.approvals.granting import Granting
from mcpgov.daemon.approvals.grants import Grants, Now
from mcpgov.daemon.approvals.waiting import Waiter
from tests.helpers.questions import permission, question

T0 = Now(100.0, 5000.0)
SESSION, TIME = Choice(True, "session"), Choice(True, "time", "tool", 900.0)
ALWAYS = Choice(True, "always", "tool")
CALLS = [Waiter("4f1d", "4f1d-1", 25.0, T0), Waiter("4f1d", "4f1d-2", 25.0, T0), Waiter("77aa", "77aa-9", 25.0, T0)]


def later(seconds):
    return Now(T0.mono + seconds, T0.wall + seconds)


def kinds(effects):
    return [type(effect).__name__ for effect in effects]


def actions(effects):
    return [effect.entry["action"] for effect in effects if isinstance(effect, RecordEntry)]


def test_a_yes_for_once_brings_each_waiting_call_a_grant_of_its_own_and_keeps_none():
    made = Granting(Grants())
    effects = made.granted(question(), YES_ONCE, "command", "4f1d", CALLS, T0)
    assert kinds(effects) == ["Answer"] * 3
    assert [effect.grant.id for effect in effects] == ["4f1d-1", "4f1d-2", "77aa-9"]
    assert {effect.grant.until for effect in effects} == {5060.0}
    assert (len(made.grants), len(made), "4f1d-2" in made) == (0, 3, True)


def test_a_yes_for_the_session_holds_for_the_one_that_was_answered_and_once_for_an_equal_call_of_another():
    made = Granting(Grants())
    effects = made.granted(question(), SESSION, "command", "4f1d", CALLS, T0)
    kept = [effect.grant for effect in effects if isinstance(effect, GrantMade)]
    assert [(grant.id, grant.session) for grant in kept] == [("4f1d-1", "4f1d")]
    given = [(answer.grant.id, answer.grant.term) for answer in effects if isinstance(answer, Answer)]
    assert given == [("4f1d-1", "session"), ("4f1d-1", "session"), ("77aa-9", "once")]
    assert made.use(question(number="77aa-10", session="77aa"), T0) == []


def test_a_late_yes_for_the_session_is_for_the_one_that_was_answered():
    made = Granting(Grants())
    made.granted(question(), SESSION, "command", "77aa", [], T0)
    assert [grant.session for grant in made.grants] == ["77aa"]


def test_a_yes_for_a_time_is_one_grant_and_is_on_record_before_anybody_has_it():
    effects = Granting(Grants()).granted(question(), TIME, "command", "4f1d", CALLS, T0)
    assert kinds(effects) == ["RecordEntry", "GrantMade", "Answer", "Answer", "Answer"]


def test_always_is_a_rule_that_somebody_wrote_and_lets_the_held_call_pass_once():
    effects = Granting(Grants()).granted(question(), ALWAYS, "command", "4f1d", CALLS[:1], T0)
    assert kinds(effects) == ["Answer"]
    assert (effects[0].grant.term, effects[0].grant.scope) == ("once", "exact")


def test_with_nobody_waiting_the_next_try_finds_a_one_use_grant():
    made = Granting(Grants())
    assert kinds(made.granted(question(), YES_ONCE, "command", "4f1d", [], T0)) == ["RecordEntry", "GrantMade"]
    retry = question(number="4f1d-7")
    effects = made.use(retry, later(599))
    assert kinds(effects) == ["RecordEntry", "GrantEnded", "Answer"]
    assert made.use(retry, later(599)) == []
    assert actions(made.dispatched("4f1d-7")) == ["dispatched"]
    assert made.dispatched("4f1d-7") == []


def test_a_lasting_grant_is_used_again_and_again():
    made = Granting(Grants())
    made.granted(question(), TIME, "command", "4f1d", [], T0)
    for number in ("4f1d-7", "4f1d-8"):
        assert kinds(made.use(question(number=number), T0)) == ["RecordEntry", "Answer"]


def test_what_became_of_a_yes_is_on_record():
    made = Granting(Grants())
    made.granted(question(), YES_ONCE, "command", "4f1d", CALLS, T0)
    [told] = made.refused("4f1d-1", "the tool's definition has changed")
    assert (told.entry["action"], told.entry["why"]) == ("refused at dispatch", "the tool's definition has changed")
    assert made.tick(later(59)) == []
    assert [effect.entry["why"] for effect in made.tick(later(60))] == ["it was never dispatched"] * 2


def test_a_sessions_end_takes_its_grants_and_its_yeses():
    made = Granting(Grants())
    made.granted(question(), SESSION, "command", "4f1d", CALLS, T0)
    effects = made.end_session("4f1d", "the client is gone")
    assert actions(effects) == ["refused at dispatch", "refused at dispatch", "grant ended"]
    assert [effect.why for effect in effects if isinstance(effect, GrantEnded)] == ["the client is gone"]
    assert list(made.grants) == []


def test_grants_are_revoked_and_expire_on_record():
    made = Granting(Grants())
    made.granted(question(), TIME, "command", "4f1d", [], T0)
    assert kinds(made.tick(later(900))) == ["RecordEntry", "GrantEnded"]
    made.granted(question(), TIME, "command", "4f1d", [], T0)
    assert made.revoke("nothing") == []
    assert kinds(made.revoke("4f1d-1")) == ["RecordEntry", "GrantEnded"]
    made.granted(question(), TIME, "command", "4f1d", [], T0)
    assert actions(made.revoke("")) == ["grant ended"]


def test_after_a_restart_grants_of_sessions_that_are_gone_end_on_record():
    made = Granting(Grants())
    made.granted(question(), SESSION, "command", "4f1d", [], T0)
    assert made.keep_sessions(["4f1d"], "gone") == []
    ended = made.keep_sessions([], "it did not come back")
    assert (kinds(ended), ended[0].entry["why"]) == (["RecordEntry", "GrantEnded"], "it did not come back")


def test_a_yes_for_once_that_crossed_the_end_of_its_request_is_kept_for_the_retry():
    made = Granting(Grants())
    made.granted(question(), YES_ONCE, "command", "4f1d", CALLS[:1], T0)
    effects = made.parked("4f1d-1", later(5))
    assert (actions(effects), kinds(effects)) == (["grant made"], ["RecordEntry", "GrantMade"])
    assert (effects[1].grant.made, effects[1].grant.until, "4f1d-1" in made) == (5005.0, 5605.0, False)
    assert made.parked("4f1d-1", later(5)) == []
    made.granted(question(), TIME, "command", "4f1d", CALLS[:1], T0)
    assert made.parked("4f1d-1", later(5)) == []


def test_what_a_server_got_is_kept_for_its_calls_and_told_to_those_who_ask():
    made = Granting(Grants())
    asks = [Waiter("4f1d", "4f1d-p1", 30.0, T0)]
    effects = made.granted(permission(), SESSION, "command", "4f1d", asks, T0)
    assert kinds(effects) == ["RecordEntry", "GrantMade", "Answer"]
    grant = effects[-1].grant
    assert (grant.scope, grant.method, grant.target) == ("resource", "permission/read", "/srv/a")
    assert (grant.server, grant.session, grant.term, grant.args_digest) == ("github", "4f1d", "session", "")
    assert "4f1d-p1" not in made  # nobody waits for its dispatch
    again = made.use(permission(number="4f1d-p2"), T0)
    assert [answer.grant for answer in again if isinstance(answer, Answer)] == [grant]
    assert len(made.grants) == 1


def test_a_yes_to_whoever_is_no_governed_server_is_told_and_not_kept():
    made = Granting(Grants())
    asks = [Waiter("9999", "9999-p1", 30.0, T0)]
    effects = made.granted(permission(service="", revision=""), YES_ONCE, "command", "9999", asks, T0)
    assert kinds(effects) == ["Answer"]
    assert (effects[0].verdict, effects[0].grant.term, len(made.grants)) == ("allow", "once", 0)
    assert made.use(permission(service="", number="9999-p2"), T0) == []


@pytest.mark.parametrize("choice", [YES_ONCE, TIME])
def test_a_late_yes_to_whoever_is_no_governed_server_answers_the_same_request_once(choice):
    made = Granting(Grants())
    asked = permission(service="", revision="", server="app zed")
    assert made.granted(asked, choice, "command", "9999", [], T0) == []
    assert len(made.grants) == 0
    for other in ({"server": "app cursor"}, {"target": "/srv/b"}, {"method": "permission/write"}, {"service": "fs"}):
        change = {"service": "", "revision": "", "server": "app zed", **other}
        assert made.use(permission(number="9999-p2", **change), T0) == []
    (told, answer) = made.use(permission(service="", server="app zed", number="9999-p3", message="again"), later(599))
    assert (answer.verdict, answer.number, answer.grant.term) == ("allow", "9999-p3", choice.term)
    assert told.entry["action"] == "grant used"
    assert made.use(permission(service="", server="app zed", number="9999-p4"), later(599)) == []


def test_a_late_yes_that_is_too_old_or_revoked_is_none():
    made, asked = Granting(Grants()), permission(service="", revision="")
    made.granted(asked, YES_ONCE, "command", "9999", [], T0)
    assert made.use(asked, later(601)) == []
    made.granted(asked, YES_ONCE, "command", "9999", [], T0)
    made.revoke("")
    assert made.use(asked, T0) == []
    made.granted(asked, YES_ONCE, "command", "9999", [], T0)
    made.revoke("another")
    assert kinds(made.use(asked, T0)) == ["RecordEntry", "Answer"]


def test_late_yeses_are_bounded(monkeypatch):
    monkeypatch.setattr("mcpgov.daemon.approvals.granting.MOST", 3)
    made = Granting(Grants())
    for at in range(10):
        made.granted(permission(service="", target=f"/srv/{at}"), YES_ONCE, "command", "9999", [], T0)
        assert len(made._late) <= 3


def test_a_call_uses_up_what_its_server_got_for_once():
    made = Granting(Grants())
    made.granted(permission(), YES_ONCE, "command", "4f1d", [], T0)
    call = question(
        number="4f1d-7", operations=["read"], args={"path": "/srv/a"}, hosts=[],
        paths=[{"at": "path", "text": "/srv/a", "leads": ["/srv/a"]}],
    )  # fmt: skip
    assert kinds(made.use(call, T0)) == ["RecordEntry", "GrantEnded", "Answer"]
    assert made.use(call, T0) == []
