"""Amounts as whole micro-units."""

from decimal import ROUND_CEILING, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgov.guards.ledger.amounts import LARGEST, at_path, micro, shown


def repr_or_kind(value):
    """A whole number of 5000 digits has no text."""
    return type(value).__name__ if isinstance(value, int) else repr(value)[:20]


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("0.015", 15_000), ("10", 10_000_000), ("1e-05", 10), ("1.5e3", 1_500_000_000), ("0", 0), (".5", 500_000),
        ("5.", 5_000_000), ("+1", 1_000_000), ("0.0000001", 1), ("1e+2", 100_000_000), ("0e999", 0), (" 1 ", 1_000_000),
        ("-1", None), ("nan", None), ("inf", None), ("", None), (".", None), ("1e", 1_000_000), ("1e400", None),
        ("1e9999", None), ("1_0", None), ("²", None), ("1e12", 10**18), ("1e13", None), ("1000000000000.1", None),
        ("9" * 70, None), ("0" * 70, 0), ("0" * 70 + "500", 500_000_000), ("0." + "0" * 70 + "5e72", 50_000_000),
        ("1e-999", 1), ("0.1" + "0" * 70 + "1", 100_001), ("12e-6", 12), ("5e4", 50_000_000_000),
    ],
)  # fmt: skip
def test_a_text_is_an_amount_or_none(text, amount):
    assert micro(text) == amount


@given(st.floats(min_value=0, max_value=1e12, allow_nan=False))
def test_every_float_is_read_exactly_and_rounded_up(value):
    exact = Decimal(repr(value)) * 1_000_000
    assert micro(repr(value)) == int(exact.to_integral_value(ROUND_CEILING))


@pytest.mark.parametrize(("amount", "text"), [(15_000, "0.015"), (10_000_000, "10"), (-1_500_000, "-1.5"), (0, "0")])
def test_people_see_units(amount, text):
    assert shown(amount) == text


def test_a_path_leads_to_a_number_or_to_none():
    value = {"usage": {"cost": 0.5, "text": "2", "flag": True, "list": [1]}}
    assert at_path(value, ("usage", "cost")) == 500_000
    assert at_path(value, ("usage", "text")) == 2_000_000
    others = (("usage", "flag"), ("usage", "list"), ("usage", "none"), ("usage", "cost", "deeper"), ("none",))
    assert [at_path(value, path) for path in others] == [None] * 5


@pytest.mark.parametrize(
    "value",
    [1e13, 10**300, 10**5000, "9" * 5000, "1e999", 1e400, "1e400", "1e1000", "1E+1000", "1e0001000", "inf", "+Infinity",
     "0.01e" + "9" * 5000],
    ids=repr_or_kind,
)  # fmt: skip
def test_what_is_too_large_is_more_than_any_limit_and_not_nothing(value):
    assert at_path({"cost": value}, ("cost",)) == LARGEST + 1


@pytest.mark.parametrize(
    "value", [-1, -(10**5000), -1e400, "-1e1000", "-inf", float("nan"), "nan", "e5", "1e1.5"], ids=repr_or_kind
)
def test_what_is_negative_or_no_number_is_no_price(value):
    assert at_path({"cost": value}, ("cost",)) is None


@pytest.mark.parametrize(
    ("text", "amount"),
    [("0e9999", 0), ("1e-9999", 1), ("1e-" + "9" * 5000, 1), ("1e0003", 10**9), ("0." + "0" * 2000 + "1e2001", 10**6)],
)
def test_an_exponent_of_any_length_is_read(text, amount):
    assert micro(text) == amount
