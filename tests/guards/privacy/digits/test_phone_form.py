"""How a phone number is written."""

import pytest

from mcpgov.guards.privacy.detector import Detector

DETECTOR = Detector(["credit_card", "ssn", "iban", "phone"])


def found(text: str) -> list[tuple[str, str]]:
    return [(one.kind, text[one.start : one.end]) for one in DETECTOR.find(text)]


@pytest.mark.parametrize(
    "number",
    ["+46 (0)8 123 456 78", "+41 (0)61 234 56 78", "+1-415-555-0132x769", "415-555-0132x45", "(415) 555-0132 x 9",
     "+49 30 901820 ext. 49", "415-555-0132 ext 7", "415-555-0132 extension 7"],
)  # fmt: skip
def test_an_extension_and_the_nought_of_the_country_are_part_of_a_number(number):
    assert found(f"reach us: {number}, please") == [("phone", number)]


def test_what_follows_a_number_may_say_whose_it_is():
    assert found("+44 20 7946 0958-Fax") == [("phone", "+44 20 7946 0958")]
    assert found("415-555-0132-Office") == [("phone", "415-555-0132")]
    assert found("415-555-0132-rc1") == found("415-555-0132x12345678") == found("+44 20 7946 0958x") == []
