"""Cards, IBANs, social security numbers and phones in texts."""

import phonenumbers
import pytest

from mcpgov.guards.privacy.detector import Detector

DETECTOR = Detector(["credit_card", "ssn", "iban", "phone"])
CARD = "4" + "1" * 15


def found(text: str) -> list[tuple[str, str]]:
    return [(one.kind, text[one.start : one.end]) for one in DETECTOR.find(text)]


@pytest.mark.parametrize("card", [CARD, "4111 1111 1111 1111", "4111-1111-1111-1111", "3782 822463 10005"])
def test_a_card_in_each_way_of_writing(card):
    assert found(f"pay with {card}, please") == [("credit_card", card)]
    assert found(f'{{"card":"{card}"}}') == [("credit_card", card)]


@pytest.mark.parametrize(
    "text",
    ["4111 1111-1111 1111", f"0.{CARD}", f"{CARD}.5", f"a{CARD}", f"{CARD}0000", f"7d444840-9dc0-11d1-b245-{CARD}",
     "4111 1111 1111 1112", "4222222222222", "6011000990139424123", "4111\n1111\n1111\n1111", f"{CARD}-beta"],
)  # fmt: skip
def test_what_only_looks_like_a_card_is_none(text):
    assert found(text) == []


def test_a_card_of_an_unusual_length_is_found_where_a_card_is_spoken_of():
    assert found("my card 4222222222222") == [("credit_card", "4222222222222")]
    assert found("cards: 4111111111111111 4242424242424242")[1] == ("credit_card", "4242424242424242")


def test_social_security_numbers():
    number = "-".join(("536", "22", "8726"))
    assert found(f"SSN {number}.") == [("ssn", number)]
    assert found("ssn: 536228726") == [("ssn", "536228726")]
    assert found("536228726") == found("000-22-8726") == found("536-22-87260") == found("2536-22-8726") == []


def test_ibans_in_groups_and_together():
    for text in ("DE89370400440532013000", "DE89 3704 0044 0532 0130 00"):
        assert found(f"to {text}, now") == [("iban", text)]
    assert found("DE89370400440532013001") == found("XDE89370400440532013000") == found("DE8937040044053201300") == []


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


def test_a_word_for_phones_lets_any_way_of_writing_count():
    assert found("Phone: 0490 75 40 81") == [("phone", "0490 75 40 81")]
    assert found("fax 415.555.0132") == [("phone", "415.555.0132")]
    assert found("phone model 2019-2020") == found("phone {x} 0490 75 40 81") == []
