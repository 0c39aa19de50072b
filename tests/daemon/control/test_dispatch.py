import json
import os
import socket
from dataclasses import dataclass

import pytest

from mcpgov.daemon.callers.caller_rules import Verdict
from mcpgov.daemon.callers.gate import Gate
from mcpgov.daemon.control.connection import Connection
from mcpgov.daemon.control.dispatch import Dispatcher
from mcpgov.daemon.control.replies import Later, Stream
from mcpgov.daemon.control.requests import AT_ONCE, LATER, LINK, STREAM, ControlRequest, RequestRow
from mcpgov.daemon.log import Log
from mcpgov.daemon.reactor import Reactor
from mcpgov.errors import McpgovError
from mcpgov.places import Places
from tests.helpers.daemons import Clock, events


@dataclass(frozen=True, slots=True)
class Answer:
    text: str


def request_type(name):
    return dataclass(frozen=True)(type(name, (ControlRequest,), {"__annotations__": {"who": str}, "who": ""}))


KINDS = {"greet": AT_ONCE, "fail": AT_ONCE, "refuse": AT_ONCE, "stop": AT_ONCE, "ask": LATER, "watch": STREAM,
         "stay": LINK, "odd": AT_ONCE}  # fmt: skip
TABLE = tuple(
    RequestRow(name, request_type(name), Answer, kind, "daemon stop" if name == "stop" else "", by_proxy=name == "ask")
    for name, kind in KINDS.items()
)


class Bench:
    def __init__(self, base):
        self.clock, self.log = Clock(), Log(base / "d.jsonl")
        self.reactor = Reactor(self.log)
        self.verdict = Verdict()
        self.cancelled = []
        self.later, self.stream = (
            Later(60.0, lambda: self.cancelled.append("later")),
            Stream(lambda: self.cancelled.append("stream")),
        )
        does = {
            "greet": lambda request, caller: Answer(f"{request.who} {caller.pid}"), "fail": self.fail,
            "refuse": self.refuse, "stop": lambda *_: Answer("stopped"), "ask": lambda *_: self.later,
            "watch": lambda *_: self.stream, "odd": lambda *_: self.later,
            "stay": lambda _request, connection: connection.keep(lambda _line: None, lambda: None),
        }  # fmt: skip
        gate = Gate(Places(base), self.log, judge=lambda pid: self.verdict)
        self.desk = Dispatcher({row.request: does[row.op] for row in TABLE}, self.log, gate, TABLE)
        self.peers = []
        self.connections = []

    def fail(self, *_given):
        raise RuntimeError("oh")

    def refuse(self, *_given):
        raise McpgovError("not now", hint="later")

    def say(self, by_proxy=False, **request):
        theirs, peer = socket.socketpair(socket.AF_UNIX)
        peer.settimeout(10)
        self.peers.append(peer)
        serve = lambda fields, channel: self.desk.serve(fields, channel, by_proxy=by_proxy)  # noqa: E731
        self.connections.append(Connection(theirs, os.getpid(), self.reactor, serve, lambda _c: None, self.clock))
        peer.sendall(json.dumps({"v": 1, **request}).encode() + b"\n")
        self.turn()
        return peer

    def turn(self):
        self.reactor.wake()
        self.reactor.turn()


@pytest.fixture
def bench(tmp_path):
    made = Bench(tmp_path)
    yield made
    for end in (*made.connections, *made.peers):
        end.close()
    made.reactor.close()


def answer(peer):
    return json.loads(peer.recv(65536))


def test_an_answer_at_once_knows_who_asks(bench):
    assert answer(bench.say(op="greet", who="me")) == {"v": 1, "ok": True, "text": f"me {os.getpid()}"}


@pytest.mark.parametrize("op", ["nonsense", 7, None, "x" * 100])
def test_what_is_not_in_the_table_is_declined_in_words(bench, op):
    found = answer(bench.say(op=op))
    assert (found["error"], found["code"]) == (f"no such operation: `{str(op)[:40]}`", "unknown-request")
    assert found["hint"] == f"known: {', '.join(sorted(KINDS))}"


def test_a_message_of_the_wrong_type_is_declined_with_its_place(bench):
    found = answer(bench.say(op="greet", who=7))
    assert (found["error"], found["code"]) == ("`greet`: `who` should be text and is a whole number", "wrong-request")
    assert events(bench.log) == []


def test_a_refusal_and_a_failure_are_told_and_only_the_failure_is_logged(bench):
    expected = {"v": 1, "ok": False, "error": "not now", "hint": "later", "code": ""}
    assert answer(bench.say(op="refuse")) == expected
    assert events(bench.log) == []
    found = answer(bench.say(op="fail"))
    assert (found["error"], found["code"]) == ("the daemon failed: RuntimeError: oh", "failed")
    assert events(bench.log) == ["operation failed"]


def test_an_answer_that_its_row_does_not_allow_is_a_failure(bench):
    assert answer(bench.say(op="odd"))["error"] == "the daemon failed: TypeError: `odd` answers at once with a Later"


def test_what_weakens_is_served_only_to_who_may_ask(bench):
    assert answer(bench.say(op="stop")) == {"v": 1, "ok": True, "text": "stopped"}
    bench.verdict = Verdict("an app asks", hint="ask yourself")
    error = "`stop` is refused: an app asks"
    assert answer(bench.say(op="stop")) == {
        "v": 1, "ok": False, "error": error, "hint": "ask yourself", "code": "refused"
    }  # fmt: skip
    assert answer(bench.say(op="greet", who="me"))["ok"] is True


def test_an_answer_comes_later_and_one_whose_asker_has_gone_is_cancelled(bench):
    asker = bench.say(op="ask")
    bench.later.answer(Answer("yes"))
    assert (answer(asker)["text"], bench.cancelled) == ("yes", [])
    bench.later = Later(60.0, lambda: bench.cancelled.append("later"))
    bench.say(op="ask").close()
    bench.turn()
    assert bench.cancelled == ["later"]


def test_a_stream_answers_until_its_asker_leaves(bench):
    watcher = bench.say(op="watch")
    bench.stream.send(Answer("one"))
    assert answer(watcher) == {"v": 1, "ok": True, "item": {"text": "one"}}
    watcher.close()
    bench.turn()
    bench.stream.send(Answer("two"))
    assert (bench.cancelled, bench.stream.open) == (["stream"], False)


def test_a_link_stays(bench):
    assert answer(bench.say(op="stay")) == {"v": 1, "ok": True}
    assert not bench.connections[-1].closed


def test_a_proxy_may_ask_only_what_its_rows_allow(bench):
    assert answer(bench.say(op="greet", by_proxy=True))["error"] == "`greet` is not for proxies"
    asker = bench.say(op="ask", by_proxy=True)
    bench.later.answer(Answer("yes"))
    assert answer(asker)["text"] == "yes"
