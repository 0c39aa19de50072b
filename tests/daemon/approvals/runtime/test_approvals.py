"""The parts together over links that are only names; in a real daemon: ../test_contract.py."""

import os
import stat

import pytest

from mcpgov.daemon.approvals.grants import Now
from mcpgov.daemon.approvals.runtime.approvals import COME_BACK, Approvals, both_clocks
from mcpgov.daemon.control import approval_requests as wanted
from mcpgov.daemon.control.question_requests import AskRequest
from mcpgov.daemon.control.replies import Caller
from mcpgov.daemon.log import Log
from mcpgov.daemon.reactor import Reactor
from mcpgov.errors import McpgovError
from mcpgov.places import Places
from tests.helpers.daemons import events, turn_until
from tests.helpers.journals import NOON
from tests.helpers.questions import question_data

PROXY, ME = Caller(7, True, 7), Caller(9)
# A desktop: `notify-send` says what the file `press` holds, or waits; every call is written down.
DESKTOP = """#!/bin/sh
echo "$0 $*" >> "{base}/calls"
case "$*" in
  --help) echo "--action" ;;
  *GetCapabilities*) echo "(['actions'],)" ;;
  *CloseNotification*) ;;
  *LockedHint*) cat "{base}/lock" 2>/dev/null ;;
  *) echo 7; if [ -e "{base}/press" ]; then cat "{base}/press"; else exec sleep 600; fi ;;
esac
"""


class Peer:
    def __init__(self):
        self.got, self.items = None, []

    full = False

    def reply(self, fields):
        self.got = fields

    def item(self, fields):
        self.items.append(fields)

    def end(self):
        self.items.append("end")

    def hold(self, _seconds, left, _drained):
        self.left = left


class Bench:
    """`clock`: seconds since the start; two sessions are linked unless a test says otherwise."""

    def __init__(self, base):
        self.base, self.clock = base, 0.0
        self.names, self.pushed = {7: "4f1d"}, []
        self.places = Places(base / "root")
        self.log = Log(base / "log")
        self.reactor = Reactor(self.log)
        self.begin()

    def begin(self):
        self.approvals = Approvals(self.places, self.reactor, self.log, self, self.now, _found)
        self.handlers = self.approvals.handlers()

    def now(self):
        return Now(100.0 + self.clock, NOON + self.clock)

    def session_of(self, link):
        return self.names.get(link, "")

    def sessions(self):
        return list(self.names.values())

    def push(self, link, op, **fields):
        self.pushed.append((op, fields))
        return True

    def do(self, request, caller=ME):
        return self.handlers[type(request)](request, caller)

    def ask(self, at=1, **change):
        peer = Peer()
        self.do(AskRequest(question_data(number=f"4f1d-{at}", **change)), PROXY).bind(peer)
        return peer

    def watch(self):
        peer = Peer()
        self.do(wanted.WatchQuestionsRequest()).bind(peer)
        return peer

    def desktop(self, monkeypatch):
        tools = self.base / "tools"
        tools.mkdir()
        for name in ("notify-send", "gdbus", "loginctl"):
            (tools / name).write_text(DESKTOP.format(base=self.base))
            (tools / name).chmod(0o755)
        monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
        self.approvals.open()
        turn_until(self.reactor, self.approvals._desktop.reaches, "the desktop")

    def calls(self):
        return (self.base / "calls").read_text()


@pytest.fixture
def bench(tmp_path):
    made = Bench(tmp_path)
    yield made
    made.approvals.close()
    made.reactor.close()


def _found(name):
    for folder in os.environ["PATH"].split(":"):
        if "/tools" in folder and os.access(f"{folder}/{name}", os.X_OK):
            return f"{folder}/{name}"
    return None


def test_a_click_on_the_desktop_answers_and_a_watcher_sees_it_go(bench, monkeypatch):
    bench.desktop(monkeypatch)
    (bench.base / "press").write_text("once\n")
    watcher = bench.watch()
    peer = bench.ask()
    turn_until(bench.reactor, lambda: peer.got, "the click")
    assert (peer.got["verdict"], peer.got["grant"]["surface"], peer.got["grant"]["term"]) == (
        "allow",
        "desktop",
        "once",
    )
    assert bench.approvals.due() == 0.0
    bench.approvals.work()
    assert [item["ended"][0]["surface"] for item in watcher.items if item["ended"]] == ["desktop"]


def test_an_answer_elsewhere_takes_the_popup_away(bench, monkeypatch):
    bench.desktop(monkeypatch)
    peer = bench.ask()
    turn_until(bench.reactor, lambda: "--print-id" in bench.calls(), "the popup")
    shown = bench.approvals._desktop._shown["4f1d-1"]
    turn_until(bench.reactor, lambda: shown.handle is not None and shown.handle.printed(), "its number")
    bench.do(wanted.ApproveRequest("4f1d-1"))
    assert peer.got["verdict"] == "allow"
    turn_until(bench.reactor, lambda: "CloseNotification 7" in bench.calls(), "its end")


def test_over_a_locked_screen_nothing_pops_up_and_the_question_waits(bench, monkeypatch):
    bench.desktop(monkeypatch)
    (bench.base / "lock").write_text("LockedHint=yes\n")
    (bench.base / "press").write_text("deny\n")
    peer = bench.ask()
    turn_until(bench.reactor, lambda: bench.approvals._desktop.due() is not None, "the look at the screen")
    assert "--print-id" not in bench.calls()
    (bench.base / "lock").write_text("LockedHint=no\n")
    bench.clock = 3.0
    assert bench.approvals.due() == 0.0
    bench.approvals.work()
    turn_until(bench.reactor, lambda: peer.got, "the click")
    assert peer.got["answer"] == "refused"


def test_settings_choose_times_limits_and_surfaces(bench, monkeypatch):
    bench.desktop(monkeypatch)
    bench.approvals.settled(
        {
            "approvals_timeout": {"claude-code": 3.0, "other": "x"},
            "approvals_max_open": "1",
            "approvals_max_per_minute": "2",
            "approvals_surfaces": ["terminal"],
            "audit_keep_days": "30",
        }
    )
    assert bench.ask().got["answer"] == "unreachable"
    bench.watch()
    waits = bench.ask(2)
    assert bench.pushed[-1] == ("waits", {"number": "4f1d-2", "wait": 3.0})
    assert "asks too much" in bench.ask(3, args_digest="a3").got["text"]
    bench.clock = 3.0
    bench.approvals.work()
    assert waits.got["answer"] == "timeout"
    bench.approvals.settled({})


def test_nothing_to_do_means_no_wake_up(bench):
    assert bench.approvals.due() is None
    bench.watch()
    bench.ask()
    bench.approvals.work()
    assert bench.approvals.due() == 5.0
    assert [(found.number, found.remaining) for found in bench.approvals.open_questions()] == [("4f1d-1", 50)]


def test_grants_outlive_the_daemon_and_those_of_sessions_that_do_not_come_back_end(bench):
    bench.watch()
    bench.ask()
    bench.do(wanted.ApproveRequest("4f1d-1", "session", "tool"))
    assert stat.S_IMODE(bench.places.grants.stat().st_mode) == 0o600
    bench.begin()
    assert bench.ask(2, args_digest="a2").got["verdict"] == "allow"
    bench.names = {7: "other"}
    bench.clock = COME_BACK
    assert bench.approvals.due() == 0.0
    bench.approvals.work()
    assert bench.do(wanted.GrantsRequest()).grants == ()
    bench.approvals.work()


def test_a_session_that_is_gone_takes_its_grants(bench):
    bench.watch()
    bench.ask()
    bench.do(wanted.ApproveRequest("4f1d-1", "session", "tool"))
    bench.names = {}
    bench.approvals.session_gone("4f1d")
    assert bench.do(wanted.GrantsRequest()).grants == ()


def test_a_store_that_cannot_be_read_is_told(bench):
    bench.places.grants.parent.mkdir(parents=True)
    bench.places.grants.write_text("{")
    bench.begin()
    assert events(bench.log) == ["grants"]


def test_with_the_last_watcher_gone_its_questions_are_denied(bench):
    watcher = bench.watch()
    peer = bench.ask()
    watcher.left()
    assert peer.got["answer"] == "unreachable"


def test_the_lock_withdraws_what_is_open_and_unlocking_lets_ask_again(bench):
    bench.watch()
    peer = bench.ask()
    bench.do(wanted.LockRequest("lunch"))
    assert "mcpgov was locked" in peer.got["text"]
    with pytest.raises(McpgovError):
        bench.do(wanted.ApproveRequest("4f1d-1"))
    bench.do(wanted.UnlockRequest())
    assert bench.ask(2).got is None


def test_at_the_end_questions_are_withdrawn_and_streams_end(bench):
    watcher, peer = bench.watch(), bench.ask()
    bench.approvals.close()
    assert peer.got["reason_code"] == "withdrawn"
    assert watcher.items[-1] == "end"
    assert watcher.items[-2]["waiting"] == []


def test_both_clocks_run():
    first = both_clocks()
    assert both_clocks() >= first
