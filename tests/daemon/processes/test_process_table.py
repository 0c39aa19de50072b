import os
import shutil
import signal
import subprocess
import sys

import pytest

from mcpgov.daemon.processes.process import STOPPED, ZOMBIE, Ident
from mcpgov.daemon.processes.process_table import Linux, Portable, send, this_machine
from tests.helpers.talks import PATIENCE, PYTHON, wait_for
from tests.helpers.trees import ident, popen

MACHINES = [pytest.param(Linux, marks=pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")), Portable]
WAITS = "import signal; signal.pause()"


@pytest.fixture
def child():
    with popen(PYTHON, "-I", "-S", "-c", WAITS, "a word", "", "ü") as process:
        yield process
        process.kill()


@pytest.fixture
def machine():
    return this_machine()


@pytest.mark.parametrize("kind", MACHINES)
def test_a_process_is_told_as_it_is(kind, child):
    argv = (PYTHON, "-I", "-S", "-c", WAITS, "a word", "", "ü")
    # Just after its exec a process has its words and hardly any memory yet.
    found = wait_for(
        lambda: (one := kind().look(child.pid, argv=True)) and one.argv == argv and one.rss > 100_000 and one
    )
    assert (found.pid, found.ppid, found.uid) == (child.pid, os.getpid(), os.geteuid())
    assert (found.pgid, found.sid) == (os.getpgid(child.pid), os.getsid(child.pid))
    assert 0 <= found.cpu_seconds < PATIENCE
    assert -0.1 < kind().moment() - found.start < PATIENCE
    assert kind().sweep().get(child.pid).argv == argv


@pytest.mark.parametrize("kind", MACHINES)
def test_a_look_leaves_the_command_line_out_unless_asked(kind, child):
    assert kind().look(child.pid).argv == ()


@pytest.mark.skipif(sys.platform != "linux", reason="two ways are there on Linux alone")
def test_both_ways_tell_the_same(child):
    wait_for(lambda: Linux().look(child.pid, argv=True).argv[:1] == (PYTHON,))
    ours, theirs = Linux().look(child.pid, argv=True), Portable().look(child.pid, argv=True)
    same = ("pid", "ppid", "pgid", "sid", "uid", "argv", "name", "state")
    assert [getattr(ours, key) for key in same] == [getattr(theirs, key) for key in same]
    age = Linux().moment() - ours.start, Portable().moment() - theirs.start
    assert abs(age[0] - age[1]) < 1.5  # psutil rounds the time of boot to a second


@pytest.mark.parametrize("kind", MACHINES)
def test_a_process_of_another_user_is_not_there(kind, child):
    stranger = kind(uid=os.geteuid() + 4242)
    assert stranger.look(child.pid) is None
    assert stranger.sweep().get(child.pid) is None


@pytest.mark.parametrize("kind", MACHINES)
def test_a_process_that_has_ended_is_a_zombie_and_then_gone(kind, child):
    child.kill()
    wait_for(lambda: kind().look(child.pid, argv=True).state == ZOMBIE)
    assert not kind().look(child.pid).lives
    child.wait(PATIENCE)
    assert kind().look(child.pid, argv=True) is None


@pytest.mark.parametrize("kind", MACHINES)
def test_a_stopped_process_is_told_as_stopped(kind, child):
    child.send_signal(signal.SIGSTOP)
    wait_for(lambda: kind().look(child.pid).state == STOPPED)
    assert kind().look(child.pid).lives


@pytest.mark.parametrize("kind", MACHINES)
def test_odd_names_and_bytes_are_read_whole(kind, tmp_path):
    program = tmp_path / "a) S 1 (b"
    shutil.copy(shutil.which("sleep"), program)
    word = os.fsdecode(b"9\xff")
    with popen(str(program), "60") as process:
        found = wait_for(
            lambda: (one := kind().look(process.pid, argv=True)) and one.name == program.name and one.argv and one
        )
        process.kill()
    assert (found.argv, found.ppid) == ((str(program), "60"), os.getpid())
    with popen(PYTHON, "-I", "-S", "-c", WAITS, word) as process:
        wait_for(lambda: kind().look(process.pid, argv=True).argv[-1:] == (word,))
        process.kill()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_server_reads_from_a_pipe_and_a_terminals_program_does_not(child):
    assert Linux().piped(child.pid) is True
    with subprocess.Popen([PYTHON, "-I", "-S", "-c", WAITS], stdin=subprocess.DEVNULL) as other:
        assert Linux().piped(other.pid) is False
        other.kill()
    child.kill()
    child.wait(PATIENCE)
    assert Linux().piped(child.pid) is None


def test_where_it_cannot_be_told_nothing_is_said_about_the_input(child):
    assert Portable().piped(child.pid) is None


def test_a_signal_reaches_the_very_process(machine, child):
    assert send(machine, ident(child.pid), signal.SIGKILL)
    assert child.wait(PATIENCE) == -signal.SIGKILL


def test_a_number_with_another_start_gets_no_signal(machine, child):
    known = ident(child.pid)
    assert not send(machine, Ident(known.pid, known.start - 1), signal.SIGKILL)
    assert send(machine, known, signal.SIGTERM), "it is still there"
    assert child.wait(PATIENCE) == -signal.SIGTERM


def test_one_that_has_ended_gets_no_signal(machine, child):
    known = ident(child.pid)
    child.kill()
    wait_for(lambda: not machine.look(child.pid).lives)
    assert not send(machine, known, signal.SIGKILL)
    child.wait(PATIENCE)
    assert not send(machine, known, signal.SIGKILL)


def test_a_system_without_handles_signals_by_number_after_the_same_look(machine, child, monkeypatch):
    monkeypatch.delattr(os, "pidfd_open", raising=False)
    known = ident(child.pid)
    assert not send(machine, Ident(known.pid, known.start + 1), signal.SIGKILL)
    assert send(machine, known, signal.SIGKILL)
    assert child.wait(PATIENCE) == -signal.SIGKILL


def test_a_signal_that_is_refused_is_no_signal(machine, child):
    assert not send(machine, ident(child.pid), 4242)


def test_no_descriptor_is_left_behind(machine, child):
    def descriptors():
        return len(os.listdir("/dev/fd"))

    before = descriptors()
    for _ in range(20):
        machine.sweep()
        send(machine, ident(child.pid), 0)
    assert descriptors() == before
