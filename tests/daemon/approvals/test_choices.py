import pytest

from mcpgov.daemon.approvals.choices import NO, YES_ONCE, Choice, objection, seconds_of
from tests.helpers.questions import permission, question


@pytest.mark.parametrize("surface", ["app", "desktop", "terminal", "command", "page"])
def test_every_surface_may_allow_once_and_deny(surface):
    assert objection(YES_ONCE, question(), surface) == ""
    assert objection(NO, question(), surface) == ""


def test_nothing_that_lasts_comes_from_a_popup_and_nothing_wide_from_the_app():
    session = Choice(True, "session")
    assert "at the desk" in objection(session, question(), "desktop")
    assert objection(session, question(), "app") == ""
    assert "at the desk" in objection(Choice(True, "session", "tool"), question(), "app")
    assert "at the desk" in objection(Choice(True, "always"), question(), "app")
    assert objection(Choice(True, "time", "tool", 900), question(), "terminal") == ""


def test_a_rule_keeps_a_question_out_of_the_app():
    desk = question(ask=["desk"])
    assert "keeps this question from the app" in objection(NO, desk, "app")
    assert objection(YES_ONCE, desk, "command") == ""
    assert "from the letter" in objection(NO, desk, "letter")


def test_what_a_call_cannot_be_allowed_by_is_said():
    assert objection(Choice(True, "once", "folder"), question(folders=[]), "command").endswith(": exact or tool")
    for seconds in (0, 59, 90_000):
        assert "a minute to a day" in objection(Choice(True, "time", "tool", seconds), question(), "command")


@pytest.mark.parametrize(
    ("change", "scope", "why"),
    [
        ({}, "exact", ""),
        ({"layer": "managed"}, "exact", "no rule of yours changes what the managed policy asks"),
        ({"layer": "project"}, "tool", "no rule of yours changes what the project policy asks"),
        ({"asked_by": "(default)"}, "tool", ""),
        ({"asked_by": "(pin)"}, "exact", "accept the tool instead: mcpgov tools SERVER --accept TOOL"),
        ({"args": None}, "exact", "its arguments are too long or secret for a rule: choose the folder or the tool"),
        ({"args": None}, "tool", ""),
    ],
)
def test_always_is_refused_where_no_rule_could_be_written(change, scope, why):
    assert objection(Choice(True, "always", scope), question(**change), "command") == why


def test_times_are_read_as_people_write_them():
    assert [seconds_of(text) for text in ("90s", "15m", " 2h ", "5")] == [90, 900, 7200, 300]
    assert [seconds_of(text) for text in ("", "x", "-5m", "1d", "1.5h")] == [None] * 5


def test_no_rule_is_written_for_an_answer():
    answer = question(method="answer to tools/call", args=None, folders=[])
    assert "no rule is written for an answer" in objection(Choice(True, "always", "tool"), answer, "command")
    assert objection(Choice(True, "time", "tool", 900), answer, "command") == ""


def test_what_a_server_asks_for_is_given_once_for_a_time_or_for_its_session_and_never_as_a_rule():
    for choice in (YES_ONCE, Choice(True, "session"), Choice(True, "time", "exact", 900)):
        assert objection(choice, permission(), "terminal") == ""
    assert "no rule is written for a permission" in objection(Choice(True, "always"), permission(), "terminal")
    assert "cannot be allowed by tool" in objection(Choice(True, "time", "tool", 900), permission(), "terminal")
    assert "keeps this question" in objection(YES_ONCE, permission(), "app")
    nobody = permission(service="", revision="")
    assert objection(YES_ONCE, nobody, "command") == ""
    assert "no session of a governed server" in objection(Choice(True, "session"), nobody, "command")
