import json
import socket

import pytest

from mcpgov.daemon.control.connection import Connection
from mcpgov.daemon.control.line_client import LONGEST_LINE
from mcpgov.daemon.control.link_calls import MOST_OPEN, LinkCalls
from mcpgov.daemon.log import Log
from mcpgov.daemon.reactor import Reactor
from tests.helpers.daemons import Clock


class Bench:
    def __init__(self, base):
        self.reactor, self.clock = Reactor(Log(base / "d.jsonl")), Clock()
        theirs, self.peer = socket.socketpair(socket.AF_UNIX)
        self.peer.settimeout(10)
        self.connection = Connection(theirs, 42, self.reactor, lambda *_: None, lambda _c: None, self.clock)
        self.calls = LinkCalls(self.connection)
        self.left = []

    def call(self, number, **fields):
        taken = []
        self.calls.take({"op": "ask", "id": number, **fields}, lambda _fields, call: taken.append(call))
        if taken:
            taken[0].hold(30.0, lambda: self.left.append(number), lambda: None)
            return taken[0]
        return None

    def hear(self):
        return [json.loads(line) for line in self.peer.recv(1 << 20).splitlines()]


@pytest.fixture
def bench(tmp_path):
    made = Bench(tmp_path)
    yield made
    made.connection.close()
    made.peer.close()
    made.reactor.close()


def test_calls_are_answered_in_any_order_each_with_its_id(bench):
    first, second = bench.call(1), bench.call(2)
    assert (first.pid, first.full, bench.calls.deadline) == (42, False, bench.clock.now + 30.0)
    second.decline("no", "hint", "code")
    first.reply({"yes": 1})
    answers = [{"id": 2, "ok": False, "error": "no", "hint": "hint", "code": "code"}, {"id": 1, "ok": True, "yes": 1}]
    assert (bench.hear(), len(bench.calls), bench.calls.deadline, bench.left) == (answers, 0, None, [])


def test_a_stream_goes_over_a_link_as_well(bench):
    call = bench.call(1)
    call.item({"n": 1})
    call.item({"n": 2})
    call.end()
    items = [{"id": 1, "ok": True, "item": {"n": 1}}, {"id": 1, "ok": True, "item": {"n": 2}}]
    assert bench.hear() == [*items, {"id": 1, "ok": True, "end": True}]


def test_a_call_that_is_taken_back_is_told_to_who_works_on_it(bench):
    bench.call(1)
    bench.calls.take({"op": "cancel", "id": 1}, lambda *_: None)
    bench.calls.take({"op": "cancel", "id": 1}, lambda *_: None)
    assert (bench.left, len(bench.calls)) == ([1], 0)


def test_an_id_that_is_open_is_not_used_again_and_there_are_only_so_many(bench):
    assert bench.call(0) is not None
    assert bench.call(0) is None
    assert bench.hear()[0]["error"] == "call 0 is open"
    assert all(bench.call(number) for number in range(1, MOST_OPEN))
    assert bench.call(MOST_OPEN) is None
    assert bench.hear() == [
        {"id": MOST_OPEN, "ok": False, "error": f"{MOST_OPEN} calls are open", "hint": "", "code": "busy"}
    ]
    bench.calls.gone()
    assert (len(bench.left), len(bench.calls)) == (MOST_OPEN, 0)


@pytest.mark.parametrize("number", [None, "1", True, 1.5])
def test_a_call_without_a_number_ends_the_link(bench, number):
    bench.call(number)
    assert bench.connection.closed


def test_an_answer_that_is_too_long_is_declined_instead(bench):
    bench.call(1).reply({"x": "x" * LONGEST_LINE})
    bench.call(2).item({"x": "x" * LONGEST_LINE})
    assert [(found["id"], found["code"]) for found in bench.hear()] == [(1, "too-long"), (2, "too-long")]
