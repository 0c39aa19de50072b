"""The tests' own ground: a limit for each, and nothing of whoever started them reaches them."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HERE = """
import tests.conftest as given
from tests.conftest import *

given.LIMIT, given.GRACE, given.AGAIN = 0.5, {grace}, 0.2
"""
TESTS = """
import os, select, signal, sys

def test_that_hangs():
    select.select([], [], [])

def test_that_catches_what_ends_it():
    try:
        select.select([], [], [])
    except BaseException:
        select.select([], [], [])

def test_that_is_well():
    pass
"""
DEAF = """
import signal, threading

def test_that_hears_nothing():
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    threading.Event().wait()
"""
PLAIN = """
import os, signal, subprocess, sys
TOLD = "import signal; print(signal.pthread_sigmask(0, ()), signal.getsignal(1), signal.getsignal(3))"

def test_children_start_with_plain_signals_and_no_width():
    told = subprocess.run([sys.executable, "-c", TOLD], capture_output=True, text=True, check=True).stdout
    assert told.split(maxsplit=1)[0] == "set()"
    assert "SIG_IGN" not in told
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert {"COLUMNS", "LINES"} & os.environ.keys() == set()
    import readline  # exports the width of a terminal to children, past os.environ

def test_nor_has_readline_told_one():
    told = subprocess.run(["env"], capture_output=True, text=True, check=True).stdout
    assert "COLUMNS=" not in told
"""


@pytest.fixture
def inner(tmp_path):
    """pytest in a process of its own, with our conftest and a limit of half a second."""

    def run(tests: str, grace: float = 20, before=None) -> subprocess.CompletedProcess[str]:
        (tmp_path / "conftest.py").write_text(HERE.format(grace=grace), "utf-8")
        (tmp_path / "test_inner.py").write_text(tests, "utf-8")
        words = [sys.executable, "-m", "pytest", "-c", str(ROOT / "pyproject.toml"), "--rootdir", str(ROOT)]
        words += ["-p", "no:cacheprovider", "-rA", str(tmp_path)]
        environ = {**os.environ, "COLUMNS": "20", "LINES": "5"}
        return subprocess.run(
            words, cwd=ROOT, env=environ, capture_output=True, text=True, check=False, preexec_fn=before, timeout=60
        )

    return run


def outcomes(text: str) -> dict[str, str]:
    found = [line.split() for line in text.splitlines() if line.startswith(("PASSED", "FAILED"))]
    return {words[1].rpartition("::")[2]: words[0] for words in found}


def test_a_test_that_hangs_fails_with_its_stack_and_the_others_go_on(inner):
    done = inner(TESTS)
    assert outcomes(done.stdout) == {
        "test_that_hangs": "FAILED",
        "test_that_catches_what_ends_it": "FAILED",
        "test_that_is_well": "PASSED",
    }
    assert "longer than 0.5 s" in done.stdout
    assert "in test_that_hangs" in done.stderr


def test_a_test_that_no_signal_reaches_ends_its_process_and_says_where_it_stood(inner):
    done = inner(DEAF, grace=0.5)
    assert done.returncode == 1
    assert "in test_that_hears_nothing" in done.stderr


def test_ignored_and_blocked_signals_and_the_width_of_a_terminal_reach_no_test(inner):
    def as_nohup_does() -> None:
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGIO, signal.SIGCHLD, signal.SIGALRM})

    done = inner(PLAIN, before=as_nohup_does)
    assert done.returncode == 0, done.stdout


def test_no_config_of_a_test_names_a_program_that_may_run_on_the_machine_anyway():
    """`status` looks for servers that run ungoverned: somebody's own `cat` would be taken for one."""
    usual = re.compile(r'"command" ?: ?"(?:cat|sleep|sh|bash|true|tail|less|node|python3?)"')
    rooms = ("front", "daemon", "real", "helpers")
    files = [path for room in rooms for path in (ROOT / "tests" / room).rglob("*.py")]
    assert [path.name for path in files if usual.search(path.read_text("utf-8"))] == []
