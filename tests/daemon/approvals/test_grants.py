import pytest

from mcpgov.core.approvals.grants import grant_of
from mcpgov.daemon.approvals import grants
from mcpgov.daemon.approvals.choices import YES_ONCE, Choice
from mcpgov.daemon.approvals.grants import Grants, Now, grant_for, lasting, outlasts
from tests.helpers.questions import permission, question

T0 = Now(100.0, 5000.0)
TOOL, FOLDER = Choice(True, "time", "tool", 900.0), Choice(True, "time", "folder", 900.0)


def later(seconds, wall=None):
    return Now(T0.mono + seconds, T0.wall + (seconds if wall is None else wall))


def made(choice=YES_ONCE, ident="g1", session="4f1d", asked=None, now=T0):
    return grant_for(asked or question(), choice, "command", ident, session, now, lasting(choice))


def book(*held):
    found = Grants()
    for grant in held:
        found.add(grant, T0)
    return found


def test_a_grant_is_bound_as_the_answer_says_and_comes_back_from_json():
    for choice in (YES_ONCE, TOOL, FOLDER, Choice(True, "session", "exact"), Choice(True, "always", "tool")):
        grant = made(choice)
        assert grant_of(grant.as_data()).as_data() == grant.as_data()
    always = made(Choice(True, "always", "tool"))
    assert (always.term, always.scope, always.until) == ("once", "exact", 5600.0)
    assert made(Choice(True, "session", "tool")).session == "4f1d"
    assert made(FOLDER).folders == ((("path",), "/etc/**"),)


def test_a_one_use_grant_is_found_for_the_identical_call_and_used_up():
    found = book(made())
    retry = question(number="4f1d-2")
    grant = found.find(retry, "other", T0)
    assert grant.id == "g1"
    assert found.use(grant)
    assert found.find(retry, "4f1d", T0) is None


@pytest.mark.parametrize(
    "change",
    [
        {"server": "x"},
        {"method": "prompts/get"},
        {"target": "x"},
        {"tool_digest": "d2"},
        {"asked_by": "x"},
        {"layer": "managed"},
        {"args_digest": "a2"},
    ],
)
def test_any_difference_is_asked_again(change):
    assert book(made()).find(question(**change), "4f1d", T0) is None


def test_a_grant_for_the_tool_takes_any_arguments_and_one_of_a_session_no_other_session():
    held = book(made(Choice(True, "session", "tool")))
    assert held.find(question(args_digest="a2"), "4f1d", T0) is not None
    assert held.find(question(), "77aa", T0) is None


@pytest.mark.parametrize(
    ("folders", "holds"),
    [
        ([[["path"], "/etc/**"]], True),
        ([[["path"], "/etc/deep/er/**"]], True),
        ([[["path"], "/etcetera/**"]], False),
        ([[["path"], "/**"]], False),
        ([[["other"], "/etc/**"]], False),
        ([[["path"], "/etc/**"], [["to"], "/etc/**"]], False),
        ([], False),
    ],
)
def test_a_folder_holds_what_is_certainly_in_it_or_below(folders, holds):
    found = book(made(FOLDER)).find(question(folders=folders, args_digest="a2"), "4f1d", T0)
    assert (found is not None) is holds


def test_a_lasting_grant_is_used_before_one_for_one_use():
    held = book(made(ident="once"), made(TOOL, "tool"))
    grant = held.find(question(), "4f1d", T0)
    assert grant.id == "tool"
    assert not held.use(grant)
    assert len(held) == 2


def test_no_grant_outlives_its_bound_by_either_clock():
    held = book(made(TOOL))
    assert held.find(question(), "4f1d", later(899)) is not None
    assert held.find(question(), "4f1d", later(900)) is None
    assert held.find(question(), "4f1d", later(10, wall=900)) is None  # the clock was set forward
    assert held.find(question(), "4f1d", later(900, wall=10)) is None  # the clock was set back
    assert held.find(question(), "4f1d", later(1, wall=-10)) is None
    assert [grant.id for grant in held.expire(later(900))] == ["g1"]
    assert len(held) == 0


def test_after_a_restart_the_time_of_day_counts():
    held = Grants([made(TOOL)], Now(0.0, 5009.0))
    assert held.find(question(), "4f1d", Now(1.0, 5010.0)) is not None
    assert held.expire(Now(1.0, 5010.0)) == []
    assert held.find(question(), "4f1d", Now(1.0, 5900.0)) is None


def test_a_clock_that_is_set_back_after_a_restart_lengthens_no_grant():
    held = Grants([made(TOOL)], Now(0.0, 5800.0))  # 100 seconds are left of it
    assert held.find(question(), "4f1d", Now(99.0, 5001.0)) is not None
    assert held.find(question(), "4f1d", Now(100.0, 5002.0)) is None
    assert [grant.id for grant in held.expire(Now(100.0, 5002.0))] == ["g1"]


def test_a_grant_for_longer_than_any_answer_gives_is_told():
    for choice in (YES_ONCE, Choice(True, "time", "tool", 24 * 3600.0), Choice(True, "session", "tool")):
        grant = made(choice)
        assert not outlasts(grant)
        assert outlasts(grant_of({**grant.as_data(), "until": grant.until + 2}))


def test_grants_are_revoked_by_id_by_decision_or_all():
    held = book(made(ident="a"), made(TOOL, "b"))
    assert held.get("a").id == "a"
    assert [grant.id for grant in held.revoke("a")] == ["a"]
    assert held.revoke("a") == []
    assert [grant.id for grant in held.revoke("4f1d-1")] == ["b"]
    held = book(made(ident="a"), made(TOOL, "b"))
    assert [grant.id for grant in held] == ["a", "b"]
    assert len(held.revoke_all()) == 2


def test_a_sessions_grants_end_with_it():
    session = Choice(True, "session", "tool")
    held = book(made(session, "a", "s1"), made(session, "b", "s2"), made(TOOL, "c"))
    assert [grant.id for grant in held.end_session("s1")] == ["a"]
    assert [grant.id for grant in held.keep_sessions(["s3"])] == ["b"]
    assert [grant.id for grant in held] == ["c"]


def test_a_flood_of_grants_gives_way_to_the_newest(monkeypatch):
    monkeypatch.setattr(grants, "MOST", 2)
    held = book(made(ident="a"), made(ident="b"))
    assert [grant.id for grant in held.add(made(ident="c"), T0)] == ["a"]


def test_time_has_passed_by_the_clock_that_is_never_set():
    assert not later(9).passed(T0, 10)
    assert later(10, wall=-3600).passed(T0, 10)
    assert not later(9, wall=3600).passed(T0, 10)


def test_a_yes_inside_an_app_is_for_that_conversation_also_where_it_came_late():
    grant = grant_for(question(), YES_ONCE, "app", "g1", "4f1d", T0, 600.0)
    held = book(grant)
    assert held.find(question(session="77aa"), "77aa", T0) is None
    assert held.find(question(), "4f1d", T0) is grant
    assert held.end_session("4f1d") == [grant]


def reads(path="/srv/a", **change):
    usual = {"operations": ["read"], "args": {"path": path}, "hosts": [], "session": "4f1d"}
    return question(**{**usual, "paths": [{"at": "path", "text": path, "leads": [path]}], **change})


def test_a_grant_for_a_resource_is_found_for_calls_that_are_nothing_else():
    held = book(made(Choice(True, "session"), asked=permission()))
    assert held.find(reads(), "4f1d", T0) is not None
    for other in (
        reads("/srv/b"),
        reads(server="fs"),
        reads(operations=["read", "write"]),
        reads(args=None),
        reads(complete=False),
        reads(asked_by="(pin)"),
        reads(layer="managed"),
        reads(ask=["app"]),
        reads(method="answer to tools/call"),
    ):
        assert held.find(other, "4f1d", T0) is None
    assert held.find(reads(), "77aa", T0) is None
    assert held.find(reads(), "4f1d", later(8 * 24 * 3600.0)) is None
    assert held.find(permission(number="4f1d-p2"), "4f1d", T0) is not None
    assert held.find(permission("/srv/b"), "4f1d", T0) is None
    assert grant_of(next(iter(held)).as_data()).scope == "resource"
