import pytest

from mcpgov.daemon.approvals.choices import YES_ONCE, Choice
from mcpgov.daemon.approvals.grants import Now
from mcpgov.daemon.approvals.runtime.proxy_questions import ProxyQuestions
from mcpgov.daemon.approvals.surfaces.table import SurfaceRow, Surfaces
from mcpgov.daemon.control.question_requests import (
    AppWordRequest,
    AskRequest,
    BroughtWord,
    DispatchedRequest,
    NotDispatchedRequest,
    ParkedRequest,
)
from mcpgov.daemon.control.replies import Caller
from mcpgov.errors import McpgovError
from tests.daemon.approvals.runtime.test_driver import T0, Bench
from tests.helpers.questions import question_data

ONE, TWO = Caller(7, True, 7), Caller(8, True, 8)


class Peer:
    """Where one ask's answer goes."""

    def __init__(self):
        self.got = None

    def reply(self, fields):
        self.got = fields

    def hold(self, _seconds, left, _drained):
        self.left = left


class Linked(Bench):
    """Two links; `pushed`: what went to them unasked. `takes`: do they take it."""

    def __init__(self, base):
        super().__init__(base)
        self.names = {7: "4f1d", 8: "77aa"}
        self.pushed, self.takes = [], True
        self.locked, self.app = False, True
        self.at = T0
        self.driver._deliver = lambda answer: self.proxies.deliver(answer)
        self.proxies = ProxyQuestions(
            self.life,
            self.driver,
            self,
            lambda: self.at,
            lambda _client, _server: 25.0,
            lambda: self.app,
            lambda: self.locked,
        )
        rows = [
            SurfaceRow("terminal", lambda: True, self.offer, self.gone.append),
            SurfaceRow("app", lambda: True, self.proxies.elicit, lambda _effect: None),
        ]
        self.driver.surfaces = Surfaces(rows, self.driver.failed)

    def session_of(self, link):
        return self.names.get(link, "")

    def sessions(self):
        return list(self.names.values())

    def push(self, link, op, **fields):
        self.pushed.append((link, op, fields.get("number")))
        return self.takes

    def sent(self, at=1, caller=ONE, brought=None, version="2025-11-25", **change):
        session = self.names[caller.link]
        data = question_data(**{"number": f"{session}-{at}", "session": session, **change})
        peer, given = Peer(), self.proxies.ask(AskRequest(data, version, brought), caller)
        if hasattr(given, "bind"):
            given.bind(peer)
        else:
            peer.got = {"verdict": given.verdict, "reason_code": given.reason_code}
        return peer


@pytest.fixture
def bench(tmp_path):
    return Linked(tmp_path)


def test_an_ask_is_told_how_long_it_waits_and_answered_once(bench):
    peer = bench.sent()
    assert bench.pushed == [(7, "waits", "4f1d-1")]
    bench.answer(YES_ONCE)
    assert (peer.got["verdict"], peer.got["grant"]["id"]) == ("allow", "4f1d-1")
    bench.proxies.dispatched(DispatchedRequest("4f1d-1"), ONE)
    assert len(bench.life.granting) == 0


def test_what_a_grant_answers_at_once_waits_for_nothing(bench):
    bench.sent()
    bench.answer(Choice(True, "time", "tool", 900.0))
    bench.pushed.clear()
    peer = bench.sent(2, args_digest="a2")
    assert (peer.got["verdict"], bench.pushed) == ("allow", [])
    bench.proxies.not_dispatched(NotDispatchedRequest("4f1d-2", "the tool has changed"), ONE)


def test_a_link_speaks_for_its_own_session_only(bench):
    bench.sent()
    for data in (
        {"session": "77aa", "number": "77aa-1"},
        {"session": "4f1d", "number": "77aa-1"},
        {"number": "4f1d-1"},
    ):
        with pytest.raises(McpgovError):
            bench.sent(**data)
    for request in (AppWordRequest("4f1d-1", "once"), AppWordRequest("77aa-5", "once")):
        with pytest.raises(McpgovError):
            bench.proxies.app(request, TWO)
    with pytest.raises(McpgovError, match="another session"):
        bench.proxies.dispatched(DispatchedRequest("4f1d-1"), TWO)
    for caller in (Caller(7), Caller(7, False, 7), Caller(9, True, 9)):
        with pytest.raises(McpgovError, match="only a linked proxy"):
            bench.proxies.parked(ParkedRequest("4f1d-1"), caller)
    with pytest.raises(McpgovError, match="too long to be shown"):
        bench.sent(2, shown={"x": ["y" * 1000] * 200})
    with pytest.raises(McpgovError, match="no question"):
        bench.proxies.ask(AskRequest({}), ONE)
    assert bench.answers == []


def test_a_second_link_that_claims_the_session_cannot_answer_for_the_app(bench):
    peer = bench.sent(app="request")
    bench.names[9] = "4f1d"
    with pytest.raises(McpgovError, match="the question is over"):
        bench.proxies.app(AppWordRequest("4f1d-1", "once"), Caller(9, True, 9))
    bench.names.pop(9)
    bench.proxies.session_gone("4f1d")
    assert peer.got is None
    assert len(bench.life.open_questions) == 1


def test_the_app_answers_what_it_was_asked(bench):
    peer = bench.sent(app="request")
    assert bench.pushed == [(7, "elicit", "4f1d-1"), (7, "waits", "4f1d-1")]
    bench.proxies.app(AppWordRequest("4f1d-1", "session"), ONE)
    assert peer.got["grant"]["session"] == "4f1d"
    assert len(bench.gone) == 1
    with pytest.raises(McpgovError, match="the question is over"):
        bench.proxies.app(AppWordRequest("4f1d-1", "deny"), ONE)


def test_an_app_that_was_not_asked_answers_nothing(bench):
    peer = bench.sent(ask=["desk"], app="request")
    with pytest.raises(McpgovError, match="the app was not asked"):
        bench.proxies.app(AppWordRequest("4f1d-1", "once"), ONE)
    assert peer.got is None


def test_apps_are_left_out_where_the_settings_say_so(bench):
    bench.app = False
    bench.sent(app="request")
    assert bench.pushed == [(7, "waits", "4f1d-1")]


def test_an_app_that_gives_no_answer_leaves_the_desk(bench):
    peer = bench.sent(app="request")
    bench.proxies.app(AppWordRequest("4f1d-1", "", "cancelled"), ONE)
    assert peer.got is None
    bench.answer(YES_ONCE)
    assert peer.got["verdict"] == "allow"


def test_a_proxy_that_does_not_take_the_elicitation_is_no_surface(bench):
    bench.takes = False
    bench.sent(app="request")
    assert bench.life.open_questions[0].surfaces == ("terminal",)


def test_a_parked_request_waits_for_nothing_and_the_next_one_brings_the_answer(bench):
    peer = bench.sent(app="result")
    bench.proxies.parked(ParkedRequest("4f1d-1"), ONE)
    with pytest.raises(McpgovError, match="the question is over"):
        bench.proxies.parked(ParkedRequest("4f1d-1"), ONE)
    assert peer.got["verdict"] == "parked"
    again = bench.sent(2, app="result", brought=BroughtWord("4f1d-1", "deny"))
    assert again.got["answer"] == "refused"


def test_a_cancelled_ask_is_withdrawn_and_gets_no_answer(bench):
    peer = bench.sent()
    peer.left()
    assert (peer.got, bench.life.open_questions) == (None, [])
    with pytest.raises(McpgovError, match="was asked before"):
        bench.sent()


def test_a_session_that_is_gone_takes_its_questions(bench):
    bench.sent()
    del bench.names[7]
    bench.proxies.session_gone("4f1d")
    bench.proxies.session_gone("")
    assert bench.life.open_questions == []


def test_while_all_is_locked_nothing_is_asked(bench):
    bench.locked = True
    assert bench.sent().got == {"verdict": "deny", "reason_code": "locked"}
    assert bench.life.open_questions == []


def test_time_runs_out_by_the_lifecycles_clock(bench):
    peer = bench.sent()
    bench.driver.perform(bench.life.tick(Now(T0.mono + 25, T0.wall + 25)))
    assert peer.got["answer"] == "timeout"
