import json
import signal
import subprocess
from contextlib import contextmanager

import pytest

from mcpgov.daemon.log import Log
from mcpgov.front.commands.daemon_logs import lines
from mcpgov.front.result import Line
from tests.front.conftest import command

PATIENCE = 15


@pytest.fixture
def log(root):
    return Log(root / "state" / "log" / "daemon.jsonl", "debug", clock=lambda: 1_700_000_000.5)


@contextmanager
def following(root, *words):
    args = command(root, "daemon", "logs", "-f", *words)
    with subprocess.Popen(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def test_the_last_entries_are_shown_newest_last(run, log):
    for number in range(30):
        log.info("event", number=number)
    log.warning("odd")
    shown = run("daemon", "logs", "-n", "2").out.splitlines()
    assert [line.split()[2:] for line in shown] == [["info", "event", "number=29"], ["warning", "odd"]]
    assert len(run("daemon", "logs").out.splitlines()) == 20
    found = run("daemon", "logs", "--level", "warning", "--json").json
    assert (found["ok"], [entry["event"] for entry in found["entries"]]) == (True, ["odd"])


def test_nothing_logged_is_told_kindly(run):
    assert run("daemon", "logs").out == "nothing is logged yet\n"


def test_a_number_that_is_none_is_refused(run):
    assert run("daemon", "logs", "-n", "-3").status == 64
    assert run("daemon", "logs", "-n", "many").status == 64


def test_nothing_in_a_name_acts(run, log):
    log.info("lost\x1b[2J", name="evil\x1b[2J\nname", path="/a b", many=[1])
    out = run("daemon", "logs").out
    assert ("\x1b" in out, out.count("\n")) == (False, 1)
    assert "lost\\x1b[2J" in out
    assert 'path="/a b"  many=[1]' in out


def test_a_crash_is_shown_with_its_story():
    entry = {"time": "odd", "level": "error", "event": "broken", "part": "x", "traceback": "one\ntwo\n"}
    assert lines(entry) == [
        Line("?  error    broken  part=x", "bad"),
        Line("    one", "faint"),
        Line("    two", "faint"),
    ]


def test_following_shows_the_last_and_then_each_new_entry_until_interrupted(root, log):
    log.info("before")
    with following(root, "--json") as process:
        assert json.loads(process.stdout.readline())["event"] == "before"
        log.info("during")
        assert json.loads(process.stdout.readline())["event"] == "during"
        process.send_signal(signal.SIGINT)
        assert (process.wait(PATIENCE), process.stderr.read()) == (130, "")


def test_following_filters_and_ends_when_its_reader_goes(root, log):
    log.info("first")
    log.error("second")
    with following(root, "--level", "error") as process:
        assert process.stdout.readline().split()[2:] == ["error", "second"]
        process.stdout.close()
        assert (process.wait(PATIENCE), process.stderr.read()) == (0, "")


def test_following_has_colours(root, log, monkeypatch):
    monkeypatch.setenv("MCPGOV_COLOR", "always")
    log.error("bad")
    with following(root) as process:
        assert "\x1b[1;31m" in process.stdout.readline()


def test_quiet_following_says_nothing(root, log):
    log.info("first")
    with following(root, "--quiet") as process:
        process.send_signal(signal.SIGSTOP)
        process.send_signal(signal.SIGCONT)
        process.stdout.close()
        assert process.wait(PATIENCE) == 0
