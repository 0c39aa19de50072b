"""Our questions in the app: whoever answers, only the person's word counts, and the server hears nothing of them."""

import json

import pytest

from mcpgov.core.approvals import app_questions
from mcpgov.core.approvals.app_approval import KEY, LONGEST_STATE
from mcpgov.core.approvals.app_questions import MOST_PARKED, progress
from tests.helpers.playbook import (
    ALLOW_ALL,
    APP,
    META,
    NOTHING,
    Ask,
    Forward,
    Playbook,
    Reply,
    call,
    client,
    error,
    line,
    notification,
    request,
    result,
    server,
)

ASKS = {"action": "prompt", "tool": ["delete"]}
PARAMS = {"message": "sure?", "requestedSchema": {}}
IDENT = "mcpgov-approval-s-1-f00d"
YES = {"action": "accept", "content": {"decision": "once"}}


def asking():
    return Playbook(ASKS, ALLOW_ALL, asks=True)


def in_app(talk, number="s-1"):
    return talk.take(app_questions.ask_by_request(talk.session.state, number, PARAMS, "f00d"), noted=True)


def in_result(talk, number="s-1"):
    return talk.take(app_questions.ask_in_result(talk.session, number, PARAMS), noted=True)


# --- handshake era


def test_the_question_is_a_request_with_an_id_of_our_own():
    talk = asking() >> client(call(1, "delete"))
    in_app(talk) << Reply(request(IDENT, "elicitation/create", **PARAMS))


@pytest.mark.parametrize(
    ("body", "word", "why"),
    [
        ({"result": YES}, "once", None),
        ({"result": {"action": "accept", "content": {"decision": "session"}}}, "session", None),
        ({"result": {"action": "decline"}}, "deny", None),
        ({"result": {"action": "accept"}}, "", "closed"),
        ({"result": {"action": "accept", "content": {"decision": "always"}}}, "", "closed"),
        ({"result": {"action": "cancel"}}, "", "closed"),
        ({"error": {"code": -32601, "message": "no"}}, "", "cannot ask"),
        ({"result": YES, "error": {"code": 1, "message": "both"}}, "", "cannot ask"),
    ],
)
def test_an_answer_is_heard_once_and_never_reaches_the_server(body, word, why):
    talk = in_app(asking() >> client(call(1, "delete")))
    answer = {"jsonrpc": "2.0", "id": IDENT, **body}
    talk >> client(answer) << (APP, "s-1", word)
    if why:
        assert why in talk.note["why"]
    talk >> client(answer)
    assert not any(kind == "server" for kind, *_ in talk.effects)


def test_a_question_answered_elsewhere_is_taken_back_and_its_answer_comes_too_late():
    talk = in_app(asking() >> client(call(1, "delete")))
    talk.take(app_questions.take_back(talk.session.state, "s-1", "f00d"), noted=True)
    assert talk.reply["params"]["requestId"] == IDENT
    talk.take(app_questions.take_back(talk.session.state, "s-1", "f00d")) << NOTHING
    talk >> client(result(IDENT, **YES)) << NOTHING


def test_a_server_cannot_use_an_id_of_ours_nor_answer_by_one():
    talk = in_app(asking() >> client(call(1, "delete")))
    talk >> server(request(IDENT, "elicitation/create", **PARAMS))
    talk << Forward(error(IDENT, -32600, "such ids are our own"))
    talk >> server(result(IDENT, **YES)) << NOTHING
    talk >> server(notification("notifications/cancelled", requestId=IDENT)) << NOTHING
    talk >> client(result(IDENT, **YES)) << (APP, "s-1", "once")


# --- stateless era


def modern(ident, tool="delete", **params):
    return request(ident, "tools/call", name=tool, arguments={"n": 1}, _meta=META, **params)


def asked_in_result(talk):
    """The state that the client is to send back."""
    body = in_result(talk >> client(modern(1))).reply["result"]
    assert body["inputRequests"] == {KEY: {"method": "elicitation/create", "params": PARAMS}}
    assert body["resultType"] == "input_required"
    return body["requestState"]


def test_the_request_ends_with_a_result_that_asks_and_its_retry_brings_the_answer():
    talk = asking()
    state = asked_in_result(talk)
    assert talk.parked == ["s-1"]
    assert (talk.note["action"], talk.session.open_requests) == ("asked in the app", 0)
    in_result(talk) << NOTHING
    talk >> client(modern(2, requestState=state, inputResponses={KEY: YES})) << Ask("s-2")
    assert talk.questions[-1].brought == ("s-1", "once")
    assert talk.questions[-1].call.params == modern(2)["params"]
    assert json.loads(talk.session.client.requests.held_at(2).held.text) == modern(2)


def test_an_answer_counts_once():
    talk = asking()
    state = asked_in_result(talk)
    for ident, brought in ((2, ("s-1", "once")), (3, ("", ""))):
        talk >> client(modern(ident, requestState=state, inputResponses={KEY: YES}))
        assert talk.questions[-1].brought == brought


def test_what_the_request_carried_for_the_server_goes_on_to_it():
    talk = asking()
    first = modern(1, requestState="its own", inputResponses={"theirs": {"roots": [1.50]}})
    state = in_result(talk >> client(first)).reply["result"]["requestState"]
    retry = modern(2, "read", requestState=state, inputResponses={KEY: YES, "more": {}})
    talk >> client(line(retry).replace(b"1.5", b"1.50"))
    own = {"requestState": "its own", "inputResponses": {"theirs": {"roots": [1.50]}, "more": {}}}
    talk << Forward(modern(2, "read", **own))


def test_a_key_of_ours_from_another_session_is_taken_out_and_answers_nothing():
    talk = asking() >> client(modern(1, "read", inputResponses={KEY: YES})) << Forward(modern(1, "read"))
    talk >> client(modern(2, inputResponses={KEY: YES})) << Ask("s-2")
    assert talk.questions[-1].brought == ("", "")


def test_what_the_server_itself_asked_for_is_left_alone():
    answer = modern(1, "read", requestState="x", inputResponses={"a": {}})
    asking() >> client(answer) << Forward(answer)


@pytest.mark.parametrize(
    "body",
    [
        {"inputRequests": {KEY: {"method": "elicitation/create", "params": PARAMS}}},
        {"inputRequests": {"a": {"method": "roots/list"}}, "requestState": 'mcpgov:{"number":"s-1"}'},
        {"requestState": 'mcpgov:{"number":"s-1"}'},
    ],
)
def test_no_result_of_a_server_passes_for_a_question_of_ours(body):
    talk = asking() >> client(modern(1, "read")) >> server(result(1, resultType="input_required", **body))
    assert "passes itself off as a question of mcpgov" in json.dumps(talk.reply)


def test_what_is_too_long_to_travel_is_not_asked_in_the_app():
    talk = asking() >> client(modern(1, requestState="x" * LONGEST_STATE))
    in_result(talk) << (APP, "s-1", "")
    assert talk.session.client.requests.held


def test_only_so_many_numbers_are_remembered():
    talk = asking()
    talk.session.state.parked = {str(number) for number in range(MOST_PARKED)}
    asked_in_result(talk)
    assert talk.session.state.parked == {"s-1"}


def test_a_request_without_parameters_can_be_asked_about():
    talk = Playbook({"action": "prompt", "method": ["prompts/list"]}, ALLOW_ALL, asks=True)
    talk >> client({"jsonrpc": "2.0", "id": 1, "method": "prompts/list"})
    assert in_result(talk).reply["result"]["requestState"] == 'mcpgov:{"number":"s-1"}'


# --- while it waits


def test_whoever_waits_hears_that_it_is_worth_waiting():
    first, second = (json.loads(progress("client", "t", count, "s-1").line) for count in (1, 2))
    assert first["method"] == "notifications/progress"
    assert first["params"]["progressToken"] == "t"
    assert 0 < first["params"]["progress"] < second["params"]["progress"] < 1
    assert type(progress("server", 7, 1, "s-1")).__name__ == "Forward"


def test_a_retry_that_asks_for_an_answer_we_do_not_have_is_not_sent():
    talk = Playbook({**ASKS, "tool": [], "contains": ["odd"]}, ALLOW_ALL, asks=True) >> client(call(1, meta=META))
    talk >> server(result(1, text="odd"))
    in_result(talk, "s-2")
    given = {"inputResponses": {KEY: YES}, "requestState": talk.reply["result"]["requestState"]}
    again = request(2, "tools/call", name="read", arguments={}, _meta=META, **given)
    talk >> client(again) << Ask("s-4")
    gone = "the answer that was asked about is gone"
    talk >> client({**again, "id": 3}) << Reply(error(3, -32600, gone))
