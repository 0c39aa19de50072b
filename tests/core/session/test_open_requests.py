"""The requests that wait: one way to open, one way to close."""

from mcpgov.core.approvals.held_requests import HeldRequest
from mcpgov.core.rules.call import Call
from mcpgov.core.session.open_requests import ANSWERED, CANCELLED, DENIED, OpenRequest, OpenRequests
from tests.helpers.playbook import (
    ALLOW_ALL,
    NOTHING,
    Forward,
    Playbook,
    Reply,
    call,
    client,
    result,
    server,
)


def test_of_requests_that_nobody_waits_for_only_the_latest_are_kept(monkeypatch):
    monkeypatch.setattr("mcpgov.core.session.open_requests.MOST_CANCELLED", 1)
    talk = Playbook(ALLOW_ALL)
    for ident in (1, 2, 3):
        cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": ident}}
        talk >> client(call(ident)) >> client(cancel) >> client(cancel)
    assert list(talk.session.client.requests.by_id) == [3]
    talk >> server(result(2)) << NOTHING
    talk >> server(result(3)) << Reply(result(3))
    talk >> client(cancel) >> client(call(3)) << Forward(call(3))
    talk >> client(call(3))
    assert talk.reply["error"]["message"] == "the id is in use by an open request"


class Told:
    """Guards that remember what was settled."""

    def __init__(self):
        self.settled = []

    def settle(self, call, outcome):
        self.settled.append((call, outcome))


def opened(number, **more):
    return OpenRequest("tools/call", "t", number, 0, **more)


def test_a_request_is_closed_once_and_its_guards_hear_why():
    requests, guards = OpenRequests(), Told()
    requests.open(1, opened("s-1", call="the call", guards=guards))
    requests.open(2, opened("s-2", guards=guards))
    assert (1 in requests, len(requests), requests.latest_opened) == (True, 2, 2)
    assert requests.close(1, DENIED).number == "s-1"
    assert requests.close(1, DENIED) is None
    requests.close_latest(DENIED)
    requests.close_latest(DENIED)
    assert (len(requests), guards.settled) == (0, [("the call", DENIED)])


def test_of_one_that_goes_on_as_a_task_guards_do_not_hear_then():
    requests, guards, request = OpenRequests(), Told(), opened("s-1", call=Call("tools/call", {}), guards=Told())
    requests.open(1, request)
    request.guards, request.task = guards, "t"
    assert requests.close(1, ANSWERED) is request
    assert guards.settled == []


def test_a_request_about_a_task_knows_which():
    found = [OpenRequest(method, None, "s-1", 0, False, Call(method, {"taskId": "t"})).task
             for method in ("tasks/get", "tasks/result", "tools/call")]  # fmt: skip
    assert found == ["t", "t", None]
    assert OpenRequest("tasks/get", None, "s-1", 0).task is None


def test_a_line_that_opened_nothing_closes_nothing():
    requests = OpenRequests()
    requests.open(1, opened("s-1"))
    requests.latest_opened = None
    requests.close_latest(DENIED)
    assert 1 in requests


def test_a_held_request_is_in_use_and_cannot_be_answered_until_it_is_sent():
    requests, request = OpenRequests(), opened("s-1")
    requests.open(1, request, held=HeldRequest("s-1", None, "the message"))
    assert (1 in requests, requests.forwarded(1), requests.held_at(1), requests.held) == (
        True,
        None,
        request,
        {"s-1": 1},
    )
    requests.cancel(1)
    assert not requests.forget_cancelled(1)
    requests.release(request)
    assert (requests.forwarded(1), requests.held_at(1), requests.held) == (request, None, {})


def test_closing_a_held_request_ends_its_question():
    requests = OpenRequests()
    requests.open(1, opened("s-1"), held=HeldRequest("s-1", None, "the message"))
    requests.open(2, ("t", "s-2", 5, "noted"))
    assert [(ident, request.number, request.start) for ident, request in requests.close_all(CANCELLED)] == [
        (1, "s-1", 0), (2, "s-2", 5),
    ]  # fmt: skip
    assert (requests.held, len(requests)) == ({}, 0)


def test_a_plain_call_is_a_request_like_any_other():
    requests = OpenRequests()
    requests.open("a", ("t", "s-1", 5, "noted"))
    found = requests.forwarded("a")
    assert (found.method, found.tool, found.number, found.start, found.call) == ("tools/call", "t", "s-1", 5, None)
    assert (requests.held_at("a"), requests.forwarded("b"), requests.full) == (None, None, False)
    requests.look_at_answers(lambda method, tool: Call(method, {"name": tool}))
    requests.look_at_answers(None)
    call = requests.forwarded("a").call
    assert (call.method, call.params, call.number) == ("tools/call", {"name": "t"}, "s-1")


def test_the_latest_are_told_in_the_order_they_were_opened():
    requests = OpenRequests()
    for ident in (3, 1, 2):
        requests.open(ident, opened(f"s-{ident}"))
    assert requests.latest(2) == [1, 2]
    requests.cancel(9)
    assert not requests.forget_cancelled(9)


def test_a_held_answer_can_be_given_no_second_time_and_has_questions_of_its_own():
    class Held:
        numbers, text, ends = ("s-2", "s-3"), "abc", []

        def closed(self, reason):
            self.ends.append(reason)

    requests = OpenRequests()
    requests.open(1, ("t", "s-1", 5, "noted"))
    requests.hold_answer(1, requests.forwarded(1), Held())
    assert (requests.held, requests.forwarded(1), requests.held_size) == ({"s-2": 1, "s-3": 1}, None, 3)
    assert requests.close(1, DENIED).number == "s-1"
    assert (requests.held, requests.held_size, Held.ends) == ({}, 0, [DENIED])
    requests.open(2, ("t", "s-4", 5, "noted"))
    requests.cancel(2)
    assert (requests.is_cancelled(2), requests.is_cancelled(1)) == (True, False)
