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


def test_a_word_for_phones_lets_any_way_of_writing_count():
    assert found("Phone: 0490 75 40 81") == [("phone", "0490 75 40 81")]
    assert found("fax 415.555.0132") == [("phone", "415.555.0132")]
    assert found("phone model 2019-2020") == found("phone {x} 0490 75 40 81") == []


@pytest.mark.parametrize("text", ["Tel.: 030 901820", "Tél : 01 42 68 53 00", "Telefon: 089/1234567", "tel 030 90182"])
def test_words_for_phones_in_other_languages(text):
    assert [kind for kind, _ in found(text)] == ["phone"]


def test_a_number_of_ones_and_noughts_is_no_phone():
    assert found('format(1234, "+b") == "+10011010010"') == []


def test_the_number_of_information_is_nobodys():
    for text in ("tel:+1-816-555-1212", "call +1 816 555 1212", "phone 816-555-1212", "(816) 555-1212"):
        assert Detector(["phone"]).find(text) == []
        assert len(Detector(["phone"]).find(text.replace("1212", "1213"))) == 1


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


@pytest.mark.parametrize("before", ["not answering at", "no messages to", "my registered", "desk:", "text me on"])
def test_what_people_say_before_a_number(before):
    assert found(f"{before} 0680 123 45 67") == [("phone", "0680 123 45 67")]
    assert found("answering at 1234567") == found("registered 1234567 users") == []


@pytest.mark.parametrize(
    "number", ["0412 345 678", "(03600) 855608", "07.9861.9170", "31/225-8256", "001-465-409-1543x248"]
)
def test_a_word_behind_a_number_that_stands_alone_tells_it(number):
    assert found(f"Ada Lovelace\n{number} office\nnobody") == [("phone", number)]
    assert found(f"Ada Lovelace\n{number}-Fax") == [("phone", number)]


@pytest.mark.parametrize(
    "text", ["some 2 000 000 mobile users", "x 12345678 fax", "2026-11-18 office", "\n1111111 fax"]
)
def test_what_stands_in_a_sentence_before_such_a_word_is_none(text):
    assert found(text) == []


def test_people_mix_signs_where_a_phone_is_spoken_of():
    assert found("Phone: 06-37/240 9157") == [("phone", "06-37/240 9157")]
    assert found("You can call 6167993708") == [("phone", "6167993708")]
    assert found("You can call 1234567 functions") == []


def test_a_card_that_begins_with_nought():
    assert found("the card 060462370002 is lost") == [("credit_card", "060462370002")]
    assert found("the order 060462370002 is lost") == []


@pytest.mark.parametrize(
    ("text", "number"),
    [("Rückruf bitte an 0171 3920417", "0171 3920417"), ("Vous pouvez me joindre au 06 39 98 41 07.", "06 39 98 41 07"),
     ("bin unter 030 23125 417 im Büro", "030 23125 417"), ("Mi móvil es 612 345 678", "612 345 678"),
     ("You can be reached at 9472 7917", "9472 7917"), ("7,Ada,+44 161 496 0417,Leeds", "+44 161 496 0417")],
)  # fmt: skip
def test_words_for_calling_in_other_languages_and_columns(text, number):
    assert found(text) == [("phone", number)]


@pytest.mark.parametrize("text", ["unter 2019-2020", "erreichbar 12345678", "reached 1234567 users", "a handy 1234567"])
def test_words_that_only_may_mean_a_phone_tell_none(text):
    assert found(text) == []


@pytest.mark.parametrize(
    "text",
    ["ph: {}", "mob. {}", "Tel.-Nr.: {}", "<phone>{}</phone>", "call {} now", "my cell is {}", "telefoon {}"],
)
def test_short_words_and_marks_before_a_number(text):
    assert found(text.format("030 901820")) == [("phone", "030 901820")]
    assert found(text.format("030 901820").replace("0", "x")) == []


def test_a_short_word_is_no_end_of_a_longer_one():
    assert found("graph: 030 901820") == found("recall 030 901820") == []


def test_a_number_that_costs_nothing_to_call_is_a_companys():
    for text in ("in the USA 800-292-9263", "of 1-888-292-9263.", "Support (866) 292-9263"):
        assert found(text) == []
        assert len(found(f"call us: {text}")) == 1
    assert found("Austin\n 800-292-9263 \nTexas") == [("phone", "800-292-9263")]
    assert found("in the USA 801-292-9263") == [("phone", "801-292-9263")]


def test_a_count_of_people_who_were_reached_is_no_phone():
    assert found("it reached at 12 345 678 users") == []
    assert found("reached at 030 345 678") == [("phone", "030 345 678")]


def test_a_word_that_only_holds_one_for_phones_tells_none():
    assert found('inmobiliarias", "model": "sonnet-4-20250514"') == []
    assert found("mobil 0171 3920417") == [("phone", "0171 3920417")]


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
