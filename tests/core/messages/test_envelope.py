"""The outer keys of a message."""

import pytest

from mcpgov.core.messages.envelope import envelope, params_of
from mcpgov.core.messages.wire import Refused


def refusal(work, *args):
    with pytest.raises(Refused) as caught:
        work(*args)
    return caught.value.code, caught.value.why, caught.value.ident


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"jsonrpc": "2.0", "id": 1, "method": "x"}, ("x", 1)),
        ({"jsonrpc": "2.0", "method": "x"}, ("x", None)),
        ({"jsonrpc": "2.0", "id": "a", "result": {}}, (None, "a")),
        ({"jsonrpc": "2.0", "id": 0, "error": {}}, (None, 0)),
    ],
)
def test_an_envelope_is_a_request_a_notification_or_an_answer(message, expected):
    assert envelope(message) == expected


@pytest.mark.parametrize(
    ("message", "why", "ident"),
    [
        ({"id": 1, "method": "x"}, '`jsonrpc` must be "2.0"', 1),
        ({"jsonrpc": "1.0", "method": "x"}, '`jsonrpc` must be "2.0"', None),
        ({"jsonrpc": 2.0, "id": 1, "method": "x"}, '`jsonrpc` must be "2.0"', 1),
        ({"jsonrpc": "2.0", "id": None, "method": "x"}, "`id` must be a string or an integer", None),
        ({"jsonrpc": "2.0", "id": 1.5, "method": "x"}, "`id` must be a string or an integer", None),
        ({"jsonrpc": "2.0", "id": True, "method": "x"}, "`id` must be a string or an integer", None),
        ({"jsonrpc": "2.0", "id": [1], "method": "x"}, "`id` must be a string or an integer", None),
        ({"jsonrpc": "2.0", "id": 1, "method": "x", "result": {}}, "both a request and an answer", 1),
        ({"jsonrpc": "2.0", "id": 1, "method": ["x"]}, "`method` must be a string", 1),
        ({"jsonrpc": "2.0", "id": 1, "result": {}, "error": {}}, "both a result and an error", 1),
        ({"jsonrpc": "2.0", "id": 1}, "neither a request nor an answer", 1),
        ({"jsonrpc": "2.0", "result": {}}, "neither a request nor an answer", None),
    ],
)
def test_what_is_none_of_the_three_is_refused(message, why, ident):
    assert refusal(envelope, message) == (-32600, why, ident)


def test_parameters_are_an_object_or_absent():
    assert params_of({"params": {"a": 1}}, 1) == {"a": 1}
    assert params_of({}, 1) == params_of({"params": None}, 1) == {}
    assert refusal(params_of, {"params": []}, 1) == (-32602, "`params` must be an object", 1)
