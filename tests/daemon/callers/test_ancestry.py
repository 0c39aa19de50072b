import os
import subprocess
import sys

from mcpgov.daemon.callers import ancestry
from mcpgov.daemon.callers.caller_rules import Chain, Step
from tests.helpers.talks import wait_for
from tests.helpers.trees import World, made, popen


def chain(*processes, asks):
    """The chain above one of some made-up processes."""
    table = {process.pid: process for process in processes}
    found = ancestry.chain_of(asks, lambda pid: Step(table[pid]) if pid in table else None, World(*processes))
    return [step.process.pid for step in found.steps], [step.process.pid for step in found.lost], found.whole


INIT = made(1, 0, "init", sid=1)


def test_parents_are_followed_to_the_top():
    assert chain(INIT, made(5, 1, "xterm"), made(6, 5, "bash"), made(7, 6, "x"), asks=7) == ([7, 6, 5, 1], [5], True)


def test_who_has_lost_its_parent_goes_on_at_its_group_then_at_its_session():
    app, lost = made(5, 1, "claude", sid=5, pgid=5), made(9, 1, "sh", sid=5, pgid=5)
    assert chain(INIT, app, lost, asks=9) == ([9, 5, 1], [9, 5], True)
    assert chain(INIT, app, made(9, 1, "sh", sid=5, pgid=8), asks=9) == ([9, 5, 1], [9, 5], True)
    assert chain(INIT, app, made(9, 1, "sh", sid=9, pgid=9), asks=9) == ([9, 1], [9], True)


def test_a_users_manager_adopts_as_the_first_process_does():
    manager = made(3, 1, "/usr/lib/systemd/systemd", "--user", sid=3)
    assert chain(INIT, manager, made(9, 3, "sh", sid=8, pgid=8), asks=9) == ([9, 3, 1], [9], True)


def test_a_parent_that_may_not_be_seen_leaves_the_chain_open():
    assert chain(INIT, made(9, 8, "sh"), asks=9) == ([9], [], False)
    assert chain(INIT, asks=9) == ([], [], False)


def test_processes_that_are_each_others_parents_end_the_chain():
    assert chain(INIT, made(8, 9, "a"), made(9, 8, "b"), asks=9) == ([9, 8], [], False)


def test_apps_and_proxies_that_run_are_seen_beside_the_chain():
    processes = [INIT, made(5, 1, "claude"), made(6, 1, "bash"), made(7, 1, "codex", state="zombie")]
    table = {process.pid: Step(process) for process in processes}
    assert ancestry.chain_of(6, table.get, World(*processes)) == Chain(
        (table[6], table[1]), (table[6],), (table[5],), True, 1
    )


def test_a_process_is_read_with_its_home_and_its_marks(tmp_path):
    env = {**os.environ, "HOME": str(tmp_path), "CLAUDECODE": "1"}
    with popen(sys.executable, "-c", "input()", env=env, stderr=subprocess.DEVNULL) as process:
        # Between fork and exec it has none of its own.
        found = wait_for(lambda: (seen := ancestry.step_of(process.pid)) and seen.home and seen, "the child's home")
        assert (found.home, found.process.ppid, found.tty) == (str(tmp_path.resolve()), os.getpid(), False)
        assert "CLAUDECODE" in found.marks
        process.kill()
    assert ancestry.step_of(process.pid) is None


def test_a_manager_that_leads_the_group_of_what_it_has_adopted_is_passed_once():
    manager = made(3, 1, "/usr/lib/systemd/systemd", "--user", sid=3, pgid=3)
    assert chain(INIT, manager, made(9, 3, "sh", sid=3, pgid=3), asks=9) == ([9, 3, 1], [9], True)


def test_the_file_that_a_process_runs_from_is_read():
    child = popen(sys.executable, "-c", "input()")
    wanted = os.path.basename(os.path.realpath(sys.executable)) if sys.platform == "linux" else ""
    try:
        wait_for(lambda: getattr(ancestry.step_of(child.pid), "program", None) == wanted, "the program's name")
    finally:
        child.communicate(b"\n", timeout=5)
    assert ancestry.step_of(child.pid) is None
