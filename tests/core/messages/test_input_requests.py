"""Input requests: where they stand, and which answers to them were denied."""

import pytest

from mcpgov.core.messages import input_requests
from mcpgov.core.messages.input_requests import Retries, carried, requests_in
from mcpgov.core.messages.wire import Refused
from mcpgov.core.session.verdict import Stopped

ROOTS = {"method": "roots/list"}


def test_they_are_found_in_a_result_in_its_task_and_in_the_result_of_that():
    body = {"inputRequests": {"a": ROOTS}, "task": {"inputRequests": {"b": 1}}, "Result": {"inputRequests": {"c": 2}}}
    assert list(requests_in({"result": body}, "result")) == [
        (("result", "inputRequests", "a"), ROOTS),
        (("result", "task", "inputRequests", "b"), 1),
        (("result", "Result", "inputRequests", "c"), 2),
    ]
    assert carried({**body, "requestState": "s"}) == (["a", "b", "c"], ["s", None, None])


@pytest.mark.parametrize("body", [{}, {"task": {}}, {"task": 3}, {"inputRequests": None}, {"other": {"a": 1}}])
def test_a_body_without_any_has_none(body):
    assert carried(body)[0] is None
    assert list(requests_in({"params": body}, "params")) == []


@pytest.mark.parametrize("body", [{"inputRequests": [ROOTS]}, {"task": {"inputRequests": "x"}}])
def test_what_has_no_known_shape_is_stopped(body):
    assert carried(body)[0] == []
    with pytest.raises(Stopped):
        list(requests_in({"params": body}, "params"))


@pytest.mark.parametrize("body", [{"input_requests": {}}, {"task": {"InputRequests": {}}}])
def test_a_look_alike_is_refused(body):
    with pytest.raises(Refused):
        carried(body)


def retries(*refused, offered=()):
    made = Retries()
    made.refuse([state for state, _ in refused], [name for _, name in refused])
    made.offer([state for state, _ in offered], [name for _, name in offered])
    return made


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({}, False),
        ({"inputResponses": {"k": {}}}, True),
        ({"inputResponses": {"z": {}}}, False),
        ({"inputResponses": {"z": {}}, "requestState": "s"}, True),
        ({"inputResponses": []}, True),
        ({"inputResponses": {"k": {}}, "requestState": "t"}, False),
    ],
)
def test_answers_to_what_was_denied_are_told(params, expected):
    assert retries(("s", "k"), (None, "j"), offered=[("t", "o"), (3, "p")]).answers_refused(params) is expected


def test_what_is_offered_later_is_denied_no_more_and_the_other_way_round():
    made = retries(("s", "k"), offered=[("s", "k")])
    assert not made.answers_refused({"inputResponses": {"k": {}}, "requestState": "s"})
    made.refuse(["s"], ["k"])
    assert made.answers_refused({"inputResponses": {"k": {}}, "requestState": "s"})


def test_memory_is_bounded_and_full_means_denied(monkeypatch):
    monkeypatch.setattr(input_requests, "MOST_OPEN", 1)
    made = retries(("s", "k"), offered=[("t", "o"), ("u", "p")])
    assert made.answers_refused({"inputResponses": {"z": {}}, "requestState": "t"})
    assert not made.answers_refused({"inputResponses": {"z": {}}, "requestState": "u"})


@pytest.mark.parametrize(
    ("names", "states"), [(["mcpgov/approval"], []), ([], ["mcpgov:{}"]), (["a"], [None, "mcpgov:"])]
)
def test_what_passes_itself_off_as_ours_is_stopped(names, states):
    with pytest.raises(Stopped):
        input_requests.check_not_ours(names, states)
    input_requests.check_not_ours(["approval"], ["its own", None, 7])
