"""Typed requests against a real listener and desk, on a real socket."""

import os
from dataclasses import dataclass

import pytest

from mcpgov.daemon.callers.gate import Gate
from mcpgov.daemon.control.client import Subscription, ask
from mcpgov.daemon.control.dispatch import Dispatcher
from mcpgov.daemon.control.line_client import LONGEST_LINE, ControlError, NoSocket, OtherVersion, RequestRefused
from mcpgov.daemon.control.listener import Listener
from mcpgov.daemon.control.replies import Later, Stream
from mcpgov.daemon.control.requests import LATER, STREAM, ControlRequest, RequestRow
from mcpgov.daemon.log import Log
from mcpgov.daemon.reactor import Reactor
from mcpgov.places import Places
from tests.helpers.daemons import turning
from tests.helpers.talks import wait_for


@dataclass(frozen=True, slots=True)
class Echo(ControlRequest["Text"]):
    text: str


@dataclass(frozen=True, slots=True)
class Hold(ControlRequest["Text"]):
    pass


@dataclass(frozen=True, slots=True)
class Watch(ControlRequest["Text"]):
    pass


@dataclass(frozen=True, slots=True)
class Unknown(ControlRequest["Text"]):
    pass


@dataclass(frozen=True, slots=True)
class Text:
    text: str


@dataclass(frozen=True, slots=True)
class Number:
    text: int


TABLE = (
    RequestRow("echo", Echo, Text),
    RequestRow("hold", Hold, Text, LATER),
    RequestRow("watch", Watch, Text, STREAM),
)


class Daemon:
    def __init__(self, base):
        self.log = Log(base / "d.jsonl")
        self.reactor = Reactor(self.log)
        self.path = base / "run" / "s"
        self.later, self.streams, self.left = [], [], []
        handlers = {Echo: lambda request, _caller: Text(request.text), Hold: self.hold, Watch: self.watch}
        self.desk = Dispatcher(handlers, self.log, Gate(Places(base), self.log), TABLE)
        self.listener = Listener(self.path, self.reactor, self.log, self.desk.serve)
        self.listener.open()
        self.reactor.part("listener", self.listener.due, self.listener.work)

    def hold(self, _request, _caller):
        self.later.append(Later(30.0, lambda: self.left.append("later")))
        self.reactor.soon(lambda: self.later[-1].answer(Text("at last")))
        return self.later[-1]

    def watch(self, _request, _caller):
        self.streams.append(Stream(lambda: self.left.append("stream")))
        self.streams[-1].send(Text("first"))
        return self.streams[-1]


@pytest.fixture
def daemon(tmp_path):
    made = Daemon(tmp_path)
    with turning(made.reactor):
        yield made
    made.listener.close()
    made.reactor.close()


def test_answers_come_with_their_type_at_once_and_later(daemon):
    assert ask(daemon.path, Echo("ü"), table=TABLE) == Text("ü")
    assert ask(daemon.path, Hold(), table=TABLE) == Text("at last")


def test_a_line_may_be_long_in_both_directions_up_to_the_cap(daemon):
    text = "x" * (LONGEST_LINE - 100)
    assert ask(daemon.path, Echo(text), table=TABLE).text == text
    with pytest.raises(ControlError, match="the request is longer than"):
        ask(daemon.path, Echo("x" * LONGEST_LINE), table=TABLE)


def test_a_request_or_an_answer_of_another_version_is_told(daemon):
    with pytest.raises(OtherVersion, match="no such operation: `unknown`"):
        ask(daemon.path, Unknown(), table=[RequestRow("unknown", Unknown, Text)])
    with pytest.raises(OtherVersion, match="answer to `echo` is not as expected: `text` should be a whole") as caught:
        ask(daemon.path, Echo("x"), table=[RequestRow("echo", Echo, Number)])
    assert caught.value.hint == "mcpgov daemon restart"


def test_without_a_daemon_it_is_told_what_to_type(tmp_path):
    for call in (ask, Subscription):
        with pytest.raises(NoSocket) as caught:
            call(tmp_path / "none", Watch(), table=TABLE)
        assert (str(caught.value), caught.value.hint) == ("the daemon is not running", "mcpgov daemon start")


def test_a_subscription_gets_answers_as_they_come_until_the_end(daemon):
    with Subscription(daemon.path, Watch(), table=TABLE) as found:
        assert found.ready(5.0) == [Text("first")]
        assert (found.ready(), found.ended) == ([], False)
        (stream,) = daemon.streams
        daemon.reactor.soon(lambda: (stream.send(Text("a")), stream.send(Text("b")), stream.end()))
        assert list(found) == [Text("a"), Text("b")]
        assert found.ended


def test_closing_a_subscription_tells_the_daemon(daemon):
    with Subscription(daemon.path, Watch(), table=TABLE) as found:
        assert found.ready(5.0) == [Text("first")]
        assert os.get_inheritable(found.fileno()) is False
    wait_for(lambda: daemon.left == ["stream"], "the word that it left")


def test_a_daemon_that_ends_without_a_word_is_told(daemon):
    with Subscription(daemon.path, Watch(), table=TABLE) as found:
        assert found.ready(5.0) == [Text("first")]
        daemon.reactor.soon(daemon.listener.close)
        with pytest.raises(RequestRefused):
            list(found)
