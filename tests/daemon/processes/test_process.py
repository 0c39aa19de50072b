from mcpgov.daemon.processes.process import ZOMBIE, Ident, ProcessTable
from tests.helpers.trees import made

LEAF = made(5, 3)
TABLE = ProcessTable([made(2), made(3, 2), LEAF, made(4, 2), made(9, 9)])


def numbers(processes):
    return sorted(process.pid for process in processes)


def test_a_tree_is_a_process_and_all_below_it():
    assert numbers(TABLE.tree(2)) == [2, 3, 4, 5]
    assert numbers(TABLE.tree(3)) == [3, 5]
    assert TABLE.tree(77) == []


def test_children_are_the_next_generation_alone():
    assert numbers(TABLE.children(2)) == [3, 4]
    assert TABLE.children(5) == []


def test_ancestors_come_parent_first_and_end_where_nothing_is_known():
    assert [process.pid for process in TABLE.ancestors(5)] == [3, 2]
    assert TABLE.ancestors(77) == []


def test_a_process_that_claims_to_be_its_own_parent_ends_no_walk_in_a_circle():
    assert numbers(TABLE.tree(9)) == [9]
    assert numbers(TABLE.ancestors(9)) == [9]


def test_a_process_is_found_by_number_and_start_together():
    assert TABLE.find(Ident(5, 5.0)) == LEAF
    assert TABLE.find(Ident(5, 4.0)) is None
    assert TABLE.find(Ident(77, 4.0)) is None


def test_a_zombie_is_known_but_not_alive():
    table = ProcessTable([made(2, state=ZOMBIE)])
    assert table.find(Ident(2, 2.0)) is None
    assert numbers(table) == [2]
    assert table.get(2) is not None


def test_a_process_is_its_number_and_its_start():
    assert LEAF.ident == Ident(LEAF.pid, LEAF.start)
