import pytest

from mcpgov.core.approvals import app_approval
from mcpgov.core.approvals.app_approval import KEY, asking_result, identifier, take_answer, way_to_ask, word_of

YES = {"action": "accept", "content": {"decision": "once"}}


def test_ids_are_ours_alone():
    assert identifier("4f1d-1", "f00d") == "mcpgov-approval-4f1d-1-f00d"


@pytest.mark.parametrize(
    ("version", "capabilities", "found"),
    [
        ("2025-06-18", {"elicitation": {}}, "request"),
        ("2025-11-25", {"elicitation": {"form": {}, "url": {}}}, "request"),
        ("2025-11-25", {"elicitation": {"url": {}}}, ""),
        ("2025-03-26", {"elicitation": {}}, ""),
        ("2026-07-28", {"elicitation": {"form": {}}}, "result"),
        ("2026-07-28", {}, ""),
        ("2025-06-18", {"elicitation": True}, ""),
        ("2025-06-18", None, ""),
    ],
)
def test_a_client_is_asked_only_if_it_said_that_it_can_show_forms(version, capabilities, found):
    assert way_to_ask(version, capabilities) == found


@pytest.mark.parametrize(
    ("response", "word"),
    [
        (YES, "once"),
        ({"action": "accept", "content": {"decision": "session"}}, "session"),
        ({"action": "accept", "content": {"decision": "deny"}}, "deny"),
        ({"action": "decline"}, "deny"),
        ({"action": "cancel"}, ""),
        ({"action": "accept"}, ""),
        ({"action": "accept", "content": {}}, ""),
        ({"action": "accept", "content": {"decision": True}}, ""),
        ({"action": "accept", "content": {"decision": "always"}}, ""),
        ({"content": {"decision": "once"}}, ""),
        ("accept", ""),
        (None, ""),
    ],
)
def test_only_an_accept_with_one_of_the_words_is_an_answer(response, word):
    assert word_of(response) == word


def test_the_stateless_question_brings_its_answer_back_and_the_servers_part_stays_the_servers():
    first = {"name": "t", "arguments": {"a": 1}, "requestState": "srv", "inputResponses": {"q": {"action": "accept"}}}
    made = asking_result({}, "4f1d-1", first)
    assert made["resultType"] == "input_required"
    assert list(made["inputRequests"]) == [KEY]
    again = {"name": "t", "arguments": {"a": 1}, "requestState": made["requestState"], "inputResponses": {KEY: YES}}
    taken = take_answer(again)
    assert (taken.number, taken.word, taken.params) == ("4f1d-1", "once", first)


def test_without_a_part_of_the_servers_nothing_of_ours_is_left():
    made = asking_result({}, "4f1d-1", {"name": "t"})
    taken = take_answer(
        {"name": "t", "requestState": made["requestState"], "inputResponses": {KEY: {"action": "decline"}}}
    )
    assert (taken.word, taken.params) == ("deny", {"name": "t"})
    assert take_answer({"name": "t", "requestState": made["requestState"]}).word == ""
    other = take_answer({"name": "t", "requestState": made["requestState"], "inputResponses": {"q": 1}})
    assert (other.word, other.params) == ("", {"name": "t", "inputResponses": {"q": 1}})


@pytest.mark.parametrize(
    "state", [None, "srv", "mcpgov:{", "mcpgov:[]", 'mcpgov:{"number": 5}', "mcpgov:" + "[" * 60_000]
)
def test_an_answer_without_our_state_answers_nothing_and_is_taken_out(state):
    given = {"name": "t", "inputResponses": {KEY: YES, "q": 1}, **({"requestState": state} if state else {})}
    taken = take_answer(given)
    assert (taken.number, taken.word) == ("", "")
    assert taken.params == {**given, "inputResponses": {"q": 1}}
    assert "inputResponses" not in take_answer({"inputResponses": {KEY: YES}}).params


def test_requests_without_our_part_are_not_touched():
    assert take_answer({"name": "t"}) is None
    assert take_answer({"name": "t", "requestState": "srv", "inputResponses": {"q": 1}}) is None
    assert take_answer({"inputResponses": "odd"}) is None


def test_what_is_too_long_to_travel_with_the_question_is_not_asked_so():
    assert asking_result({}, "4f1d-1", {"requestState": "x" * app_approval.LONGEST_STATE}) is None


def test_a_result_that_asks_about_an_answer_says_so_in_its_state():
    body = asking_result({}, "s-1", {}, answer=True)
    taken = take_answer({"requestState": body["requestState"], "inputResponses": {KEY: YES}})
    assert (taken.number, taken.word, taken.params, taken.answer) == ("s-1", "once", {}, True)
    assert take_answer({"requestState": asking_result({}, "s-1", {})["requestState"]}).answer is False
