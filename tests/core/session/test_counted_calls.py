"""Plain calls that guards only count: claimed and settled on the fast path as on the long way."""

import pytest

from mcpgov.core.decision import Decision
from mcpgov.core.messages import wire
from mcpgov.core.session.call_records import plain_answer
from mcpgov.core.session.counted_calls import claim, settle
from mcpgov.core.session.guard import Guard, Guards
from mcpgov.core.session.open_requests import OpenRequests
from tests.helpers.playbook import Playbook

DEEP = wire.DEEPEST_ARGUMENTS
ANSWER = '{"jsonrpc":"2.0","id":1,"result":{}}'


class Counted(Guard):
    def __init__(self, says=None):
        self.says, self.heard = says, []

    def _hear(self, what):
        self.heard.append(what)
        self.notes = [{"action": what}]

    def check(self, call, *, sends):
        self._hear("checked")
        return self.says

    def answered(self, call, answer, *, is_error):
        if self.says == "fail":
            raise ZeroDivisionError
        self._hear("error" if is_error else "result")

    def settle(self, call, outcome):
        self._hear(outcome)


@pytest.fixture
def state():
    return Playbook().session.state


@pytest.fixture
def open_call(state):
    """Opens a call that such a guard counts: (its requests, the request)."""

    def make(guard):
        call, requests = state.call_of("tools/call", "read"), OpenRequests()
        call.notes = state.guard_notes
        request = claim(Guards([guard]), call, state, 7)
        requests.open(1, request)
        return requests, request

    return make


def test_a_call_that_passes_is_counted_and_numbered(state, open_call):
    _, request = open_call(Counted())
    assert (request.tool, request.number, request.start, request.only_counted) == ("read", "s-1", 7, True)
    assert [note for _, note in state.guard_notes] == [{"action": "checked"}]


def test_a_call_of_whose_end_no_guard_has_to_hear_is_open_like_any_other(state):
    guard, call = Counted(), state.call_of("tools/call", "read")
    guard.hears_the_end = lambda call: False
    assert claim(Guards([guard]), call, state, 7) == ("read", "s-1", 7, plain_answer("read"))


def test_a_call_that_does_not_pass_leaves_nothing_behind(state):
    guard, call = Counted(Decision("deny", "l", "rate_limit", "", "")), state.call_of("tools/call", "read")
    call.notes = state.guard_notes
    state.guard_notes.append((call, {"action": "of another"}))
    assert claim(Guards([guard]), call, state, 7) is None
    assert (guard.heard, state.seq) == (["checked", "denied"], 0)
    assert [note for _, note in state.guard_notes] == [{"action": "of another"}]


@pytest.mark.parametrize(("failed", "word"), [(False, "result"), (True, "error")])
def test_guards_hear_how_a_call_has_ended(open_call, failed, word):
    guard = Counted()
    requests, request = open_call(guard)
    assert settle(requests, 1, request, ANSWER, failed=failed)
    assert guard.heard == ["checked", word, "answered"]
    assert len(requests) == 0


@pytest.mark.parametrize(
    "result",
    [
        '{"taskId":"t"}',
        '{"task":{"taskId":"t"}}',
        '{"task\\u0049d":"t"}',
        "[" * wire.DEEPEST_ARGUMENTS + "]" * wire.DEEPEST_ARGUMENTS,
    ],
)
def test_an_answer_that_leaves_more_than_a_count_takes_the_long_way(open_call, result):
    guard = Counted()
    requests, request = open_call(guard)
    assert not settle(requests, 1, request, ANSWER.replace("{}", result), failed=False)
    assert (guard.heard, len(requests)) == (["checked"], 1)


def test_an_answer_that_a_guard_fails_at_takes_the_long_way(open_call):
    guard = Counted()
    requests, request = open_call(guard)
    guard.says = "fail"
    assert not settle(requests, 1, request, ANSWER, failed=False)
    assert len(requests) == 1
