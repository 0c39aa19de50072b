import os
import signal
import uuid

import pytest

from mcpgov.daemon.processes.process import Ident
from mcpgov.daemon.processes.process_family import Family
from mcpgov.daemon.processes.process_table import this_machine
from mcpgov.daemon.processes.termination import ASKED, GIVE_UP, GONE, GRACE, KILLED, STUCK, WAITING, Termination
from tests.helpers.talks import PATIENCE, PYTHON, end_all, marked, wait_for
from tests.helpers.trees import World, ident, made, popen, stubborn

WAITS = [PYTHON, "-I", "-S", "-c", "import signal; signal.pause()"]


@pytest.fixture
def mark():
    yield (made_up := f"mark-{uuid.uuid4().hex}")
    end_all(made_up)


@pytest.fixture
def machine():
    return this_machine()


def family(pid: int) -> Family:
    return Family(ident(pid), frozenset({ident(pid)}))


def test_nothing_happens_before_its_time(machine, mark):
    with popen(*WAITS, mark, process_group=0) as process:
        ending = Termination(machine, family(process.pid), 10.0, machine.moment())
        assert (ending.step(9.9), ending.due) == (WAITING, 10.0)
        assert process.poll() is None
        process.kill()


def test_a_process_that_listens_is_ended_with_sigterm_alone(machine, mark):
    with popen(*WAITS, mark, process_group=0) as process:
        ending = Termination(machine, family(process.pid), 0.0, machine.moment())
        assert (ending.step(0.0), ending.due) == (ASKED, GRACE)
        assert process.wait(PATIENCE) == -signal.SIGTERM
        assert ending.step(GRACE / 2) == ASKED
        assert ending.step(GRACE) == GONE
        assert ending.step(PATIENCE) == GONE


def test_a_stubborn_tree_is_killed_with_its_grandchildren(machine, mark):
    with popen(*stubborn(mark, "parent"), process_group=0) as process:
        wait_for(lambda: len(marked(mark)) == 2)
        ending = Termination(machine, family(process.pid), 0.0, machine.moment())
        assert [ending.step(0.0), ending.step(GRACE)] == [ASKED, KILLED]
        assert process.wait(PATIENCE) == -signal.SIGKILL
        wait_for(lambda: marked(mark) == [])
        assert ending.step(GRACE + 1) == GONE


def test_grandchildren_that_outlive_the_server_are_found_by_their_group(machine, mark):
    with popen(*stubborn(mark, "parent"), process_group=0) as process:
        wait_for(lambda: len(marked(mark)) == 2)
        ending = Termination(machine, family(process.pid), 0.0, machine.moment())
        process.kill()
    assert len(ending.left(machine.sweep())) == 1
    assert [ending.step(0.0), ending.step(GRACE)] == [ASKED, KILLED]
    wait_for(lambda: marked(mark) == [])
    assert ending.step(GRACE + 1) == GONE


def test_another_process_with_the_number_is_left_alone(machine, mark):
    with popen(*WAITS, mark, process_group=0) as process:
        old = Ident(process.pid, ident(process.pid).start - 1)
        ending = Termination(machine, Family(old, frozenset({old})), 0.0, machine.moment())
        assert ending.step(0.0) == GONE
        assert process.poll() is None
        process.kill()


def test_what_cannot_be_ended_is_given_up():
    world = World(made(99_999_999))
    ending = Termination(world, Family(None, frozenset({Ident(99_999_999, 99_999_999.0)})), 0.0, 0.0)
    assert [ending.step(at) for at in (0.0, GRACE, GIVE_UP, GIVE_UP + 1)] == [ASKED, KILLED, STUCK, STUCK]


def test_we_never_end_ourselves(machine):
    left = Termination(machine, family(os.getpid()), 0.0, machine.moment()).left(machine.sweep())
    # Servers that other tests of this process share are its children.
    assert os.getpid() not in [each.pid for each in left]
