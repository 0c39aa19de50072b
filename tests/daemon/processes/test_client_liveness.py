from mcpgov.daemon.processes.client_liveness import FARTHEST, ProcessLook, anchors_of, deserted
from mcpgov.daemon.processes.process import ZOMBIE, Ident
from tests.helpers.trees import World, made

CLAUDE, SHELL, HELPER, PROXY = made(2, 1, "claude"), made(3, 2, "bash"), made(4, 3, "helper"), made(5, 4, "proxy")


def test_a_proxy_is_anchored_to_its_parent_and_to_the_app_above():
    assert anchors_of(World(CLAUDE, SHELL, HELPER), PROXY) == {HELPER.ident, CLAUDE.ident}


def test_an_app_that_is_the_parent_is_the_only_anchor():
    assert anchors_of(World(CLAUDE), made(5, 2)) == {CLAUDE.ident}


def test_without_an_app_the_parent_alone_counts():
    assert anchors_of(World(SHELL, HELPER), PROXY) == {HELPER.ident}


def test_a_parent_that_is_not_ours_to_see_is_no_anchor():
    assert anchors_of(World(), PROXY) == frozenset()


def test_the_way_up_is_bounded():
    assert anchors_of(World(made(7, 7, "x")), made(8, 7)) == {Ident(7, 7.0)}
    long = [made(pid, pid - 1, "x") for pid in range(101, 110 + FARTHEST)]
    assert anchors_of(World(made(100, 1, "claude"), *long), made(200, long[-1].pid)) == {long[-1].ident}


def test_a_proxy_is_deserted_when_all_have_gone():
    anchors = frozenset({HELPER.ident, CLAUDE.ident})
    assert not deserted(anchors, ProcessLook(World(CLAUDE)))
    assert not deserted(anchors, ProcessLook(World(HELPER)))
    assert deserted(anchors, ProcessLook(World()))


def test_a_dead_one_and_another_with_its_number_count_as_gone():
    anchors = frozenset({CLAUDE.ident})
    assert deserted(anchors, ProcessLook(World(made(2, 1, state=ZOMBIE))))
    assert deserted(anchors, ProcessLook(World(made(2, 1, start=99.0))))


def test_a_proxy_without_anchors_is_never_deserted():
    assert not deserted(frozenset(), ProcessLook(World()))


def test_many_proxies_of_a_client_cost_one_look_at_it():
    world = World(CLAUDE)
    look = ProcessLook(world)
    assert look(2) == CLAUDE
    world.all.clear()
    assert look(2) == CLAUDE
