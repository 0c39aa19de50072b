import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from mcpgov.daemon.instance_lock import FILE, InstanceLock
from mcpgov.places import Places

LONGEST = 20.0


@pytest.fixture
def servers(home, policy, run, root):
    """Two governed servers, and a daemon that ran once."""
    lock = InstanceLock(Places(root).runtime / FILE)
    lock.take("1")
    lock.release()
    policy('default = "deny"')
    entries = {"fs": {"command": "stand-in"}, "git": {"command": "stand-in", "args": ["-u"]}}
    (home / ".claude.json").write_text(json.dumps({"mcpServers": entries}))
    assert run("sync").status == 0


def until(fd: int, seen, *, text: bytes = b"") -> bytes:
    """What a terminal or pipe shows until `seen` is content."""
    end = time.monotonic() + LONGEST
    while not seen(text):
        assert time.monotonic() < end, text
        if select.select([fd], [], [], 0.1)[0]:
            try:
                piece = os.read(fd, 65536)
            except OSError:
                break
            if not piece:
                break
            text += piece
    return text


def test_a_stopped_daemon_is_told_with_the_command_to_type(run, servers):
    done = run("status")
    assert (done.status, done.err) == (1, "")
    assert done.out.startswith("● 2 servers governed, but the daemon is stopped · 1 problem\n\ndaemon    stopped\n")
    assert "servers   Claude Code  ● 2 governed  fs, git\n" in done.out
    assert done.out.endswith("            → mcpgov daemon start\n")


def test_a_daemon_that_never_ran_here_is_no_failure_while_all_is_governed(run, servers, root):
    (Places(root).runtime / FILE).unlink()
    done = run("status")
    assert (done.status, done.out.partition("\n")[0]) == (0, "● 2 servers governed, but the daemon is stopped")


def test_json_is_complete_and_versioned(run, servers):
    found = run("status", "--json").json
    assert list(found) == [
        "version", "command", "ok", "time", "summary", "daemon", "policy", "clients", "servers", "proxies", "denials",
        "problems", "notes", "looked", "questions", "locked",
    ]  # fmt: skip
    assert (found["version"], found["command"], found["ok"]) == (1, "status", False)
    first = found["servers"][0]
    assert {**first, "file": ""} == {
        "client": "claude-code", "file": "", "path": ["mcpServers", "fs"], "name": "fs", "transport": "stdio",
        "state": "governed", "restart": False, "reason": first["reason"], "reason_code": first["reason_code"],
    }  # fmt: skip
    assert [problem["hint"] for problem in found["problems"]] == ["mcpgov daemon start"]


def test_a_lock_stands_on_top_also_without_a_daemon(run, servers):
    run("lock", "too", "much")
    done = run("status")
    assert done.out.startswith("● every call is denied: mcpgov is locked; 2 servers governed")
    assert done.out.split("\n")[2:4] == [
        "now       ● mcpgov is locked, every call is denied (too much)", "            → mcpgov unlock",
    ]  # fmt: skip
    assert run("status", "--json").json["locked"] is True
    run("unlock")
    assert "locked" not in run("status").out


def test_quiet_says_it_by_the_exit_status_alone(run, servers):
    done = run("status", "--quiet")
    assert (done.status, done.out, done.err) == (1, "", "")
    assert run("status", "--quiet", "--watch").out == ""


def test_broken_settings_are_shown_in_it(run, root):
    (root / "config" / "settings.toml").write_text("colour = 1")
    done = run("status")
    assert done.status == 1
    assert "● the settings cannot be used: unknown setting `colour`" in done.out


def test_escapes_in_names_never_reach_the_terminal(terminal, home, policy):
    policy('default = "deny"')
    evil = "\x1b]0;owned\x07\x9b2J\u202e"
    (home / ".claude.json").write_text(json.dumps({"mcpServers": {evil: {"command": evil}}}))
    done = terminal("status", "--no-color")
    assert "\\x1b]0;owned\\x07\\x9b2J\\u202e" in done.out
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(done.out)


def test_a_terminal_gets_colours_and_lines_that_fit(terminal, servers):
    out = terminal("status", width=60).out
    assert "\x1b[1;31m● \x1b[0m" in out
    assert max(len(line) for line in terminal("status", "--no-color", width=60).out.splitlines()) <= 60


def command(root, *words: str) -> list[str]:
    return [str(Path(sys.executable).with_name("mcpgov")), "--root", str(root), *words]


@contextmanager
def watching(root):
    """The live form on a terminal of its own, of which we hold the other end."""
    ours, theirs = pty.openpty()
    words = command(root, "status", "--watch")
    with subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True) as process:
        os.close(theirs)
        yield process, ours
    os.close(ours)


def test_watch_draws_anew_until_q(root, servers):
    with watching(root) as (process, ours):
        before = termios.tcgetattr(ours)
        text = until(ours, lambda text: text.count(b"2 servers governed, but") >= 2)
        assert termios.tcgetattr(ours) != before, "key by key"
        os.write(ours, b"q")
        text = until(ours, lambda text: False, text=text)
        assert process.wait(LONGEST) == 1, "the last one seen was degraded"
    assert text.endswith(b"\x1b[?1049l"), "what was there before comes back"
    clocks = re.findall(rb"(\d\d:\d\d:\d\d) \xc2\xb7 q quits", text)
    assert len(set(clocks)) >= 2, "the clock goes on"


@pytest.mark.parametrize("how", ["q", "SIGINT", "SIGTERM"])
def test_however_watch_ends_the_terminal_is_as_it_was(root, servers, how):
    ours, theirs = pty.openpty()
    before = termios.tcgetattr(theirs)
    words = command(root, "status", "--watch")
    with subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True) as process:
        text = until(ours, lambda text: b"quits" in text)
        os.write(ours, b"q") if how == "q" else process.send_signal(getattr(signal, how))
        until(ours, lambda text: text.endswith(b"\x1b[?1049l"), text=text)
        assert process.wait(LONGEST) == {"q": 1, "SIGINT": 130, "SIGTERM": 143}[how]
    assert termios.tcgetattr(theirs) == before
    os.close(ours), os.close(theirs)


def test_watch_ends_on_ctrl_c_with_130(root, servers):
    with watching(root) as (process, ours):
        text = until(ours, lambda text: b"2 servers governed, but" in text)
        process.send_signal(signal.SIGINT)
        text = until(ours, lambda text: False, text=text)
        assert process.wait(LONGEST) == 130
    assert text.endswith(b"\x1b[?1049l")


@pytest.mark.parametrize(
    ("words", "begins"), [([], b"\xe2\x97\x8f the daemon is stopped"), (["--json"], b'{"version": 1')]
)
def test_watch_into_a_pipe_repeats_and_ends_with_its_reader(root, servers, words, begins):
    process = subprocess.Popen(
        command(root, "status", "--watch", *words), stdout=subprocess.PIPE, stdin=subprocess.DEVNULL
    )
    text = until(process.stdout.fileno(), lambda text: text.count(begins) >= 2)
    process.stdout.close()
    assert process.wait(LONGEST) == 0
    assert b"\x1b" not in text


def test_watch_can_be_interrupted_in_a_pipe(root, servers):
    process = subprocess.Popen(command(root, "status", "--watch"), stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    until(process.stdout.fileno(), lambda text: b"stopped" in text)
    process.send_signal(signal.SIGINT)
    assert process.wait(LONGEST) == 130
    process.stdout.close()
