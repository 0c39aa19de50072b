"""Values: JSON read with its number text, numbers in their two forms, JSON embedded in strings."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgov.core.json.values import (
    MOST_EMBEDDED,
    Float,
    SeparateText,
    Tangled,
    as_double,
    dumps,
    embedded_json,
    number_of,
    number_texts,
    opened_json,
    parse,
    scan,
    shortest,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(JSON)
def test_every_json_value_is_read_as_json_reads_it(value):
    assert parse(json.dumps(value)) == value


def test_a_number_keeps_its_text():
    (number,) = parse(" [1.50] ")
    assert isinstance(number, Float)
    assert (number, number.text) == (1.5, "1.50")


@pytest.mark.parametrize(
    "text",
    ["", " ", "NaN", "[Infinity]", "-Infinity", "-", "{", '{"a" 1}', '{"a":1,}', "[1,]", "[1 2]", '"a', '"\x01"',
     "\ufeff1", "1 2", "{}x", "01", "tru", "1" * 5000],
)  # fmt: skip
def test_what_is_no_json_is_refused(text):
    with pytest.raises(ValueError):  # noqa: PT011 - any reason will do
        parse(text)


def test_nesting_beyond_the_interpreter_is_an_error_to_catch():
    with pytest.raises(RecursionError):
        parse("[" * 200_000)


def test_scan_says_where_a_value_ends():
    assert scan('xx{"a": [1]}yy', 2) == ({"a": [1]}, 12)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1.0", "1"),
        ("0.10", "0.1"),
        ("1e3", "1000"),
        ("-1.50E+1", "-15"),
        ("-0.0", "0"),
        ("1.5e-3", "0.0015"),
        ("12.340", "12.34"),
        ("1e400", "1e400"),
        ("2.50e-400", "25e-401"),
        ("1e9999999", "1e9999999"),
        ("inf", "inf"),
    ],
)
def test_the_shortest_form_has_no_needless_digits(text, expected):
    assert shortest(text) == expected


def test_numbers_have_the_text_of_the_message_and_a_shortest_form():
    assert number_texts(7) == ("7", "7")
    assert number_texts(Float("1.50")) == ("1.50", "1.5")
    assert number_texts(2.0) == ("2.0", "2")


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6, min_value=-(10**12), max_value=10**12))
def test_the_shortest_form_has_the_same_value(number):
    assert float(shortest(str(number))) == float(number)


def test_equal_values_have_the_same_text():
    assert dumps({"b": [1, "é"], "a": None}) == dumps({"a": None, "b": [1, "é"]}) == '{"a":null,"b":[1,"\\u00e9"]}'
    with pytest.raises(TypeError, match="object is not JSON"):
        dumps({"a": object()})


def test_a_reader_of_doubles_sees_another_integer():
    assert as_double(5) == "5"
    assert as_double(2**53 + 1) == str(2**53)
    assert as_double(10**400) == "Infinity"
    assert as_double(-(10**400)) == "-Infinity"
    assert as_double(Float("-1e999")) == "-Infinity"
    assert as_double(Float("100.00000000000000001")) == "100"
    assert as_double(Float("1.50")) == "1.5"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("100", 100), (" 1e2\n", 100), ("0x64", 100), ("1_00", 100), ("", None), ("abc", None), ("x", None),
     ("nan", None), ("१००", 100), (" १००", 100),
     ("1x", None), ("0x" + "f" * 400, None), ("1.2.3", None)],
)  # fmt: skip
def test_a_number_is_found_in_a_text(text, expected):
    assert number_of(text) == expected


def test_json_inside_a_string_is_found():
    assert embedded_json(' ["/etc/passwd"] ') == ["/etc/passwd"]
    assert embedded_json('{"a": 1}') == {"a": 1}
    assert embedded_json("[not json") is None
    assert embedded_json("plain") is None
    assert embedded_json("") is None


def test_hidden_json_is_read_as_the_most_generous_reader_does():
    assert embedded_json('{"a": 1, "b": 2, "a": [3]}') == {"a": [1, [3]], "b": 2}
    found = embedded_json(f'[NaN, -Infinity, {"9" * 5000}, "a\tb"]')
    assert [number.text[:9] for number in found[:3]] == ["NaN", "-Infinity", "9" * 9]
    assert found[3] == "a\tb"
    assert embedded_json('"\\u002fetc"') == ["/etc"]
    assert embedded_json('"/etc"') is None
    assert embedded_json('"\\') is None


def test_json_that_is_judged_apart_is_not_opened():
    assert embedded_json(SeparateText("[1]")) is None


def test_json_in_strings_in_json_is_opened_a_few_times_only():
    assert opened_json("[1]", MOST_EMBEDDED - 1) == [1]
    assert opened_json("plain", MOST_EMBEDDED) is None
    for text, depth in (("[1]", MOST_EMBEDDED), ("[" * 100_000 + "]" * 100_000, 0)):
        with pytest.raises(Tangled):
            opened_json(text, depth)


def test_a_number_that_no_json_has_is_written_as_its_text():
    value = {"n": parse("1e999"), "l": [parse("-1e400"), 1, (1.5, float("nan"))]}
    assert json.loads(dumps(value)) == {"n": "1e999", "l": ["-1e400", 1, [1.5, "nan"]]}
    assert dumps({"n": parse("1.50")}) == '{"n":1.5}'
