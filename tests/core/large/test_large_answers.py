"""Large answers that nobody looks into."""

import json

import pytest

from mcpgov.core.messages import wire
from tests.helpers.playbook import ALLOW_ALL, Playbook, call, client, request, result, told

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


def test_a_large_answer_nobody_waits_for_is_dropped_and_a_bad_one_becomes_an_error():
    assert answered(result(2, text=LARGE))[0][1]["action"] == "dropped"
    message = {"jsonrpc": "1.0", "id": 1, "result": {"text": LARGE}}
    assert "invalid response" in json.loads(answered(message)[1][1])["error"]["message"]


def test_a_large_result_of_no_known_shape_is_read_as_a_whole():
    message = {"jsonrpc": "2.0", "id": 1, "result": [LARGE]}
    note, sent = answered(message)
    assert (note[1]["action"], json.loads(bytes(sent[1]))) == ("answered", message)
