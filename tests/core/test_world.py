"""What a decision may know of the machine, where nobody has told it anything, and where somebody has."""

from mcpgov.core.world import World, no_links


def test_a_world_without_a_machine_knows_nothing():
    world = World(no_links)
    assert (world.readlink("/a"), world.bases, world.env, world.home_of) == (None, (), {}, None)
    assert not world.absent("a"), "a directory that nobody has read may hold any name"
    world.locate()
    assert world.bases == ()


def test_a_relative_path_starts_in_the_working_directory_first():
    world = World(no_links, "/w", "/h", {"A": "b"}, absent=lambda name: name == "x", bases=("/other",))
    assert world.bases == ("/w", "/other")
    assert (world.cwd_slash, World(no_links, "/").cwd_slash) == ("/w/", "/")
    assert [world.absent("x"), world.absent("y")] == [True, False]
