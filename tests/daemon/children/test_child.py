"""Work in a process of its own, awaited without waiting."""

import os
import select
import signal
import sys

import pytest

from mcpgov.daemon.children import child as module
from mcpgov.daemon.children.child import Child


@pytest.fixture
def run():
    made = []

    def start(code, read=lambda output, code: (output, code), **options):
        made.append(Child([sys.executable, "-I", "-c", code], read, **options))
        return made[-1]

    yield start
    for child in made:
        child.close()


def finish(child):
    """Wait as the daemon does: only when the descriptor is readable is anything asked."""
    while True:
        assert select.select([child], [], [], 5.0)[0], "no word within 5 s"
        if child.ready():
            return child.result()


def test_the_output_and_the_exit_code_make_the_result(run):
    assert finish(run("print('done'); raise SystemExit(3)")) == (b"done\n", 3)


def test_a_child_that_is_not_ready_makes_nobody_wait(run):
    child = run("import sys; sys.stdin.read(); import signal; signal.pause()")
    assert child.ready() is False


def test_more_output_than_a_pipe_holds_is_taken_bit_by_bit(run):
    output, code = finish(run("print('x' * 1_000_000, end='')"))
    assert (len(output), code) == (1_000_000, 0)


def test_output_without_end_is_refused(run, monkeypatch):
    monkeypatch.setattr(module, "MOST_OUTPUT", 100_000)
    with pytest.raises(ValueError, match="more than 100000 bytes of output"):
        finish(run("while True: print('x' * 1000)"))


def test_what_the_reader_raises_is_raised(run):
    def read(output, code):
        raise LookupError(code)

    with pytest.raises(LookupError):
        finish(run("pass", read))


def test_a_child_that_closes_its_output_and_stays_counts_as_killed(run, monkeypatch):
    monkeypatch.setattr(module, "EXIT_TIMEOUT", 0.01)
    assert finish(run("import os, signal; os.close(1); signal.pause()")) == (b"", -signal.SIGKILL)


def test_close_ends_the_child_and_what_it_started(run):
    code = "import subprocess, sys, signal; subprocess.Popen(['sleep', '60']); print('up', flush=True); signal.pause()"
    child = run(code)
    reader = os.dup(child.fileno())
    os.set_blocking(reader, True)
    assert os.read(reader, 10) == b"up\n"
    child.close()
    child.close()
    assert select.select([reader], [], [], 5.0)[0]
    assert os.read(reader, 10) == b"", "nobody is left who could write"
    os.close(reader)


def test_the_environment_is_the_one_given(run):
    child = run("import os; print(os.environ.get('HOME'), os.environ['WORD'])", environ={"WORD": "yes"})
    assert finish(child) == (b"None yes\n", 0)
