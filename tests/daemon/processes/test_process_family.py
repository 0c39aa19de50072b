from mcpgov.daemon.processes.process import ZOMBIE, Ident, ProcessTable
from mcpgov.daemon.processes.process_family import Family, family_of, living, server_of
from tests.helpers.trees import made

PROXY = made(10, 1, pgid=1)
SERVER = made(20, 10)
HELPER = made(15, 10, pgid=1)
WORKER = made(21, 20, pgid=20)
SHELL = made(22, 20)  # a group of its own in the same session
DETACHED = made(23, 20, sid=23)
BELOW_DETACHED = made(24, 23, sid=23, pgid=23)
LEFT_ALONE = made(25, 1, pgid=20)  # its parent is gone; the group tells
ADOPTED = made(26, 10, sid=26, pgid=26, start=30.0)  # its parents are gone; the proxy has taken it
ALL = [PROXY, SERVER, HELPER, WORKER, SHELL, DETACHED, BELOW_DETACHED, LEFT_ALONE, ADOPTED]
FAMILY = Family(SERVER.ident, frozenset(one.ident for one in ALL if one not in (PROXY, HELPER)))


def without_parents(*processes):
    return ProcessTable(made(one.pid, 1, pgid=one.pgid, sid=one.sid, start=one.start) for one in processes)


def numbers(processes):
    return sorted(process.pid for process in processes)


def test_the_server_is_the_child_with_a_group_of_its_own():
    assert server_of(ProcessTable(ALL), PROXY) == SERVER
    assert server_of(ProcessTable([PROXY, HELPER]), PROXY) is None


def test_a_family_is_the_group_and_what_descends_in_whatever_session():
    assert family_of(ProcessTable(ALL), PROXY) == FAMILY


def test_a_proxy_without_a_server_has_no_family():
    assert family_of(ProcessTable([PROXY, HELPER]), PROXY) == Family()


def test_after_the_end_of_the_proxy_the_remembered_are_found_without_their_parents():
    left = without_parents(SERVER, WORKER, SHELL, DETACHED, ADOPTED)
    assert numbers(living(left, FAMILY, 100.0)) == [20, 21, 22, 23, 26]


def test_what_was_never_remembered_is_found_through_the_group():
    known = Family(SERVER.ident, frozenset({SERVER.ident}))
    assert numbers(living(without_parents(SERVER, WORKER), known, 100.0)) == [20, 21]
    assert numbers(living(without_parents(WORKER), known, 100.0)) == [21]


def test_a_group_whose_number_belongs_to_another_process_now_is_not_ours():
    stranger = made(20, 1, start=500.0)
    its_worker = made(30, 20, pgid=20, start=501.0)
    assert living(ProcessTable([stranger, its_worker]), FAMILY, 100.0) == []


def test_a_member_that_came_after_the_end_to_a_group_without_its_leader_is_not_ours():
    assert living(ProcessTable([made(30, 1, pgid=20, start=101.0)]), FAMILY, 100.0) == []


def test_a_dead_leader_that_nobody_has_waited_for_still_proves_its_group():
    table = ProcessTable(
        [made(20, 1, state=ZOMBIE), made(30, 1, pgid=20, start=101.0), made(31, 1, pgid=20, state=ZOMBIE)]
    )
    assert numbers(living(table, FAMILY, 100.0)) == [30]


def test_a_remembered_number_with_another_start_is_a_stranger():
    assert living(ProcessTable([made(22, 1, start=500.0)]), FAMILY, 100.0) == []


def test_descendants_are_found_below_whoever_is_left():
    new = made(40, 22, pgid=22)
    detached = made(41, 22, sid=41)
    dead = made(42, 22, pgid=22, state=ZOMBIE)
    assert numbers(living(ProcessTable([SHELL, new, detached, dead]), FAMILY, 100.0)) == [22, 40, 41]


def test_a_family_without_a_server_has_nobody():
    assert living(ProcessTable(ALL), Family(), 100.0) == []


def test_a_family_grows_by_those_who_join():
    assert Family().joined_by([SHELL]) == Family(None, frozenset({Ident(22, 22.0)}))
