"""Which holders of budgets live: by pid and by when they began."""

import os

import pytest

from mcpgov.daemon.processes.budget_holders import DAY, is_over, lives
from mcpgov.daemon.processes.process_table import this_machine
from mcpgov.guards.ledger.disk.accounts import ENDED, HeldAmount, SessionPeriod
from mcpgov.guards.ledger.disk.clocks import process_start

HERE = process_start()
DEAD = 2**22 + 1
BOOT, _, TICKS = HERE.partition(":")


@pytest.mark.parametrize(
    ("pid", "start", "lives_on"),
    [(os.getpid(), HERE, True), (DEAD, HERE, False), (os.getpid(), f"{BOOT}:{int(TICKS or 1) - 1}", False),
     (os.getpid(), f"other:{TICKS}", False)],
    ids=["it", "no process", "began before", "of another start of the machine"],
)  # fmt: skip
def test_a_holder_is_the_process_of_that_pid_which_began_then(pid, start, lives_on):
    assert lives(HeldAmount("", "b", "p", 1, pid, start, 0), this_machine()) is lives_on


def test_where_its_start_is_not_known_it_began_before_it_held_anything():
    began = this_machine().look(os.getpid()).start
    held = [HeldAmount("", "b", "p", 1, os.getpid(), "", int((began + after) * 1e6)) for after in (10, -10)]
    assert [lives(each, this_machine()) for each in held] == [True, False]


@pytest.mark.parametrize(
    ("pid", "start", "after", "over"),
    [(os.getpid(), HERE, 9 * DAY, False), (DEAD, HERE, 0, True), (0, ENDED, 0, True), (0, "", 0, False),
     (0, "", DAY + 1, True)],
    ids=["lives", "no process", "said", "not known", "long silent"],
)  # fmt: skip
def test_a_session_is_over_with_its_process_or_when_it_is_said_or_long_silent(pid, start, after, over):
    assert is_over(SessionPeriod("session s", pid, start, 7), this_machine(), 7 + after) is over
