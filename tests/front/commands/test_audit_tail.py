import json
import signal
import subprocess
import time
from contextlib import contextmanager

import pytest

from tests.front.conftest import command
from tests.helpers.journals import Proxy

PATIENCE = 15


@pytest.fixture
def proxy(root):
    made = Proxy(root / "state" / "journal")
    made.at = time.time() - 1000
    return made


@contextmanager
def following(root, *words):
    args = command(root, "audit", "tail", "-f", *words)
    with subprocess.Popen(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def test_the_last_twenty_are_shown(run, proxy):
    for number in range(25):
        proxy.call(f"tool_{number}")
    found = run("audit", "tail", "--json")
    assert found.json["command"] == "audit tail"
    assert [record["tool"] for record in found.json["records"]] == [f"tool_{number}" for number in range(5, 25)]
    assert run("audit", "tail", "--tool", "tool_3").out.count("tool_3") == 1


def test_an_empty_journal_is_told_kindly(run):
    assert run("audit", "tail").out.startswith("nothing is on record yet")


def test_following_shows_the_last_and_then_each_new_record_as_json_lines_until_interrupted(root, proxy):
    proxy.call("before", answer=None)
    with following(root, "--json") as process:
        assert json.loads(process.stdout.readline())["tool"] == "before"
        proxy.call("during")
        assert [json.loads(process.stdout.readline())["action"] for _ in range(2)] == ["allow", "answered"]
        proxy.at += 86_400
        proxy.call("tomorrow", answer=None)
        assert json.loads(process.stdout.readline())["tool"] == "tomorrow"
        process.send_signal(signal.SIGINT)
        assert (process.wait(PATIENCE), process.stderr.read()) == (130, "")


def test_following_filters(root, proxy):
    proxy.call("first", answer=None)
    with following(root, "--action", "deny") as process:
        proxy.call("allowed")
        proxy.call("denied", action="deny", rule="no")
        line = process.stdout.readline()
        assert line.split()[1:] == ["deny", "fs", "denied", "no", "42", "µs", "aaaaaaaaaaaa-3"]


def test_following_ends_when_its_reader_goes(root, proxy):
    proxy.call("before", answer=None)
    with following(root) as process:
        assert "before" in process.stdout.readline()
        process.stdout.close()
        assert (process.wait(PATIENCE), process.stderr.read()) == (0, "")


def test_following_has_colours_and_nothing_in_a_name_acts(root, proxy, monkeypatch):
    monkeypatch.setenv("MCPGOV_COLOR", "always")
    proxy.call("evil\x1b[2J", action="deny", rule="no")
    with following(root) as process:
        line = process.stdout.readline()
    assert "\x1b[31m" in line
    assert "evil\\x1b[2J" in line
