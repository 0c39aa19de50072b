"""Phones in texts, as people of many countries write them."""

import phonenumbers
import pytest

from mcpgov.guards.privacy.detector import Detector

DETECTOR = Detector(["credit_card", "ssn", "iban", "phone"])


def found(text: str) -> list[tuple[str, str]]:
    return [(one.kind, text[one.start : one.end]) for one in DETECTOR.find(text)]


@pytest.mark.parametrize(
    "number",
    ["+1 415 555 0132", "+14155550132", "(415) 555-0132", "415-555-0132", "+44 20 7946 0958", "+49 30 123456",
     "+33 1 42 68 53 00", "+81-3-1234-5678", "1-415-555-0132"],
)  # fmt: skip
def test_phones_as_people_write_them(number):
    assert found(f"reach us: {number}.") == [("phone", number)]
    assert phonenumbers.is_possible_number(phonenumbers.parse(number, "US"))


@pytest.mark.parametrize(
    "text",
    ["415-555.0132", "1.415-555-0132", "x415-555-0132", "115-555-0132", "415-055-0132", "+0 123 456 789", "a+49151123",
     "1+4915112345678", "Decimal('+35236450.6')", "2026-11-18", "+999 12345678", "10-415-555-0132-7", "415.555.0132"],
)  # fmt: skip
def test_what_only_looks_like_a_phone_is_none(text):
    assert found(text) == []


def test_a_number_of_ones_and_noughts_is_no_phone():
    assert found('format(1234, "+b") == "+10011010010"') == []


def test_the_number_of_information_is_nobodys():
    for text in ("tel:+1-816-555-1212", "call +1 816 555 1212", "phone 816-555-1212", "(816) 555-1212"):
        assert Detector(["phone"]).find(text) == []
        assert len(Detector(["phone"]).find(text.replace("1212", "1213"))) == 1


def test_a_card_that_begins_with_nought():
    assert found("the card 060462370002 is lost") == [("credit_card", "060462370002")]
    assert found("the order 060462370002 is lost") == []


def test_a_number_that_costs_nothing_to_call_is_a_companys():
    for text in ("in the USA 800-292-9263", "of 1-888-292-9263.", "Support (866) 292-9263"):
        assert found(text) == []
        assert len(found(f"call us: {text}")) == 1
    assert found("Austin\n 800-292-9263 \nTexas") == [("phone", "800-292-9263")]
    assert found("in the USA 801-292-9263") == [("phone", "801-292-9263")]


@pytest.mark.parametrize("around", ["TO={}", "?from={}&x=1", "wa.me/{}", "17,{},Ada", "17,{},2026"])
@pytest.mark.parametrize(
    "number", ["+4915112345678", "+44 20 7946 0958", "+44 (0) 20 7946 0958", "+49 (0)171 123 45 67"]
)
def test_a_number_with_a_countrys_code_is_assigned_or_is_a_column(around, number):
    assert found(around.format(number)) == [("phone", number)]


def test_an_american_number_is_a_column_too():
    assert found("17,415-555-0132,2026") == [("phone", "415-555-0132")]
    assert found("contact_number=4155550132") == found("contact number: 4155550132") == [("phone", "4155550132")]


def test_a_decimal_that_is_assigned_is_no_phone():
    assert found("lat=+48.8566137&lon=+2.35222190") == []
