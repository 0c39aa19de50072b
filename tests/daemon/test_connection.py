import json
import socket

import pytest

from mcpgov.daemon.connection import LONGEST_LINE, PATIENCE, Connection
from mcpgov.daemon.control import LONGEST_REQUEST
from mcpgov.daemon.log import Log
from mcpgov.daemon.reactor import Reactor
from tests.helpers.daemons import Clock, events


class Ends:
    """Both ends of one connection; `asked` collects requests, nobody answers unless a test does."""

    def __init__(self, base):
        self.clock, self.log = Clock(), Log(base / "d.jsonl")
        self.reactor = Reactor(self.log)
        theirs, self.peer = socket.socketpair(socket.AF_UNIX)
        self.peer.settimeout(10)
        self.asked = []
        self.forgotten = []
        self.serve = self.note
        self.connection = Connection(
            theirs, 42, self.reactor, lambda *given: self.serve(*given), self.forgotten.append, self.clock
        )

    def note(self, request, connection):
        self.asked.append(request)

    def say(self, data):
        self.peer.sendall(data)
        self.turn()

    def turn(self):
        self.reactor.wake()
        self.reactor.turn()

    def hear(self):
        return json.loads(self.peer.recv(1 << 16))

    @property
    def ended(self):
        return self.peer.recv(100) == b""


@pytest.fixture
def ends(tmp_path):
    made = Ends(tmp_path)
    yield made
    made.connection.close()
    made.peer.close()
    made.reactor.close()


def test_a_request_in_pieces_is_one_request_and_its_reply_ends_it(ends):
    ends.say(b'{"v": 1, ')
    assert ends.asked == []
    ends.say(b'"op": "x"}\n{"v": 1, "op": "second"}\n')
    ends.say(b"more that nobody hears\n")
    assert ends.asked == [{"v": 1, "op": "x"}]
    ends.connection.reply({"a": 1})
    assert ends.hear() == {"v": 1, "ok": True, "a": 1}
    assert ends.ended
    assert (ends.connection.closed, ends.forgotten) == (True, [ends.connection])
    ends.connection.close()
    ends.connection.reply({})
    assert ends.forgotten == [ends.connection]


@pytest.mark.parametrize(
    ("line", "error"),
    [
        (b"nonsense\n", "the request is no JSON object"),
        (b"[1]\n", "the request is no JSON object"),
        (b"\xff\xfe\n", "the request is no JSON object"),
        (b"[" * 50_000 + b"\n", "the request is no JSON object"),
        (b'{"op": "x"}\n', "protocol version null is not known here, 1 is"),
        (b'{"v": 2, "op": "x"}\n', "protocol version 2 is not known here, 1 is"),
        (b"x" * (LONGEST_REQUEST + 1), f"the request is longer than {LONGEST_REQUEST} bytes"),
    ],
)
def test_what_is_no_request_is_declined_in_words(ends, line, error):
    ends.peer.sendall(line)
    while not ends.connection.closed:
        ends.turn()
    found = ends.hear()
    assert (found["ok"], found["error"], ends.asked) == (False, error, [])


def test_a_request_just_short_enough_is_heard(ends):
    text = json.dumps({"v": 1, "op": "x", "pad": ""})
    line = text.replace('""', f'"{"p" * (LONGEST_REQUEST - len(text))}"').encode()
    ends.peer.sendall(line + b"\n")
    while not ends.asked:
        ends.turn()
    assert len(ends.asked[0]["pad"]) == LONGEST_REQUEST - len(text)


def test_whoever_has_said_all_still_gets_a_reply_that_takes_time(ends):
    ends.peer.sendall(b'{"v": 1, "op": "x"}\n')
    ends.peer.shutdown(socket.SHUT_WR)
    ends.turn()
    ends.turn()
    assert ends.reactor._selector.select(0) == []
    ends.connection.reply({"late": True})
    assert ends.hear()["late"] is True


def test_a_peer_that_goes_is_forgotten(ends):
    ends.peer.close()
    ends.turn()
    assert ends.connection.closed


def test_a_reset_is_an_end_like_any_other(ends):
    ends.connection.send({"unread": 1})
    ends.peer.close()
    ends.turn()
    assert ends.connection.closed


def test_who_does_not_take_the_reply_waits_alone_and_is_dropped(ends):
    ends.say(b'{"v": 1, "op": "x"}\n')
    ends.connection.reply({"big": "x" * 2_000_000})
    assert not ends.connection.closed
    ends.clock.now += PATIENCE
    assert ends.connection.deadline <= ends.clock.now
    ends.connection.late()
    assert ends.connection.closed


def test_a_large_reply_goes_out_as_it_is_taken(ends):
    ends.say(b'{"v": 1, "op": "x"}\n')
    ends.connection.reply({"big": "x" * 2_000_000})
    raw = b""
    while not raw.endswith(b"\n"):
        ends.turn()
        raw += ends.peer.recv(1 << 16)
    assert len(json.loads(raw)["big"]) == 2_000_000
    ends.turn()
    assert ends.connection.closed


def test_more_than_anybody_would_take_ends_it(ends):
    ends.say(b'{"v": 1, "op": "x"}\n')
    ends.connection.send({"big": "x" * (33 * 1024 * 1024)})
    assert ends.connection.closed


def test_a_peer_that_stays_may_be_silent_and_its_lines_and_its_end_are_told(ends):
    heard = []
    ends.serve = lambda _request, connection: connection.keep(heard.append, lambda: heard.append("gone"))
    ends.say(b'{"v": 1, "op": "register"}\n')
    assert (ends.hear(), ends.connection.deadline) == ({"v": 1, "ok": True}, None)
    ends.say(b"one\ntw")
    ends.say(b"o\n")
    ends.connection.send({"op": "counters"})
    assert ends.hear() == {"op": "counters"}
    ends.peer.close()
    ends.turn()
    assert heard == [b"one", b"two", "gone"]


def test_a_peer_that_stays_and_does_not_read_is_dropped_in_time(ends):
    ends.serve = lambda _request, connection: connection.keep(lambda _line: None, lambda: None)
    ends.say(b'{"v": 1, "op": "register"}\n')
    ends.connection.send({"big": "x" * 2_000_000})
    assert ends.connection.deadline == ends.clock.now + PATIENCE
    while ends.connection.deadline is not None:
        ends.peer.recv(1 << 16)
        ends.turn()
    assert not ends.connection.closed


@pytest.mark.parametrize("data", [b"x" * (LONGEST_LINE + 1), b"x" * (LONGEST_LINE + 1) + b"\n"])
def test_a_peer_that_stays_and_talks_without_end_is_dropped(ends, data):
    ends.serve = lambda _request, connection: connection.keep(lambda _line: None, lambda: None)
    ends.say(b'{"v": 1, "op": "register"}\n')
    ends.say(data)
    assert ends.connection.closed


def test_what_breaks_while_serving_ends_this_connection_only(ends):
    def fail(_request, _connection):
        raise RuntimeError("oh")

    ends.serve = fail
    ends.say(b'{"v": 1, "op": "x"}\n')
    assert (ends.connection.closed, events(ends.log)) == (True, ["broken"])
    ends.turn()


def test_nothing_to_read_is_no_end(ends):
    ends.connection._read()
    assert not ends.connection.closed
