import json
import os
import socket

import pytest

from mcpgov.daemon.callers import Verdict
from mcpgov.daemon.connection import Connection
from mcpgov.daemon.desk import COUNTERS, Desk
from mcpgov.daemon.gate import Gate
from mcpgov.daemon.links import Links
from mcpgov.daemon.log import Log
from mcpgov.daemon.reactor import Reactor
from mcpgov.daemon.supervise import Supervisor
from mcpgov.errors import McpgovError
from mcpgov.places import Places
from tests.helpers.daemons import Clock, events


class Bench:
    def __init__(self, base):
        self.clock, self.log = Clock(), Log(base / "d.jsonl")
        self.reactor = Reactor(self.log)
        self.links = Links(Supervisor("/launcher", "/journal", self.clock), self.log, self.clock)
        ops = {"ping": lambda request: {"you": request["who"]}, "fail": self.fail, "refuse": self.refuse}
        ops["stop"] = lambda _request: {"stopped": True}
        self.verdict = Verdict()
        gate = Gate(Places(base), self.log, look=lambda pid: self.verdict)
        self.desk = Desk(ops, lambda request: {"text": request.get("version")}, self.links, self.log, gate, self.clock)
        self.peers = []

    def fail(self, _request):
        raise RuntimeError("oh")

    def refuse(self, _request):
        raise McpgovError("not now", hint="later")

    def say(self, **request):
        theirs, peer = socket.socketpair(socket.AF_UNIX)
        peer.settimeout(10)
        self.peers.append(peer)
        Connection(theirs, os.getpid(), self.reactor, self.desk.serve, lambda _c: None, self.clock)
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
    for link in list(made.links._all.values()):
        link.connection.close()
    for peer in made.peers:
        peer.close()
    made.reactor.close()


def answer(peer):
    return json.loads(peer.recv(65536))


def test_an_operation_answers(bench):
    assert answer(bench.say(op="ping", who="me")) == {"v": 1, "ok": True, "you": "me"}


@pytest.mark.parametrize("op", ["nonsense", 7, None, "x" * 100])
def test_what_is_not_in_the_table_is_declined_in_words(bench, op):
    found = answer(bench.say(op=op))
    assert found["error"] == f"no such operation: `{str(op)[:40]}`"
    assert found["hint"] == "known: fail, may, ping, refuse, register, status, stop"


def test_a_refusal_and_a_failure_are_told_and_only_the_failure_is_logged(bench):
    expected = {"v": 1, "ok": False, "error": "not now", "hint": "later"}
    assert answer(bench.say(op="refuse")) == expected
    assert events(bench.log) == []
    assert answer(bench.say(op="fail"))["error"] == "the daemon failed: RuntimeError: oh"
    assert events(bench.log) == ["operation failed"]


def test_a_status_without_proxies_is_answered_at_once(bench):
    assert bench.desk.due() is None
    peer = bench.say(op="status", version="1.2")
    assert bench.desk.due() == 0.0
    bench.desk.work()
    assert answer(peer) == {"v": 1, "ok": True, "text": "1.2"}
    assert bench.desk.due() is None


def test_a_status_waits_for_the_proxies_answers(bench):
    proxy = bench.say(op="register", server="s")
    asker = bench.say(op="status", version="a")
    assert bench.desk.due() == pytest.approx(COUNTERS)
    bench.desk.work()
    proxy.sendall(b'{"calls": 1}\n')
    bench.turn()
    assert bench.desk.due() == 0.0
    bench.desk.work()
    assert answer(asker)["text"] == "a"


def test_a_status_waits_only_a_moment_and_not_again_for_the_same_proxy(bench):
    bench.say(op="register", server="s")
    first = bench.say(op="status", version="a")
    bench.clock.now += COUNTERS
    assert bench.desk.due() == 0.0
    bench.desk.work()
    assert answer(first)["text"] == "a"
    second = bench.say(op="status", version="b")
    assert bench.desk.due() == 0.0
    bench.desk.work()
    assert answer(second)["text"] == "b"


def test_an_asker_that_has_gone_is_no_trouble(bench):
    bench.say(op="status").close()
    bench.turn()
    bench.desk.work()
    assert events(bench.log) == []


def test_what_weakens_is_served_only_to_who_may_ask(bench):
    assert answer(bench.say(op="stop")) == {"v": 1, "ok": True, "stopped": True}
    bench.verdict = Verdict("an app asks", hint="ask yourself")
    refused = {"v": 1, "ok": False, "error": "`stop` is refused: an app asks", "hint": "ask yourself"}
    assert answer(bench.say(op="stop")) == refused
    assert answer(bench.say(op="ping", who="me")) == {"v": 1, "ok": True, "you": "me"}
    told = {"v": 1, "ok": True, "allowed": False, "why": "an app asks", "hint": "ask yourself"}
    assert answer(bench.say(op="may", command="unwrap")) == told
