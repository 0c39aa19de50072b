"""Colours of a terminal: what they split is found, and stands where it stands."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgov.guards.privacy import colours
from mcpgov.guards.privacy.detector import Detector
from mcpgov.guards.privacy.line_gate import LineGate
from tests.helpers.private_samples import samples

DETECTOR = Detector()
GATE = LineGate(DETECTOR)
MADE = samples()


@pytest.mark.parametrize("colour", ["\x1b[1m", "\x1b[01;31m\x1b[K", "\\u001b[1m", "\\x1b[0m", "\\033[32m", "\\e[1m"])
@pytest.mark.parametrize("name", ["github", "card", "mail", "iban", "jwt"])
def test_a_value_that_a_colour_splits_is_found_with_it(colour, name):
    value = MADE[name]
    for at in (4, len(value) // 2, len(value) - 3):
        split = f"{value[:at]}{colour}{value[at:]}"
        text = f"see {split} and"
        assert [text[one.start : one.end] for one in DETECTOR.find(text)] == [split]
        assert GATE.may_hold(json.dumps({"a": text}).encode())


def test_a_value_that_colours_surround_is_found_without_them():
    value = MADE["github"]
    for before, behind in (("\x1b[32m", "\x1b[0m"), ("\\u001b[1m", "\\u001b[0m"), ("token=\x1b[1m", "\x1b[m,x")):
        text = f"{before}{value}{behind}"
        assert [text[one.start : one.end] for one in DETECTOR.find(text)] == [value]


def test_many_texts_of_which_one_has_a_split_value():
    value = MADE["github"]
    texts = ["a", "b\x1b[0m", f"{value[:9]}\x1b[1m{value[9:]}", "c", "d"]
    assert {at: len(found) for at, found in DETECTOR.find_all(texts).items()} == {2: 1}


@given(st.lists(st.sampled_from(["ab", "\x1b[1m", " ", "\x1b", "9", "\\x1b[0m", "\\", "x_", "\x1b]8;;", "\x1b(B"])))
def test_a_text_without_its_colours_is_in_the_text_itself(parts):
    text = "".join(parts)
    assert len(colours.blanked(text)) == len(text)
    whole = colours.joined(text)
    if whole is not None:
        places = [whole.span(at, at + 1) for at in range(len(whole.text))]
        assert "".join(text[start:end] for start, end in places) == whole.text


def test_no_colour_within_a_word_needs_no_other_text():
    assert colours.joined("\x1b[1mab\x1b[0m cd") is colours.joined("ab") is None
