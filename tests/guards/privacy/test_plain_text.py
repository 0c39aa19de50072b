"""Colours and escapes are boundaries, odd blanks and dashes separate: what is found is the value alone."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgov.guards.patterns import compile_bytes
from mcpgov.guards.privacy.detector import KINDS, Detector
from mcpgov.guards.privacy.gate import line_pattern
from mcpgov.guards.privacy.plain_text import BLANKS, DASHES, ends_escape, escape_end, plain, without_escapes
from mcpgov.guards.privacy.search.findings import Finding
from tests.helpers.private_samples import samples

DETECTOR = Detector()
GATE = compile_bytes(line_pattern(frozenset(KINDS)).encode("latin-1"))
MADE = samples()
VALUES = [MADE[name] for name in ("github", "card", "mail", "iban", "ssn", "phone", "jwt")]
COLOURS = [
    "\x1b[31m",
    "\x1b[01;31m\x1b[K",
    "\x1b(B\x1b[m",
    "\x1b]8;;",
    "\\u001b[31m",
    "\\x1b[1m",
    "\\033[31m",
    "\\e[1m",
]
ESCAPES = ["\\n", "\\t", "\\r\\n", "\\u003c", "\\u2014", "\\x3c", "\\U0001F600"]
ENDS = ["", "\x1b[0m", "\\u003e", "\\n", '\\"', "\\x1b[0m"]
SIGNS = st.text(st.sampled_from("\x1b[0;31mK(B]8\\uxe033\u00a0\u2011\u202f19A)( -n"), max_size=12)


def found(text: str) -> list[str]:
    return [text[one.start : one.end] for one in DETECTOR.find(text)]


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("before", [*COLOURS, *ESCAPES])
def test_a_value_behind_a_colour_or_an_escape_is_found_as_it_is_without_them(value, before):
    for text in (before + value + end for end in ENDS):
        assert found(text) == found(f"word {text}") == [value], text
        for ascii_only in (True, False):
            assert GATE.search(json.dumps(text, ensure_ascii=ascii_only).encode(), 0)[0] >= 0


def test_colours_around_names_and_values_hide_nothing_and_go_along_with_nothing():
    assert found("password: hunter2Xy9q!\x1b[0m") == ["hunter2Xy9q!"]
    assert found('\x1b[34;1m"password"\x1b[0m\x1b[39m:\x1b[0;32m"hunter2Xy9q"\x1b[0m') == ["hunter2Xy9q"]
    assert DETECTOR.find("\x1b[1mhunter2Xy9q!\x1b[m", "password") == [Finding("api_key", 4, 16)]


def test_escapes_in_a_text_within_a_text_are_not_cut_in_two():
    assert found('{"password":\\u0022hunter2Xy9q!\\u0022}') == ["hunter2Xy9q!"]
    assert found("password=\\nhunter2Xy9q") == []
    assert found("x\\u003cacme_" + MADE["random"] + "\\u003e") == ["acme_" + MADE["random"]]
    key = '{"k":"-----BEGIN ' + "PRIVATE KEY-----" + MADE["random"] * 3 + '\\"}'
    assert [text[-1:] for text in found(key)] == [MADE["random"][-1]]
    assert found("C:\\Sam@corp.org") == ["Sam@corp.org"]


@pytest.mark.parametrize("sign", BLANKS)
def test_odd_blanks_separate_the_groups_of_numbers(sign):
    for text in (
        "4111 1111 1111 1111", "+1 415 555 0132", "DE89 3704 0044 0532 0130 00", "GB82 WEST 1234 5698 7654 32",
        "(415) 555-0132",
    ):  # fmt: skip
        assert_found(text.replace(" ", sign))


@pytest.mark.parametrize("sign", DASHES)
def test_odd_dashes_separate_the_groups_of_numbers(sign):
    for text in ("4111-1111-1111-1111", "415-555-0132", MADE["ssn"]):
        assert_found(text.replace("-", sign))


def assert_found(text: str) -> None:
    assert found(text) == found(f"– {text} – \u00a0a") == [text]
    assert DETECTOR.find_all(["", text, "x", "y"]) == {1: DETECTOR.find(text)}
    for ascii_only in (True, False):
        assert GATE.search(json.dumps({"a": text}, ensure_ascii=ascii_only).encode(), 0)[0] >= 0


@given(SIGNS, SIGNS)
def test_the_text_stays_as_long_and_whatever_changes_the_gate_shows(one, two):
    text = one + two
    assert len(plain(text)) == len(text)
    if plain(text) != text:
        for ascii_only in (True, False):
            assert GATE.search(json.dumps(text, ensure_ascii=ascii_only).encode(), 0)[0] >= 0
    assert plain(f"{one}\n{two}") == f"{plain(one)}\n{plain(two)}"


def test_what_is_a_colour_and_what_is_none():
    assert plain("a\x1b[1;2mb\x1b[Kc\x1b[") == "a      b   c  "
    assert plain("\x1b\x1bM \x1b]0;t\x07 \x1b(") == "  M  ]0;t\x07   "
    assert plain("\\033x \\e[1m \\x1b[1m") == "\\033x" + " " * 14
    assert plain("1\u00a02 a\u00a0b 1–b A–1") == "1 2 a\u00a0b 1–b A-1"


def test_where_an_escape_ends():
    rows = {
        "\\n": 2,
        "\\u003c": 6,
        "\\x3c": 4,
        "\\U0001f600": 10,
        "\\033": 4,
        "\\0": 2,
        "\\": 1,
        "\\S": 1,
        "\\u00g0": 1,
    }
    assert {text: escape_end(text + "zz" * (text != "\\"), 0) for text in rows} == rows
    assert ends_escape("\\bx", 2)
    assert ends_escape("\\u003cx", 6)
    assert not ends_escape("nx", 1)
    assert not ends_escape("\\u003cx", 5)
    assert without_escapes("\\n", 1, 2) is None


WIDE = {ord(sign): chr(ord(sign) + 0xFEE0) for sign in "0123456789+-"}


@pytest.mark.parametrize(
    ("plain_number", "kind"),
    [("415-666-7778", "phone"), ("+81-3-1234-5678", "phone"), ("4111111111111111", "credit_card")],
)
def test_wide_digits_are_digits_and_stand_where_they_stand(plain_number, kind):
    number = plain_number.translate(WIDE)
    text = f"電話 {number} まで"
    assert [(one.kind, text[one.start : one.end]) for one in DETECTOR.find(text)] == [(kind, number)]
    for ascii_only in (True, False):
        assert GATE.search(json.dumps({"a": text}, ensure_ascii=ascii_only).encode(), 0)[0] >= 0


def test_a_wide_digit_alone_is_left_alone():
    for digits, narrow in (("5", "5".translate(WIDE)), ("15", "15")):
        assert plain("第" + digits.translate(WIDE)) == "第" + narrow
