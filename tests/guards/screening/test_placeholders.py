"""Placeholders of one conversation."""

import pytest

from mcpgov.guards.screening import placeholders
from mcpgov.guards.screening.placeholders import Placeholders, tokens_in


def test_one_value_one_placeholder_numbered_by_kind():
    known = Placeholders()
    assert [known.token("email", "a"), known.token("ssn", "b"), known.token("email", "c"), known.token("jwt", "a")] == [
        "[email-1]",
        "[ssn-1]",
        "[email-2]",
        "[email-1]",
    ]
    assert len(known) == 3


def test_only_what_the_server_has_sent_becomes_a_value_again():
    known = Placeholders()
    token = known.token("email", "a", "client", told=True)
    assert (known.value_of(token), known.is_ours(token), known.is_forged(token)) == (None, True, False)
    assert known.token("email", "a", "server") == token
    assert (known.value_of(token), known.is_forged(token)) == ("a", False)
    assert known.value_of("[email-9]") is None
    assert not known.is_ours("[email-9]")
    assert not known.is_forged("[email-9]")


def test_a_placeholder_that_the_server_cannot_know_is_forged():
    known = Placeholders()
    assert known.is_forged(known.token("email", "a", "server"))


def test_what_somebody_wrote_is_never_given():
    known = Placeholders()
    known.reserve("[email-7]")
    known.reserve("[email-3]")
    assert known.token("email", "a") == "[email-8]"
    known.reserve("[email-8]")
    assert known.token("email", "b") == "[email-9]"


def test_the_oldest_are_forgotten_and_their_numbers_never_used_again(monkeypatch):
    monkeypatch.setattr(placeholders, "MOST_VALUES", 2)
    known = Placeholders()
    for value in "abc":
        known.token("email", value, "server")
    assert (len(known), known.value_of("[email-1]"), known.value_of("[email-3]")) == (2, None, "c")
    assert known.token("email", "a") == "[email-4]"
    known.reserve("[one-1]")
    known.reserve("[two-1]")
    assert known.token("two", "d") == "[two-1]"  # only so many kinds are kept in mind


def test_the_characters_of_all_values_are_bounded(monkeypatch):
    monkeypatch.setattr(placeholders, "MOST_CHARACTERS", 10)
    known = Placeholders()
    known.token("email", "a" * 6)
    known.token("email", "b" * 6)
    assert len(known) == 1
    known.token("email", "c" * 20)
    assert len(known) == 1


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a [email-1] b [employee_id-22]", ["[email-1]", "[employee_id-22]"]),
        ("[[email-1]]", ["[email-1]"]),
        ("[email-1", []),
        ("[email-]", []),
        ("[-1]", []),
        ("[Email-1]", []),
        ("[e mail-1]", []),
        ("[email-1x]", []),
        ("[email-\u0661]", []),
        ("[email-1234567890123456]", []),
        ("[" + "e" * 33 + "-1]", []),
        ("[1-1]", []),
        ("plain", []),
    ],
)
def test_what_looks_like_a_placeholder(text, found):
    assert [text[start:end] for start, end in tokens_in(text)] == found
