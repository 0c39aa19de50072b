import json
import os
import socket

import pytest

from mcpgov.live.daemon_calls import DaemonCalls
from mcpgov.live.daemon_link import MOST_UNSENT, DaemonLink


class Ends:
    """A link to a bare socket, and what comes of its calls."""

    def __init__(self, path):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.bind(str(path))
        self.sock.listen(1)
        self.link = DaemonLink(str(path), {}, dict)
        self.answers, self.pushed = [], []
        self.calls = DaemonCalls(self.link, self.pushed.append)

    def connect(self):
        assert self.link.retry(0.0)
        self.peer, _ = self.sock.accept()
        self.peer.settimeout(10)
        self.peer.recv(65536)

    def ask(self, **fields):
        return self.calls.ask("ask", fields, self.answers.append)

    def say(self, *messages):
        self.peer.sendall(b"".join(json.dumps(message).encode() + b"\n" for message in messages))
        self.link.readable()


@pytest.fixture
def ends(tmp_path):
    made = Ends(tmp_path / "s")
    made.connect()
    yield made
    made.link.drop()
    made.sock.close()
    made.peer.close()


def test_an_answer_finds_its_call_in_any_order_and_a_push_is_heard(ends):
    assert (ends.ask(what="a"), ends.ask(what="b")) == (1, 2)
    lines = [json.loads(line) for line in ends.peer.recv(65536).splitlines()]
    assert lines == [{"id": 1, "op": "ask", "what": "a"}, {"id": 2, "op": "ask", "what": "b"}]
    ends.say({"v": 1, "ok": True}, {"id": 2, "ok": True, "text": "counters"}, {"op": "lock"}, {"id": 9, "ok": True})
    ends.say({"id": 1, "ok": False})
    assert (ends.answers, ends.pushed, len(ends.calls)) == (
        [{"ok": True, "text": "counters"}, {"ok": False}], [{"op": "lock"}], 0
    )  # fmt: skip


def test_a_call_taken_back_is_told_to_the_daemon_once_and_not_answered(ends):
    number = ends.ask()
    ends.peer.recv(65536)
    ends.calls.cancel(number)
    ends.calls.cancel(number)
    assert ends.peer.recv(65536) == b'{"id":1,"op":"cancel"}\n'
    ends.say({"id": number, "ok": True})
    assert ends.answers == []


def test_every_open_call_is_answered_when_the_daemon_goes(ends):
    ends.ask()
    ends.ask()
    ends.peer.close()
    ends.link.readable()
    assert (ends.answers, ends.link.fd, ends.ask()) == ([None, None], -1, 0)


@pytest.mark.parametrize("line", [b"nonsense\n", b"[1]\n", b"\xff\n"])
def test_a_daemon_that_talks_nonsense_is_left(ends, line):
    ends.ask()
    ends.peer.sendall(line)
    ends.link.readable()
    assert (ends.answers, ends.link.fd) == ([None], -1)


def test_a_long_question_goes_out_as_it_is_taken(ends):
    assert ends.ask(text="x" * 1_000_000) == 1
    assert ends.link.unsent
    raw = b""
    while not raw.endswith(b"\n"):
        raw += ends.peer.recv(1 << 20)
        ends.link.writable()
    assert (len(json.loads(raw)["text"]), ends.link.unsent) == (1_000_000, b"")


def test_counters_that_are_asked_for_meanwhile_come_after_it(ends):
    ends.ask(text="x" * 1_000_000)
    ends.say({"op": "counters"})
    raw = b""
    while raw.count(b"\n") < 2:
        raw += ends.peer.recv(1 << 20)
        ends.link.writable()
    assert raw.splitlines()[1] == b"{}"


def test_a_daemon_that_takes_nothing_is_asked_no_more(ends):
    assert ends.ask(text="x" * (MOST_UNSENT - 100)) == 1
    assert ends.ask(text="x" * 1_000_000) == 0
    assert ends.answers == []
    ends.peer.close()
    ends.link.writable()
    assert (ends.link.fd, ends.answers) == (-1, [None])


def test_a_proxy_that_asks_nothing_passes_over_what_it_does_not_know(tmp_path):
    made = Ends(tmp_path / "s")
    made.link.hear = None
    made.connect()
    made.say({"op": "lock"})
    assert os.get_inheritable(made.link.fd) is False
    made.peer.close()
    made.link.readable()
    assert made.link.fd == -1
    made.sock.close()
