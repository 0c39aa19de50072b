"""Is a path one of the protected places, in one, above one, or does a glob lead to one?"""

import pytest

from mcpgov.core.protection.protected_places import ProtectedPlaces, is_plain
from mcpgov.core.rules.path_matching import Reader
from tests.helpers.compiled import world

PLACES = [
    "/home/u/.config/mcpgov",
    "/home/u/.claude.json",
    "/home/u/data/policy",
    "*/.claude/settings.json",
    "*/tool.json",
]
LINKS = {"/tmp/link": "/home/u", "/home/u/.claude.json": "/dots/claude.json"}


def guarded(cwd="/work", places=PLACES, env=None):
    return ProtectedPlaces(places, world(LINKS, cwd=cwd, env=env))


def place_in(text, env=None, **more):
    here = guarded(env=env)
    return here.place_in(text, Reader(here.world), **more)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("/home/u/.claude.json", "/home/u/.claude.json"),
        ("~/.CLAUDE.json", "/home/u/.claude.json"),
        ("/dots/claude.json", "/dots/claude.json"),
        ("/tmp/link/.config/mcpgov/x", "/home/u/.config/mcpgov/x"),
        ("/home/u/.config/mcpgov/" + "x/" * 100, "/home/u/.config/mcpgov/" + "x/" * 100),
        ("/any/.claude/settings.json", "/any/.claude/settings.json"),
        ("tool.json", "/work/tool.json"),
        ("/home/u", ""),
        ("/home/u/.config/mcpgov2", ""),
        ("/any/settings.json", ""),
        ("word " * 10_000, ""),
    ],
)
def test_a_place_is_known_by_any_reading(text, found):
    assert place_in(text) == found


def test_prose_that_ends_like_a_file_of_a_project_is_none():
    assert place_in("see docs/tool.json", prose=True) == ""
    assert place_in("see docs/tool.json")


def test_what_cannot_be_read_is_taken_for_a_place():
    assert place_in("$X", env={"X": "$X$X$X$X$X$X$X$X"}) == "/home/u/.config/mcpgov"
    assert ProtectedPlaces([], world()).any_place == "*/.mcpgov.toml"


@pytest.mark.parametrize(
    ("text", "above"), [("/home/u", True), ("/", True), ("/p/.claude", True), ("/p", False), ("", False)]
)
def test_a_directory_above_a_place_is_known(text, above):
    here = guarded()
    assert bool(here.place_below([text], Reader(here.world))) is above


@pytest.mark.parametrize(
    ("word", "leads"),
    [
        ("/home/u/.claude.*", True),
        ("~/.cl*", True),
        ("$HOME/.cl*", True),
        ("/home/*/.claude.json", True),
        ("/home/u/.config/mcpgov/*", True),
        ("/home/u/.[c]laude.json", True),
        ("/p/.claude/set*", True),
        ("too?.json", True),
        ("*", False),
        ("*.json", False),
        ("/p/*/x[", False),
        ("plain", False),
        ("x" * 5000 + "*", False),
    ],
)
def test_a_glob_is_held_against_the_places(word, leads):
    assert bool(guarded(env={"HOME": "/home/u"}).place_by_glob(word)) is leads


def test_a_relative_glob_is_taken_from_the_servers_directory():
    assert guarded(cwd="/home/u").place_by_glob(".cl*")
    assert guarded(cwd="/home/u").place_by_glob("d*/policy")


def test_the_first_names_that_lead_to_a_place_are_known():
    plain = {".mcpgov.toml", ".mcpgov", ".claude", "tool.json", "tool"}
    assert guarded().first_names == plain
    assert guarded(cwd="/home/u").first_names == plain | {".config", ".claude.json", "data"}
    assert guarded(cwd="/home/u/.config/mcpgov/x").first_names is None


def test_a_place_is_known_by_its_end_where_that_tells_it():
    here = guarded()
    assert here.places_by_tail(".claude.json") == ["/home/u/.claude.json"]
    assert here.places_by_tail("mcpgov/policy.toml") == ["/home/u/.config/mcpgov"]
    assert here.places_by_tail("data/policy") == ["/home/u/data/policy"]
    assert here.places_by_tail("policy") == []
    assert here.places_by_tail("x/" * 5000) == []


def test_plain_is_what_everybody_reads_as_the_same_name():
    assert is_plain("src/a b.py")
    for text in ("", "/a", "~a", "a=b", "a%2e", "a..b", "é", "a:b"):
        assert not is_plain(text)


def test_the_directory_of_a_known_project_is_above_its_file_only_where_it_is_asked_for():
    here = guarded(places=["/p/q/.claude/settings.json", "*/.claude/settings.json"])
    reader = Reader(here.world)
    assert [here.place_below([text], reader) for text in ("/p/q", "/p")] == ["", ""]
    assert [bool(here.place_below([text], reader, roots=True)) for text in ("/p/q", "/p", "/x")] == [True, True, False]
    assert here.place_below(["/p/q/.claude"], reader) == "/p/q/.claude/settings.json"


def test_patterns_that_begin_alike_are_told_apart_however_many_there_are():
    places = guarded(cwd="/home/u")
    for at in range(200):
        assert places.place_by_glob(f"/elsewhere{at}/*") == ""
    assert places.place_by_glob(".cl*")
    assert places.place_by_glob("d*/policy")


@pytest.mark.parametrize("place", [*PLACES[:3], "/home/u/project/.claude/settings.json"])
def test_a_glob_that_begins_like_a_place_leads_to_it_wherever_it_breaks_off(place):
    here = guarded(places=[*PLACES, place])
    for size in range(1, len(place)):
        assert here.place_by_glob(place[:size] + "*" + "/*" * place[size:].count("/")), place[:size]


def test_patterns_that_begin_alike_are_looked_up_once():
    here = guarded()
    for _ in range(2):
        assert here.place_by_glob("/home/u/.cl*") == "/home/u/.claude.json"
