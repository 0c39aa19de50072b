import json
import os
import socket
from dataclasses import dataclass

import pytest

from mcpgov.daemon.callers.gate import Gate
from mcpgov.daemon.control.codec import decode
from mcpgov.daemon.control.connection import Connection
from mcpgov.daemon.control.dispatch import Dispatcher
from mcpgov.daemon.control.listener import Listener
from mcpgov.daemon.control.proxy_links import FRESH, HUNG, ROUND, Links
from mcpgov.daemon.control.replies import Later
from mcpgov.daemon.control.requests import LATER, LINK, ControlRequest, RegisterAnswer, RegisterRequest, RequestRow
from mcpgov.daemon.log import Log
from mcpgov.daemon.processes.supervisor import Supervisor
from mcpgov.daemon.reactor import Reactor
from mcpgov.places import Places
from mcpgov.proxy.daemon_calls import DaemonCalls
from mcpgov.proxy.daemon_link import DaemonLink
from tests.helpers.daemons import Clock, events, turn_until


@dataclass(frozen=True, slots=True)
class Question(ControlRequest["Verdict"]):
    text: str


@dataclass(frozen=True, slots=True)
class Verdict:
    yes: bool


HELLO = {"v": 1, "op": "register", "server": "fs", "client": "cursor", "pid": 1, "start": 2, "child": 0, "session": "s"}


class Remote:
    """The part that looks after the remote service; `pid`: of the process it started as that."""

    def __init__(self):
        self.pid, self.told = None, []

    def owns(self, pid):
        return pid == self.pid

    def came(self, link):
        self.told.append(("came", link))

    def gone(self, link):
        self.told.append(("gone", link))

    def answer(self, counters):
        self.told.append(("answer", counters))

    def silent(self):
        self.told.append("silent")


class Bench:
    """Real connections to a real supervisor; `told` is what that gets to hear."""

    def __init__(self, base):
        self.clock, self.log = Clock(), Log(base / "d.jsonl", "debug")
        self.reactor = Reactor(self.log)
        self.supervisor = Supervisor("/launcher", "/journal", self.clock)
        self.told = []
        for name in ("register", "gone", "answer", "silent"):
            setattr(self.supervisor, name, self._heard(name, getattr(self.supervisor, name)))
        self.served, self.left = [], []
        self.remote = Remote()
        self.links = Links(
            self.supervisor, self.log, lambda *given: self.served.append(given), self.clock, self.left.append,
            self.remote,
        )  # fmt: skip
        self.peers = []

    def _heard(self, name, real):
        def call(*given):
            self.told.append((name, *given))
            return real(*given)

        return call

    def proxy(self, pid=None, **hello):
        theirs, peer = socket.socketpair(socket.AF_UNIX)
        peer.settimeout(10)
        self.peers.append(peer)
        served = lambda fields, connection: self.links.register(decode(RegisterRequest, fields), connection)  # noqa: E731
        pid = os.getpid() if pid is None else pid
        connection = Connection(theirs, pid, self.reactor, served, lambda _c: None, self.clock)
        peer.sendall(json.dumps({**HELLO, **hello}).encode() + b"\n")
        self.turn()
        return peer, connection

    def number(self, connection):
        return next(link.number for link in self.links._all.values() if link.connection is connection)

    def session(self, name, pid=None):
        """One conversation of the remote service: its connection, and the first line that it hears."""
        peer, connection = self.proxy(pid, kind="remote-session", session=name)
        return peer, connection, self.hear(peer)

    def turn(self):
        self.reactor.wake()
        self.reactor.turn()

    def hear(self, peer):
        return json.loads(peer.recv(65536).splitlines()[-1])


@pytest.fixture
def bench(tmp_path):
    made = Bench(tmp_path)
    yield made
    for link in list(made.links._all.values()):
        link.connection.close()
    for peer in made.peers:
        peer.close()
    made.reactor.close()


def test_a_proxy_is_known_by_the_kernels_number_and_its_real_start(bench):
    peer, _ = bench.proxy()
    start = bench.supervisor.started(os.getpid())
    expected = {"server": "fs", "client": "cursor", "session": "s", "project": "", "version": ""}
    expected |= {"pid": os.getpid(), "start": start, "child": 0}
    assert bench.told == [("register", expected)]
    assert (bench.hear(peer), len(bench.links)) == ({"v": 1, "ok": True}, 1)
    assert [fact.server for fact in bench.supervisor.report()] == ["fs"]


def test_a_long_text_in_a_hello_is_cut(bench):
    bench.proxy(client="c" * 5000)
    assert len(bench.told[0][1]["client"]) == 1000


def test_no_second_process_has_the_session_of_a_linked_proxy(bench):
    bench.proxy()
    other, _ = bench.proxy(pid=os.getppid())
    assert bench.hear(other)["error"] == "another process has this session"
    assert (len(bench.links), bench.links.sessions()) == (1, ["s"])
    again, _ = bench.proxy()
    assert bench.hear(again)["ok"]
    another, _ = bench.proxy(pid=os.getppid(), session="s2")
    assert bench.hear(another)["ok"]


def test_a_line_is_pushed_to_a_linked_proxy_that_takes_it(bench):
    peer, connection = bench.proxy()
    bench.hear(peer)
    number = bench.number(connection)
    assert bench.links.push(number, "lock", why="a person", number="4f1d-1")
    assert bench.hear(peer) == {"op": "lock", "why": "a person", "number": "4f1d-1"}
    assert not bench.links.push(4711, "lock")
    while not connection.full:
        connection.send({"pad": "x" * 10_000})
    assert not bench.links.push(number, "lock")


def test_a_request_of_a_proxy_is_served_and_its_answer_may_come_later(bench):
    peer, _ = bench.proxy()
    bench.hear(peer)
    peer.sendall(b'{"id": 7, "op": "ask", "what": "x"}\n{"calls": 1}\n')
    bench.turn()
    ((fields, call),) = bench.served
    assert (fields, call.pid, bench.told[-1][0]) == ({"id": 7, "op": "ask", "what": "x"}, os.getpid(), "answer")
    call.hold(30.0, lambda: bench.told.append("left"), lambda: None)
    assert bench.links.due() == 30.0
    call.reply({"yes": True})
    assert bench.hear(peer) == {"id": 7, "ok": True, "yes": True}
    assert bench.links.due() == ROUND


def test_a_call_that_is_not_answered_in_time_is_declined_and_its_worker_told(bench):
    peer, _ = bench.proxy()
    bench.hear(peer)
    peer.sendall(b'{"id": 7, "op": "ask"}\n')
    bench.turn()
    bench.served[0][1].hold(30.0, lambda: bench.told.append("left"), lambda: None)
    bench.clock.now += 30.0
    bench.links.work()
    assert (bench.hear(peer)["code"], bench.told[-1]) == ("timeout", "left")


def test_the_end_of_a_link_ends_its_calls(bench):
    peer, _ = bench.proxy()
    peer.sendall(b'{"id": 7, "op": "ask"}\n')
    bench.turn()
    bench.served[0][1].hold(None, lambda: bench.told.append("left"), lambda: None)
    peer.close()
    bench.turn()
    assert [bench.told[-2], bench.told[-1][0]] == ["left", "gone"]


@pytest.mark.parametrize("pid", [0, 2**22 + 1])
def test_a_process_that_cannot_be_told_is_declined(bench, pid):
    peer, connection = bench.proxy(pid=pid)
    assert bench.hear(peer)["error"] == "it cannot be told which process this is"
    assert (connection.closed, len(bench.links), bench.told) == (True, 0, [])


def test_the_end_of_a_connection_is_the_proxys(bench):
    peer, _ = bench.proxy()
    peer.close()
    bench.turn()
    assert (bench.told[-1], len(bench.links)) == (("gone", os.getpid(), bench.told[0][1]["start"]), 0)
    assert events(bench.log) == ["proxy came", "proxy went"]


def test_a_proxy_that_connects_anew_is_not_gone(bench):
    _, first = bench.proxy()
    bench.proxy()
    assert (first.closed, len(bench.links), [what for what, *_ in bench.told]) == (True, 1, ["register", "register"])


def test_the_question_is_put_once_and_its_answer_told(bench):
    peer, _ = bench.proxy()
    bench.hear(peer)
    bench.links.ask_all()
    bench.links.ask_all()
    assert peer.recv(1000) == b'{"op": "counters"}\n'
    assert bench.links.waiting(0.25)
    peer.sendall(b'{"calls": 3, "denied": 1, "errors": 0, "idle": 2}\n')
    bench.turn()
    assert bench.told[-1][0::3] == ("answer", {"calls": 3, "denied": 1, "errors": 0, "idle": 2})
    assert not bench.links.waiting(0.25)
    bench.links.ask_all()
    assert not bench.links.waiting(0.25)
    bench.clock.now += FRESH
    bench.links.ask_all()
    assert bench.links.waiting(0.25)
    bench.links.ask(4711)


def test_no_answer_in_time_is_told_once_until_it_answers(bench):
    peer, _ = bench.proxy()
    bench.links.ask(os.getpid())
    assert bench.links.due() == HUNG
    bench.clock.now += HUNG
    bench.links.work()
    bench.links.work()
    assert [what for what, *_ in bench.told] == ["register", "silent"]
    assert not bench.links.waiting(0.25)
    assert bench.links.due() == ROUND - HUNG
    peer.sendall(b"{}\n")
    bench.turn()
    bench.links.ask(os.getpid())
    bench.clock.now += HUNG
    bench.links.work()
    assert [what for what, *_ in bench.told] == ["register", "silent", "answer", "silent"]


def test_now_and_then_all_are_asked(bench):
    peer, _ = bench.proxy()
    bench.hear(peer)
    bench.clock.now += ROUND
    assert bench.links.due() == 0.0
    bench.links.work()
    assert bench.hear(peer) == {"op": "counters"}


@pytest.mark.parametrize("line", [b"nonsense\n", b"[]\n", b"\xff\n"])
def test_a_proxy_that_talks_nonsense_is_dropped(bench, line):
    peer, connection = bench.proxy()
    peer.sendall(line)
    bench.turn()
    assert (connection.closed, bench.told[-1][0], "proxy talks nonsense" in events(bench.log)) == (True, "gone", True)


def test_a_real_link_carries_questions_answers_and_pushes_and_its_loss_cancels(tmp_path):
    log = Log(tmp_path / "d.jsonl")
    reactor, open_questions, cancelled = Reactor(log), {}, []
    rows = (
        RequestRow("register", RegisterRequest, RegisterAnswer, LINK),
        RequestRow("question", Question, Verdict, LATER, by_proxy=True),
    )

    def ask(request, caller):
        assert (caller.pid, caller.by_proxy, caller.link) == (os.getpid(), True, *links._all)
        return open_questions.setdefault(request.text, Later(60.0, lambda: cancelled.append(request.text)))

    serve = lambda *given: desk.serve(*given, by_proxy=True)  # noqa: E731
    links = Links(Supervisor("/launcher", "/journal"), log, serve)
    desk = Dispatcher({RegisterRequest: links.register, Question: ask}, log, Gate(Places(tmp_path), log), rows)
    listener = Listener(tmp_path / "run" / "s", reactor, log, desk.serve)
    listener.open()
    link, answers, pushed = DaemonLink(str(tmp_path / "run" / "s"), {"server": "fs"}, dict), {}, []
    calls = DaemonCalls(link, pushed.append)

    def both(true):
        return turn_until(reactor, lambda: link.fd < 0 or link.readable() or true())

    assert link.retry(0.0)
    for text in ("a", "b", "c", "d"):
        assert calls.ask("question", {"text": text}, lambda answer, text=text: answers.update({text: answer}))
    both(lambda: len(open_questions) == 4)
    open_questions["b"].answer(Verdict(True))
    open_questions["a"].decline("nobody answered", "mcpgov allow", "timeout")
    (number,) = set(links._all)
    links.push(number, "lock", by="a person")
    both(lambda: len(answers) == 2 and pushed)
    declined = {"ok": False, "error": "nobody answered", "hint": "mcpgov allow", "code": "timeout"}
    assert (answers, pushed) == ({"b": {"ok": True, "yes": True}, "a": declined}, [{"op": "lock", "by": "a person"}])
    calls.cancel(3)
    both(lambda: cancelled == ["c"])
    link.drop()
    turn_until(reactor, lambda: cancelled == ["c", "d"])
    assert (answers["d"], len(links)) == (None, 0)
    listener.close()
    reactor.close()


def test_a_links_session_is_known_while_it_is_there_and_told_when_it_is_gone(bench):
    first, connection = bench.proxy(session="4f1d")
    assert (bench.links.session_of(bench.number(connection)), bench.links.session_of(4711)) == ("4f1d", "")
    bench.proxy(session="77aa")  # connected anew: nobody is gone
    assert (bench.links.sessions(), bench.left) == (["77aa"], [])
    first.close()
    bench.peers[-1].close()
    bench.turn()
    assert (bench.links.sessions(), bench.left) == ([], ["77aa"])


# --- the remote service


NOT_IT = "only the remote service that the daemon runs may link so"


@pytest.mark.parametrize("hello", [{"kind": "remote", "session": ""}, {"kind": "remote-session"}])
def test_no_other_process_links_as_the_remote_service_or_one_of_its_sessions(bench, hello):
    for pid in (None, os.getppid()):
        bench.remote.pid = pid
        peer, _ = bench.proxy(**hello)
        assert bench.hear(peer)["error"] == NOT_IT
    bench.links._remote = None
    peer, _ = bench.proxy(**hello)
    assert bench.hear(peer)["error"] == NOT_IT
    assert (len(bench.links), bench.told, bench.remote.told) == (0, [], [])


def test_one_process_has_a_link_for_itself_and_one_for_each_session_and_none_is_supervised(bench):
    bench.remote.pid = os.getpid()
    main, connection = bench.proxy(kind="remote", session="")
    number = bench.number(connection)
    first, one, welcome = bench.session("4f1d")
    second, two, _ = bench.session("77aa")
    assert (bench.hear(main)["ok"], welcome["ok"], len(bench.links)) == (True, True, 3)
    assert [bench.links.session_of(bench.number(each)) for each in (connection, one, two)] == ["", "4f1d", "77aa"]
    assert sorted(bench.links.sessions()) == ["4f1d", "77aa"]
    assert (bench.told, bench.remote.told) == ([], [("came", number)])
    assert (connection.counted, one.counted) == (True, False)
    bench.links.push(bench.number(two), "waits", number="77aa-1")
    assert bench.hear(second) == {"op": "waits", "number": "77aa-1"}
    first.close()
    bench.turn()
    assert (bench.left, bench.links.sessions()) == (["4f1d"], ["77aa"])
    main.close()
    bench.turn()
    assert (bench.told, bench.remote.told[-1]) == ([], ("gone", number))


def test_a_session_of_the_remote_service_is_no_others_and_no_proxys(bench):
    bench.proxy(pid=os.getppid(), session="4f1d")
    bench.remote.pid = os.getpid()
    assert bench.session("4f1d")[2]["error"] == "another process has this session"
    assert bench.session("77aa")[2]["ok"]
    for pid in (os.getppid(), os.getpid()):  # not even the service itself takes it as a proxy
        other, _ = bench.proxy(pid=pid, session="77aa")
        assert bench.hear(other)["error"] == "another process has this session"
    assert sorted(bench.links.sessions()) == ["4f1d", "77aa"]


def test_a_session_that_links_anew_takes_the_place_of_its_link_and_is_not_gone(bench):
    bench.remote.pid = os.getpid()
    _, first, _ = bench.session("4f1d")
    _, second, welcome = bench.session("4f1d")
    bench.turn()
    assert (first.closed, welcome["ok"], bench.left, len(bench.links)) == (True, True, [], 1)
    assert bench.links.session_of(bench.number(second)) == "4f1d"


def test_a_link_of_the_service_has_no_session_and_one_of_a_session_has_one(bench):
    bench.remote.pid = os.getpid()
    why = "a session is linked by its own link, and that of the service has none"
    assert bench.session("")[2]["error"] == why
    peer, _ = bench.proxy(kind="remote", session="4f1d")
    assert bench.hear(peer)["error"] == why


def test_a_request_over_a_link_carries_its_number_and_no_other(bench):
    bench.remote.pid = os.getpid()
    peers = [bench.session(name) for name in ("4f1d", "77aa")]
    for peer, _, _ in peers:
        peer.sendall(b'{"id": 1, "op": "ask"}\n')
        bench.turn()
    assert [call.link for _, call in bench.served] == [bench.number(connection) for _, connection, _ in peers]


def test_the_service_is_asked_for_counters_once_and_its_sessions_are_not(bench):
    bench.remote.pid = os.getpid()
    main, _ = bench.proxy(kind="remote", session="")
    peer, _, _ = bench.session("4f1d")
    bench.hear(main)
    bench.links.ask_all()
    assert (bench.hear(main), bench.links.waiting(0.25)) == ({"op": "counters"}, True)
    peer.setblocking(False)
    with pytest.raises(BlockingIOError):
        peer.recv(100)
    bench.clock.now += HUNG
    bench.links.work()
    main.sendall(b'{"remote": [], "port": 1}\n')
    peer.sendall(b'{"calls": 1}\n')  # nobody asked it
    bench.turn()
    assert bench.remote.told[1:] == ["silent", ("answer", {"remote": [], "port": 1})]
    assert bench.told == []


def test_as_many_sessions_as_the_service_may_have_and_no_more(bench, monkeypatch):
    monkeypatch.setattr("mcpgov.daemon.control.proxy_links.MOST_SESSIONS", 2)
    bench.remote.pid = os.getpid()
    assert [bench.session(name)[2]["ok"] for name in ("a", "b")] == [True, True]
    assert bench.session("c")[2]["error"] == "2 sessions are linked"
    assert bench.session("b")[2]["ok"]
