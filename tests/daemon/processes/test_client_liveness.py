from mcpgov.daemon.processes.client_liveness import MOST_GENERATIONS, has_left, owners_of
from mcpgov.daemon.processes.process import ZOMBIE, Ident
from tests.helpers.trees import World, made

CLAUDE, SHELL, HELPER, PROXY = made(2, 1, "claude"), made(3, 2, "bash"), made(4, 3, "helper"), made(5, 4, "proxy")


def test_a_proxy_is_anchored_to_its_parent_and_to_the_app_above():
    assert owners_of(World(CLAUDE, SHELL, HELPER), PROXY) == {HELPER.ident, CLAUDE.ident}


def test_an_app_that_is_the_parent_is_the_only_anchor():
    assert owners_of(World(CLAUDE), made(5, 2)) == {CLAUDE.ident}


def test_without_an_app_the_parent_alone_counts():
    assert owners_of(World(SHELL, HELPER), PROXY) == {HELPER.ident}


def test_a_parent_that_is_not_ours_to_see_is_no_anchor():
    assert owners_of(World(), PROXY) == frozenset()


def test_the_way_up_is_bounded():
    assert owners_of(World(made(7, 7, "x")), made(8, 7)) == {Ident(7, 7.0)}
    long = [made(pid, pid - 1, "x") for pid in range(101, 110 + MOST_GENERATIONS)]
    assert owners_of(World(made(100, 1, "claude"), *long), made(200, long[-1].pid)) == {long[-1].ident}


def test_a_client_has_left_when_all_owners_have_gone():
    owners = frozenset({HELPER.ident, CLAUDE.ident})
    assert not has_left(owners, World(CLAUDE).look)
    assert not has_left(owners, World(HELPER).look)
    assert has_left(owners, World().look)


def test_a_dead_one_and_another_with_its_number_count_as_gone():
    owners = frozenset({CLAUDE.ident})
    assert has_left(owners, World(made(2, 1, state=ZOMBIE)).look)
    assert has_left(owners, World(made(2, 1, start=99.0)).look)


def test_a_proxy_without_known_owners_is_never_an_orphan():
    assert not has_left(frozenset(), World().look)
