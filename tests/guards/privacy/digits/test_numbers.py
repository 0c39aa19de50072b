"""Cards, IBANs and social security numbers in texts."""

import pytest

from mcpgov.guards.privacy.detector import Detector
from mcpgov.guards.privacy.digits.checksums import luhn

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


def test_a_card_of_diners_is_found_alone_and_where_a_card_is_spoken_of():
    card = "3852" + "0000023237"
    assert found(card) == [("credit_card", card)]
    assert found(f"card {card}") == [("credit_card", card)]
    assert found(f"it is {card}") == found(f"{card} ") == found(card[:-1] + "8") == found("20240131123049") == []
    assert DETECTOR.find(card, "order_id") == []


def test_social_security_numbers():
    number = "-".join(("536", "22", "8726"))
    assert found(f"SSN {number}.") == [("ssn", number)]
    assert found("ssn: 536228726") == [("ssn", "536228726")]
    assert found("536228726") == found("000-22-8726") == found("536-22-87260") == found("2536-22-8726") == []


def test_ibans_in_groups_and_together():
    for text in ("DE89370400440532013000", "DE89 3704 0044 0532 0130 00"):
        assert found(f"to {text}, now") == [("iban", text)]
    small = "de89370400440532013000"
    assert found(f"my iban is {small}") == [("iban", small)]
    assert found(f"the id is {small}") == found("my iban is De89370400440532013000") == []
    assert found("DE89370400440532013001") == found("XDE89370400440532013000") == found("DE8937040044053201300") == []


def test_groups_in_a_table_of_code_points_are_no_card():
    assert found("5373 5375 5426 5443 5433 5448 5442 5427") == found("542D 5424 1802 9769 0125 541E") == []
    assert found("4111 1111 1111 1111 1229") == [("credit_card", "4111 1111 1111 1111")]


@pytest.mark.parametrize("text", ["ES91 2100 0418 45 0200051332", "ES91 21000418450200051332", "NL91 ABNA 0417164300"])
def test_an_iban_in_groups_of_its_country_is_one(text):
    assert found(f"to {text}.") == [("iban", text)]


@pytest.mark.parametrize("text", ["ES91 2100 0418 45 02000513", "ES91 2100 0418 45-02"])
def test_what_begins_like_an_iban_and_ends_early_is_none(text):
    assert found(text) == []


def test_the_next_column_of_a_row_ends_a_number():
    assert found("4111 1111 1111 1111,Ada") == [("credit_card", "4111 1111 1111 1111")]
    assert found("4111111111111111,5") == []


@pytest.mark.parametrize(
    "text", ["30569309025904 is the credit card of Ada", "tarjeta: {}", "my debit one, number {}", "carte {}"]
)
def test_words_for_cards_before_or_behind_tell_one_of_another_length(text):
    assert found(text.format("30569309025904")) == [("credit_card", "30569309025904")]
    assert found("a crate 30569309025904") == []


@pytest.mark.parametrize("row", ["{},12/29,123", "17,{},250,Ada", "17,{},Ada", "{},5,7", "2026-11-18,{},1"])
def test_a_card_is_a_column_of_a_row(row):
    assert found(row.format(CARD)) == [("credit_card", CARD)]


@pytest.mark.parametrize(
    "text", [f"{CARD},{CARD}", f"{CARD},424242424242,{CARD}", f"1,{CARD}", f"0.5,{CARD},1", f"{CARD},50"]
)
def test_numbers_of_a_list_and_decimals_are_no_cards(text):
    assert found(text) == []


def test_groups_of_a_card_may_have_dots():
    assert found("paid with 4111.1111.1111.1111") == [("credit_card", "4111.1111.1111.1111")]
    assert found("4111.1111.1111.1112") == found("4111.1111-1111.1111") == []


@pytest.mark.parametrize("word", ["SS#", "ss #", "soc sec", "soc. sec", "my social is", "Social:"])
def test_words_for_social_security_numbers(word):
    assert found(f"{word} 536904399") == [("ssn", "536904399")]


def test_a_social_security_number_is_a_column_of_a_row():
    assert found("17,536-90-4399,1990-01-02") == [("ssn", "536-90-4399")]
    assert found("ssn,born\n536904399,1990,2") == [("ssn", "536904399")]


def test_what_is_behind_a_number_or_heads_its_column_tells_it():
    assert found("yes its 544 10 1859 social, filed") == [("ssn", "544 10 1859")]
    assert found("order,pan,brand\n1,36276330293543,diners") == [("credit_card", "36276330293543")]
    assert found("order,item,brand\n1,36276330293543,x") == found("yes its 544 10 1859 today") == []


def groups_of_cards():
    """Cards whose groups grow, made by their last digit."""
    for first in range(4000, 4080):
        for last in range(9000, 9999):
            groups = [first, first + 40, first + 1200, last]
            if luhn("".join(map(str, groups))):
                yield " ".join(map(str, groups))
                break


def test_groups_that_grow_beside_another_number_are_a_row_of_numbers():
    card = next(groups_of_cards())
    assert found(f"card {card}") == found(f"{card}") == [("credit_card", card)]
    assert found(f"0 0 {card} - -") == found(f"- - {card} 9999 )") == []
    assert found(f"0 {' '.join(reversed(card.split()))} -") == []  # and no card


def test_one_number_of_many_that_are_no_cards_is_none():
    cards = [number for number in range(4_311_114_000_000_000, 4_311_114_000_000_300) if luhn(str(number))]
    column = "\n".join(map(str, range(cards[0] - 6, cards[0] + 6)))
    assert found(column) == []
    assert found(str(cards[0])) == [("credit_card", str(cards[0]))]
    assert len(found("\n".join(map(str, cards[:12])))) == 12, "a list of cards"
    assert found(f"card number: {cards[0]}\n{column}")[:1] == [("credit_card", str(cards[0]))]
