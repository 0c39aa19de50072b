"""Where a server's relative paths start: shared by sessions until one of them has other directories."""

from mcpgov.live.server_world import FIRST_BASES, MOST_BASES, ServerWorld


def test_a_copy_has_the_same_directories_and_changes_nothing_of_the_original(tmp_path):
    world = ServerWorld("/home/u", ["server", str(tmp_path)], "/")
    copy = world.copy()
    copy.add(("/tmp",))
    assert copy.world.bases == (*world.world.bases, "/tmp")
    assert "/tmp" not in world.world.bases
    assert (copy.world.home, copy.world.cwd) == (world.world.home, world.world.cwd)


def test_the_directories_of_the_start_are_kept_when_there_are_too_many():
    world = ServerWorld("/home/u", None, "/")
    first = world.world.bases
    for number in range(2 * MOST_BASES):
        world.add((f"/d{number}",))
    assert len(world.world.bases) <= MOST_BASES + 1
    assert world.world.bases[: len(first)][:FIRST_BASES] == first[:FIRST_BASES]


def test_links_are_resolved_at_most_once_a_second():
    world = ServerWorld("/home/u", None, "/")
    world.look(100.0)
    world.look(100.5)
    assert world.looked == 100.0
    world.look(101.5)
    assert world.looked == 101.5
