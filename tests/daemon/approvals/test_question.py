from dataclasses import replace

import pytest

from mcpgov.daemon.approvals.question import LARGEST_TEXT, MOST_PLACES, ArgumentPlace, NoQuestion, question_from
from tests.helpers.questions import permission, question, question_data


def test_a_question_comes_over_the_link_as_it_was_made():
    found = question()
    assert (found.number, found.server, found.name, found.line) == ("4f1d-1", "github", "delete_repository", 7)
    assert found.paths == (ArgumentPlace("path", "/srv/link/x", ("/etc/x",)),)
    assert found.hosts == (ArgumentPlace("url", "", ("a.example",)),)
    assert found.folders == ((("path",), "/etc/**"),)
    assert question(target="", method="sampling/createMessage").name == "sampling/createMessage"


@pytest.mark.parametrize(
    "change",
    [
        {"more": 1},
        {"number": 5},
        {"number": ""},
        {"session": ""},
        {"message": "x" * (LARGEST_TEXT + 1)},
        {"operations": "delete"},
        {"operations": [1]},
        {"line": "7"},
        {"complete": 1},
        {"shown": []},
        {"args": []},
        {"layer": "other"},
        {"app": "yes"},
        {"ask": ["everybody"]},
        {"paths": {}},
        {"paths": [{}] * (MOST_PLACES + 1)},
        {"paths": [5]},
        {"paths": [{"at": "a", "leads": "x"}]},
        {"hosts": [{"at": "a", "host": 5}]},
        {"folders": {}},
        {"folders": [[["a"]]]},
        {"folders": [["a", "/x"]]},
    ],
)
def test_anything_else_is_refused(change):
    with pytest.raises(NoQuestion):
        question_from(question_data(**change))
    with pytest.raises(NoQuestion):
        question_from(None)


def test_equal_questions_have_equal_keys_and_only_those():
    one = question()
    assert one.key == question(number="77aa-3", session="77aa").key
    for name in ("server", "client", "project", "method", "target", "asked_by", "revision", "tool_digest",
                 "args_digest"):  # fmt: skip
        assert replace(one, **{name: "other"}).key != one.key
    assert replace(one, ask=("desk",)).key != one.key
    assert replace(one, paths=()).key != one.key


def test_a_question_tells_what_a_yes_may_be_for_and_who_may_give_it():
    assert question().scopes == ("exact", "folder", "tool")
    assert question(folders=[]).scopes == ("exact", "tool")
    assert question(folders=[], target="").scopes == ("exact",)
    assert question(asked_by="(pin)").scopes == ("exact",)
    assert question(ask=["desk"]).lets("desk")
    assert not question(ask=["desk"]).lets("app")


def test_what_was_read_can_be_sent_on_and_read_again():
    assert question_from(question().as_data()) == question()


def test_a_question_about_an_answer_says_whose_it_is():
    answer = question(method="answer to tools/call")
    assert (answer.is_answer, answer.name) == (True, "the answer of delete_repository")
    assert question(method="answer to resources/read", target="").name == "the answer of resources/read"
    assert question().is_answer is False


def test_what_a_server_asks_for_is_told_by_its_method():
    made = permission("/srv/a", "write")
    assert (made.is_permission, made.permitted, made.scopes, made.name) == (True, "write", ("exact",), "/srv/a")
    assert not question().is_permission
    assert question_from(made.as_data()) == made
