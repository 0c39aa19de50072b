"""Which kinds a place may be of, where a word may begin there, and the spans of the checks."""

import pytest

from mcpgov.guards.privacy.detector import KINDS
from mcpgov.guards.privacy.search.place_checks import CHECKS, named_key, possible_kinds, word_starts
from tests.helpers.private_samples import samples


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("key", (0,)),
        ("+1", (0,)),
        (" key", (1, 0)),
        ('"key', (1, 0)),
        ("\\nkey", (2, 1)),
        ("%20key", (3, 1)),
        ("\\u003ckey", (6, 1)),
        ("\\x3ckey", (4, 1)),
        ("\\bkey", (2, 1)),
    ],
)
def test_a_word_begins_at_the_place_or_behind_its_boundary(text, starts):
    assert word_starts(text, 0) == starts


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("a@b.io", "email"),
        ("4111", "credit_card"),
        (" +1 415", "credit_card"),
        ("://a:b@c", "credential_url"),
        ("k", "iban"),
        ("x", "iban"),
        ("z", "api_key"),
        ("+4", "credit_card"),
        ("1@b.io", "email"),
        ("é", "iban"),
    ],
)
def test_the_first_signs_say_what_is_tried_first(text, first):
    assert possible_kinds(text, 0, word_starts(text, 0))[0] == first


def test_every_kind_but_keys_has_a_check():
    assert {*CHECKS, "api_key"} == set(KINDS)


@pytest.mark.parametrize(
    ("kind", "text", "start", "value"),
    [
        ("email", "to ada@corp.io", 5, "ada@corp.io"),
        ("credit_card", " 4111 1111 1111 1111", 0, "4111 1111 1111 1111"),
        ("credit_card", " words", 0, ""),
        ("ssn", " 536-22-1234", 0, "536-22-1234"),
        ("ssn", "ssn: 536221234", 0, "536221234"),
        ("ssn", "a536221234", 0, ""),
        ("iban", " DE89370400440532013000", 0, "DE89370400440532013000"),
        ("jwt", " nothing", 0, ""),
        ("private_key", "no key", 0, ""),
        ("phone", " +1 415 555 0132", 0, "+1 415 555 0132"),
    ],
)
def test_a_check_says_where_its_kind_stands(kind, text, start, value):
    span = CHECKS[kind](text, start, len(text), word_starts(text, start))
    assert (text[span[0] : span[1]] if span else "") == value


def test_a_key_that_a_name_tells():
    text = 'api_key = "q8Zr4LmN2vTt7Yb1"'
    assert named_key(text, 0, len(text) - 1) == (11, 27)
    assert named_key("Bearer q8Zr4LmN2vTt7Yb1", 0, 23) == (7, 23)
    assert named_key("nothing at all", 0, 14) is None


@pytest.mark.parametrize("kind", sorted(CHECKS))
def test_no_kind_is_found_where_the_first_signs_leave_it_out(kind):
    for value in [*samples().values(), "iban de89370400440532013000", "ssn 536228741", "fax 0490/75 40 81"]:
        for before in ("", " ", "(", "\\n", "%20", "é"):
            text = before + value
            for at in range(len(text)):
                places = word_starts(text, at)
                if kind not in possible_kinds(text, at, places) and kind not in ("email", "credential_url"):
                    assert CHECKS[kind](text, at, len(text), places) is None, (text, at)


def test_a_value_that_was_read_behind_its_name_is_not_read_again():
    text = 'password = "Xk29fjs02k"'
    assert named_key(text, 0, 14) == (12, 22)
    assert named_key(text, 0, 14, is_read=True) is None
