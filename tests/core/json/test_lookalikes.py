"""Keys that decide: exactly themselves, or refused."""

import pytest

from mcpgov.core.json.lookalikes import VERSION_KEY, check_argument_keys, check_envelope, check_params, imitates
from mcpgov.core.messages.wire import Refused


def refusal(work, *args):
    with pytest.raises(Refused) as caught:
        work(*args)
    return caught.value.code, caught.value.why, caught.value.ident, caught.value.answer


@pytest.mark.parametrize("key", ["Method", "METHOD", "methoD"])
def test_a_look_alike_of_an_envelope_key_is_refused(key):
    assert refusal(check_envelope, {"id": 1, key: "x"}) == (-32600, "a look-alike of `method`", 1, True)


@pytest.mark.parametrize(
    ("key", "name"),
    [("paramſ", "params"), ("reſult", "result"), ("ıd", "id"), ("İd", "id"), ("ID", "id"), ("jſonrpc", "jsonrpc")],
)
def test_letters_that_only_fold_to_ours_are_look_alikes_too(key, name):
    ident = None if name == "id" else 1
    assert refusal(check_envelope, {"id": 1, key: "x"}) == (-32600, f"a look-alike of `{name}`", ident, True)


def test_keys_of_an_envelope_that_differ_in_case_only_are_refused():
    expected = (-32600, "keys that differ in case only", 1, True)
    assert refusal(check_envelope, {"id": 1, "x": 1, "X": 2}) == expected


def test_other_keys_of_an_envelope_are_nobodys_business():
    check_envelope({"jsonrpc": "2.0", "id": 1, "extra": 1, "é": 2})
    check_envelope({"jsonrpc": "2.0", "id": 1, "method": "x", "params": {}})


@pytest.mark.parametrize(
    ("params", "name"),
    [
        ({"Name": "x"}, "name"),
        ({"URI": "x"}, "uri"),
        ({"Arguments": {}}, "arguments"),
        ({"task_id": "x"}, "taskId"),
        ({"input_responses": {}}, "inputResponses"),
        ({"request-state": ""}, "requestState"),
        ({"meta": {}}, "_meta"),
        ({"taſKId": ""}, "taskId"),
        ({"notifications": {"resource_subscriptions": []}}, "resourceSubscriptions"),
        ({"notifications": {"ResourceSubscriptions": []}}, "resourceSubscriptions"),
        ({"ref": {"Uri": ""}}, "uri"),
        ({"argument": {"Value": ""}}, "value"),
        ({"_meta": {VERSION_KEY.upper(): ""}}, VERSION_KEY),
    ],
)
def test_a_look_alike_of_a_parameter_that_decides_is_refused(params, name):
    assert refusal(check_params, params, 1) == (-32602, f"a look-alike of `{name}`", 1, True)
    assert refusal(check_params, params, None) == (-32602, f"a look-alike of `{name}`", None, False)


def test_parameters_that_differ_in_case_only_are_refused():
    assert refusal(check_params, {"a": 1, "A": 2}, 1) == (-32602, "keys that differ in case only", 1, True)


def test_usual_parameters_pass():
    check_params(
        {"name": "a", "arguments": {"Name": 1}, "_meta": {VERSION_KEY: "x", "progressToken": 1}, "level": "info",
         "ref": "x"},
        1,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "fine"),
    [
        ({"a": 1, "b": [{"c": 1}]}, True),
        ({"a": 1, "A": 2}, False),
        ({"x": [1, {"y": [{"ſ": 1, "S": 2}]}]}, False),
        (dict.fromkeys(("a\ud800", "a\ud801")), False),
        ({"ß": 1, "ss": 2}, False),
        ({"a": "A"}, True),
    ],
)
def test_keys_of_one_object_that_fold_to_the_same_are_told(arguments, fine):
    assert check_argument_keys(arguments) is fine


def test_an_imitation_is_not_the_key_itself():
    assert imitates(["input_requests"], "inputRequests")
    assert imitates(["inputRequests", "InputRequests"], "inputRequests")
    assert not imitates(["inputRequests", "other"], "inputRequests")


@pytest.mark.parametrize("key", ["name\0", "name\0x", "na\0me", "NAME\0", "na\u200bme", "name\x7f"])
def test_signs_that_nobody_sees_make_a_look_alike(key):
    assert refusal(check_params, {key: "x"}, 1) == (-32602, "a look-alike of `name`", 1, True)
    assert imitates([key], "name")
    for keys in ({"name": 1, key: 2}, {key: 1, "Name": 2}, {"x": [{"name": 1, key: 2}]}):
        assert not check_argument_keys(keys)


def test_signs_that_nobody_sees_in_a_key_of_its_own_are_nobodys_business():
    assert check_argument_keys({"a\0": 1, "b": 2, "é\u200b": 3})
    assert not check_argument_keys({"a\0b": 1, "a\0c": 2})


def test_an_envelope_key_with_a_nul_is_refused():
    assert refusal(check_envelope, {"id": 1, "method\0": "x"}) == (-32600, "a look-alike of `method`", 1, True)
