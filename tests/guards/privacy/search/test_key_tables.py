"""Keys by their beginning, by a mark in them; whose shape a key has."""

from mcpgov.guards.privacy.marked_keys import table
from mcpgov.guards.privacy.search.key_tables import KeyTables
from tests.guards.privacy.test_marked_keys import made
from tests.helpers.private_samples import samples

TABLES = KeyTables()
GITHUB = samples()["github"]


def test_a_key_begins_at_one_of_the_places_that_are_asked_about():
    assert TABLES.begun(f" {GITHUB}", (1, 0)) == (1, 1 + len(GITHUB))
    assert TABLES.begun(f" {GITHUB}", (0,)) is None
    assert TABLES.begun("ghp_short", (0,)) is None


def test_a_mark_that_a_key_is_around_has_its_place_in_the_pattern():
    for one in table():
        key = made(one)
        mark = key.index(one.mark, 1)
        assert TABLES.marks.search(key.encode(), 0)[0] >= 0, one.issuer
        assert TABLES.marked(key, mark, mark + 1) is not None, one.issuer
    assert TABLES.marks.search(b"a-b|c 2026-11-19", 0)[0] < 0
    assert TABLES.marked("a-b", 0, 3) is None


def test_the_issuer_of_a_whole_key_is_told():
    assert TABLES.issuer_of(GITHUB) == "GitHub"
    assert TABLES.issuer_of(made(table()[0])) == "Terraform"
    assert TABLES.issuer_of(GITHUB + "!") == ""
