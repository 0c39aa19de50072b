import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgov.daemon.approvals.visible import cut, quoted, value_text, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text", "plain text"),
        ("Füße 東京", "Füße 東京"),
        ("a\x1b[2Jb", "a\\x1b[2Jb"),
        ("gpj.\u202eexe", "gpj.\\u202eexe"),
        ("a\u200bb\ufeff", "a\\u200bb\\ufeff"),
        ("a\nb\r\tc\u2028", "a\\x0ab\\x0d\\x09c\\u2028"),
        ("tag\U000e0041", "tag\\U000e0041"),
        ("vs\ufe0f\u3164", "vs\\ufe0f\\u3164"),
        ("nb\xa0sp", "nb\\xa0sp"),
        ("a\\u202e", "a\\\\u202e"),
        ("\ud800", "\\ud800"),
        ("e\u0301\u0301\u0301\u0301", "e\u0301\u0301\u0301\\u0301"),
    ],
)
def test_what_acts_or_hides_is_shown_as_an_escape(text, shown):
    assert visible(text) == shown


@given(st.text())
def test_nothing_that_is_shown_acts_and_different_texts_look_different(text):
    shown = visible(text)
    assert all(char == " " or unicodedata.category(char)[0] not in "CZ" for char in shown)
    assert shown == text or "\\" in shown


def test_values_are_one_line_with_every_text_in_quotes():
    value = {"a": ['x"y', 1, True, None, 1.5], "b\n": {}}
    assert value_text(value) == '{"a": ["x\\"y", 1, true, null, 1.5], "b\\x0a": {}}'
    assert quoted("\x07") == '"\\x07"'


def test_a_long_text_is_cut_in_the_middle_with_a_count():
    assert cut("short", 10) == "short"
    assert cut("a" * 20 + "b" * 10, 12) == "a" * 8 + "…(+18 characters)…" + "b" * 4
