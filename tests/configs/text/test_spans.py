"""Edits replace what they name; literals are readable and safe."""

import json

import pytest

from mcpgov.configs.text.spans import (
    DuplicateKey,
    Entry,
    Member,
    check_absent,
    line_end,
    member_index,
    quote,
    raw,
    splice,
)

MEMBERS = (Member("a", 1, 6, 7, 1), Member("b", 9, 14, 15, 2))


def test_edits_are_made_in_any_order_and_may_touch():
    assert splice("abcdef", [(4, 6, "Z"), (0, 2, "X"), (2, 2, "+"), (2, 4, "Y")]) == "X+YZ"
    assert splice("abc", []) == "abc"


@pytest.mark.parametrize("edits", [[(0, 3, ""), (2, 4, "")], [(3, 2, "")], [(0, 9, "")], [(-1, 1, "")]])
def test_edits_that_overlap_or_leave_the_text_are_refused(edits):
    with pytest.raises(ValueError, match="overlap or leave"):
        splice("abcdef", edits)


def test_the_pieces_of_an_entry_are_joined_by_line_ends():
    assert raw("[x]..[x.env]", Entry(("x",), {}, (), 0, 3, ((0, 3), (5, 12)))) == "[x]\n[x.env]"


def test_a_member_is_picked_by_its_key():
    assert member_index(MEMBERS, "b") == 1
    with pytest.raises(KeyError, match="c"):
        member_index(MEMBERS, "c")


def test_a_key_that_is_there_is_not_put_there_again():
    check_absent(MEMBERS, "c")
    with pytest.raises(DuplicateKey, match="`a` is already there"):
        check_absent(MEMBERS, "a")


@pytest.mark.parametrize(
    ("text", "literal"),
    [
        ("é😀</a>", '"é😀</a>"'),
        ('"\\', '"\\"\\\\"'),
        ("\n\x00\x1f", '"\\n\\u0000\\u001f"'),
        ("\x7f\x9b", '"\\u007f\\u009b"'),
        ("a\ud83d", '"a\\ud83d"'),
    ],
)
def test_only_what_cannot_stand_in_a_file_is_escaped(text, literal):
    assert quote(text) == literal
    assert json.loads(literal) == text


def test_line_ends_are_those_of_the_first_line():
    assert [line_end(text) for text in ("", "a", "a\nb\r\n", "a\r\nb\n", "\na")] == ["\n", "\n", "\n", "\r\n", "\n"]
