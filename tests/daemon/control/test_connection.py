import json
import socket

import pytest

from mcpgov.daemon.control.connection import HIGH_WATER, MOST_WAITING, PATIENCE, PIECE, Connection
from mcpgov.daemon.control.line_client import LONGEST_LINE, TIMEOUT, TOO_LONG
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
        """Of any length: the loop turns while it goes out."""
        rest = memoryview(data)
        while rest and not self.connection.closed:
            rest = rest[self.peer.send(rest[:PIECE]) :]
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
        (b"x" * (LONGEST_LINE + 1), f"the request is longer than {LONGEST_LINE} bytes"),
    ],
)
def test_what_is_no_request_is_declined_in_words(ends, line, error):
    ends.say(line)
    while not ends.connection.closed:
        ends.turn()
    found = ends.hear()
    assert (found["ok"], found["error"], ends.asked) == (False, error, [])


def test_a_request_just_short_enough_is_heard(ends):
    text = json.dumps({"v": 1, "op": "x", "pad": ""})
    line = text.replace('""', f'"{"p" * (LONGEST_LINE - len(text))}"').encode()
    ends.say(line + b"\n")
    while not ends.asked:
        ends.turn()
    assert len(ends.asked[0]["pad"]) == LONGEST_LINE - len(text)


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
    for _ in range(MOST_WAITING // 1_000_000):
        assert not ends.connection.closed
        ends.connection.send({"big": "x" * 1_000_000})
    ends.connection.send({"big": "x" * 1_000_000})
    assert ends.connection.closed


def test_an_answer_longer_than_any_line_is_declined_instead(ends):
    ends.say(b'{"v": 1, "op": "x"}\n')
    ends.connection.reply({"big": "x" * LONGEST_LINE})
    found = ends.hear()
    assert (found["ok"], found["code"], found["error"]) == (
        False,
        TOO_LONG,
        f"the answer is longer than {LONGEST_LINE} bytes",
    )
    assert ends.connection.closed


def test_an_answer_that_comes_later_is_waited_for_and_its_asker_may_leave(ends):
    left = []
    ends.serve = lambda _request, connection: connection.hold(60.0, lambda: left.append(1), lambda: None)
    ends.say(b'{"v": 1, "op": "x"}\n')
    assert ends.connection.deadline == ends.clock.now + 60.0
    ends.peer.close()
    ends.turn()
    assert (ends.connection.closed, left) == (True, [1])


def test_an_answer_that_never_comes_is_declined_at_its_deadline(ends):
    left = []
    ends.serve = lambda _request, connection: connection.hold(60.0, lambda: left.append(1), lambda: None)
    ends.say(b'{"v": 1, "op": "x"}\n')
    ends.connection.late()
    found = ends.hear()
    assert (found["code"], found["error"], left) == (TIMEOUT, "no answer came in time", [1])


def test_many_answers_go_out_until_their_end_and_a_slow_reader_holds_back_the_sender(ends):
    drained = []
    ends.serve = lambda _request, connection: connection.hold(None, lambda: None, lambda: drained.append(1))
    ends.say(b'{"v": 1, "op": "x"}\n')
    assert ends.connection.deadline is None
    sent = 0
    while not ends.connection.full:
        ends.connection.item({"n": sent, "pad": "x" * 10_000})
        sent += 1
    assert (ends.connection.deadline, drained) == (ends.clock.now + PATIENCE, [])
    raw = b""
    while not drained:
        ends.clock.now += PATIENCE / 2  # slow, but it takes something each time
        raw += ends.peer.recv(HIGH_WATER)
        ends.turn()
        assert not ends.connection.closed
        assert ends.connection.deadline is None or ends.connection.deadline > ends.clock.now
    ends.connection.end()
    ends.turn()
    while piece := ends.peer.recv(1 << 20):
        raw += piece
    lines = [json.loads(line) for line in raw.splitlines()]
    assert [line["item"]["n"] for line in lines[:-1]] == list(range(sent))
    assert lines[-1] == {"v": 1, "ok": True, "end": True}


def test_one_of_many_answers_that_is_too_long_ends_them(ends):
    ends.serve = lambda _request, connection: connection.hold(None, lambda: None, lambda: None)
    ends.say(b'{"v": 1, "op": "x"}\n')
    ends.connection.item({"big": "x" * LONGEST_LINE})
    assert (ends.hear()["code"], ends.connection.closed) == (TOO_LONG, True)


def test_a_link_that_does_not_read_is_not_read_from(ends):
    heard = []
    ends.serve = lambda _request, connection: connection.keep(heard.append, lambda: None)
    ends.say(b'{"v": 1, "op": "register"}\n')
    while not ends.connection.full:
        ends.connection.send({"pad": "x" * 10_000})
    ends.say(b"more\n")
    assert heard == []
    while not heard:
        ends.peer.recv(HIGH_WATER)
        ends.turn()
    assert heard == [b"more"]


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
