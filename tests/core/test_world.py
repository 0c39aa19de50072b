"""What a decision may know of the machine, where nobody has told it anything, and where somebody has."""

import pytest

from mcpgov.core.world import Witness, World, no_links


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


def test_a_witness_agrees_until_an_answer_changes():
    links, names, homes, bases = {"/a": "/b"}, {"x"}, {"bob": "/home/bob"}, [("/w",)]
    world = World(links.get, "/w", "/h", None, homes.get, lambda name: name not in names)

    def locate():
        world.bases = bases[-1]

    world.locate = locate
    own = world.readlink, world.absent, world.home_of, world.locate
    with Witness(world) as witness:
        assert (world.readlink("/a"), world.absent("y"), world.home_of("bob")) == ("/b", True, "/home/bob")
        world.locate()
    assert (world.readlink, world.absent, world.home_of, world.locate) == own
    assert witness.agrees()
    assert witness.questions == 3
    for change, restore in (
        (lambda: links.update({"/a": "/c"}), lambda: links.update({"/a": "/b"})),
        (lambda: names.add("y"), lambda: names.discard("y")),
        (lambda: homes.clear(), lambda: homes.update({"bob": "/home/bob"})),
        (lambda: bases.append(("/w", "/v")), lambda: bases.append(("/w",))),
    ):
        change()
        assert not witness.agrees()
        restore()
        assert witness.agrees()


def test_a_world_is_itself_again_when_judging_fails():
    world = World(no_links)
    own = world.readlink, world.absent, world.home_of, world.locate
    witness = Witness(world)

    def fails():
        with witness:
            world.readlink("/a")
            raise RecursionError

    with pytest.raises(RecursionError):
        fails()
    assert (world.readlink, world.absent, world.home_of, world.locate) == own
    assert witness.agrees()
