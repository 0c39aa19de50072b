"""Why the ledger cannot be used."""

import pytest

from mcpgov.guards.ledger.disk.problems import LedgerAway, LedgerDamaged, problem_of


@pytest.mark.parametrize(
    ("words", "plain"),
    [
        ("database or disk is full", "the disk is full"),
        ("attempt to write a readonly database", "it cannot be written"),
        ("unable to open database file", "it cannot be opened"),
        ("disk I/O error", "disk I/O error"),
    ],
)
def test_a_person_reads_what_stops_it(words, plain):
    found = problem_of(words)
    assert (type(found), str(found), found.claims) == (LedgerAway, plain, None)


@pytest.mark.parametrize("words", ["no such table: holds", "table x already exists", "table x has no column named y"])
def test_other_tables_are_damage(words):
    found = problem_of(words)
    assert isinstance(found, LedgerDamaged)
    assert str(found) == f"its file is damaged ({words}); run: mcpgov budget"


def test_it_says_which_claims_cannot_be_checked():
    assert LedgerAway("x", ()).claims == ()
