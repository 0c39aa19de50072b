"""Large answers that nobody looks into."""

import json

import pytest

from mcpgov.core.messages import wire
from mcpgov.core.session.session_policy import Policy
from tests.helpers.counting_guard import Counter, under_counter
from tests.helpers.playbook import ALLOW_ALL, Playbook, Reply, call, client, policy, request, result, server, told

LARGE = "x" * wire.LARGE_LINE


def answered(message, method="tools/call"):
    talk = Playbook(ALLOW_ALL) >> client(call(1) if method == "tools/call" else request(1, method))
    return told(talk.session.server.line(bytearray(json.dumps(message).encode())))


@pytest.mark.parametrize("more", [{}, {"isError": True}])
def test_a_large_result_goes_out_as_it_came(more):
    message = result(1, text=LARGE, **more)
    note, sent = answered(message)
    assert json.loads(bytes(sent[1])) == message
    assert note[1].get("error") is (True if more else None)


@pytest.mark.parametrize("method", ["tools/list", "resources/list"])
def test_a_large_list_is_still_read(method):
    message = result(1, tools=[{"name": "t", "description": LARGE}], resources=[{"uri": "u"}])
    assert answered(message, method)[0][1]["count"] >= 1


@pytest.mark.parametrize("task", ["t", "u"])
def test_a_large_result_of_a_task_that_guards_wait_for_is_read_as_a_whole(task):
    talk = Playbook(none=True)
    talk.session.policy = under_counter(counter := Counter(), ALLOW_ALL)
    talk >> client(request(1, "tools/call", name="read", arguments={}, task={}))
    talk >> server(result(1, task={"taskId": "t", "status": "working"}))
    talk.session.policy = Policy(policy(ALLOW_ALL))
    talk >> client(request(2, "tasks/result", taskId=task))
    talk >> server(result(2, text=LARGE, isError=True)) << Reply(result(2, text=LARGE, isError=True))
    assert counter.failed == ({"s-1"} if task == "t" else set())
    talk >> client(request(3, "tasks/result", taskId=task))
    talk >> server(result(3, text=LARGE)) << Reply(result(3, text=LARGE))


def test_a_large_answer_nobody_waits_for_is_dropped_and_a_bad_one_becomes_an_error():
    assert answered(result(2, text=LARGE))[0][1]["action"] == "dropped"
    message = {"jsonrpc": "1.0", "id": 1, "result": {"text": LARGE}}
    assert "invalid response" in json.loads(answered(message)[1][1])["error"]["message"]


def test_a_large_result_of_no_known_shape_is_read_as_a_whole():
    message = {"jsonrpc": "2.0", "id": 1, "result": [LARGE]}
    note, sent = answered(message)
    assert (note[1]["action"], json.loads(bytes(sent[1]))) == ("answered", message)
