import json
import os
import socket

import pytest

from mcpgov.daemon.control.connection import Connection
from mcpgov.daemon.control.proxy_links import Links
from mcpgov.daemon.control.replies import Caller
from mcpgov.daemon.control.requests import RegisterRequest, StatusAnswer, StatusRequest
from mcpgov.daemon.control.status_requests import COUNTERS, StatusRequests
from mcpgov.daemon.log import Log
from mcpgov.daemon.processes.supervisor import Supervisor
from mcpgov.daemon.reactor import Reactor
from tests.helpers.daemons import Clock


class Bench:
    def __init__(self, base):
        self.clock, self.log = Clock(), Log(base / "d.jsonl")
        self.reactor = Reactor(self.log)
        supervisor = Supervisor("/launcher", "/journal", self.clock)
        self.links = Links(supervisor, self.log, lambda *_: None, self.clock)
        self.statuses = StatusRequests(
            self.links, self.gather, lambda problem, op: (f"{op}: {problem}", "", ""), self.clock
        )
        self.gathered = []
        self.ends = []
        self.peers = []

    def gather(self, request):
        self.gathered.append(request.version)
        if request.version == "bad":
            raise ValueError("oh")
        return StatusAnswer(request.version)

    def connect(self, serve):
        theirs, peer = socket.socketpair(socket.AF_UNIX)
        peer.settimeout(10)
        made = Connection(theirs, os.getpid(), self.reactor, serve, lambda _c: None, self.clock)
        self.ends += [made, peer]
        peer.sendall(b'{"v": 1}\n')
        self.turn()
        return peer

    def proxy(self):
        peer = self.connect(lambda _fields, connection: self.links.register(RegisterRequest(), connection))
        peer.recv(1000)
        return peer

    def ask(self, version):
        serve = lambda _fields, channel: self.statuses.serve(StatusRequest(version), Caller(1)).bind(channel)  # noqa: E731
        return self.connect(serve)

    def turn(self):
        self.reactor.wake()
        self.reactor.turn()


@pytest.fixture
def bench(tmp_path):
    made = Bench(tmp_path)
    yield made
    for end in made.ends:
        end.close()
    made.reactor.close()


def answer(peer):
    return json.loads(peer.recv(65536))


def test_without_proxies_it_is_answered_at_once(bench):
    assert bench.statuses.due() is None
    peer = bench.ask("1.2")
    assert bench.statuses.due() == 0.0
    bench.statuses.work()
    assert answer(peer) == {"v": 1, "ok": True, "text": "1.2"}
    assert bench.statuses.due() is None


def test_it_waits_for_the_proxies_answers(bench):
    proxy, asker = bench.proxy(), bench.ask("a")
    assert bench.statuses.due() == pytest.approx(COUNTERS)
    bench.statuses.work()
    proxy.sendall(b'{"calls": 1}\n')
    bench.turn()
    assert bench.statuses.due() == 0.0
    bench.statuses.work()
    assert answer(asker)["text"] == "a"


def test_it_waits_only_a_moment_and_not_again_for_the_same_proxy(bench):
    bench.proxy()
    first = bench.ask("a")
    bench.clock.now += COUNTERS
    assert bench.statuses.due() == 0.0
    bench.statuses.work()
    assert answer(first)["text"] == "a"
    second = bench.ask("b")
    assert bench.statuses.due() == 0.0
    bench.statuses.work()
    assert answer(second)["text"] == "b"


def test_nothing_is_gathered_for_an_asker_that_has_gone(bench):
    bench.ask("a").close()
    bench.turn()
    bench.statuses.work()
    assert bench.gathered == []


def test_what_breaks_is_told_to_its_asker_and_harms_no_other(bench):
    bad, good = bench.ask("bad"), bench.ask("good")
    bench.statuses.work()
    assert (answer(bad)["error"], answer(good)["text"]) == ("status: oh", "good")
