"""Phones that only words tell."""

import pytest

from mcpgov.guards.privacy.detector import Detector

DETECTOR = Detector(["credit_card", "ssn", "iban", "phone"])


def found(text: str) -> list[tuple[str, str]]:
    return [(one.kind, text[one.start : one.end]) for one in DETECTOR.find(text)]


def test_a_word_for_phones_lets_any_way_of_writing_count():
    assert found("Phone: 0490 75 40 81") == [("phone", "0490 75 40 81")]
    assert found("fax 415.555.0132") == [("phone", "415.555.0132")]
    assert found("phone model 2019-2020") == found("phone {x} 0490 75 40 81") == []


def test_a_told_phone_may_be_written_as_a_decimal_without_a_fraction():
    assert found('{"phone": 4155550132.0, "n": 1}') == found('{"phone": 4155550132, "n": 1}') != []
    assert found("phone: 4155550132.5") == []


@pytest.mark.parametrize("text", ["Tel.: 030 901820", "Tél : 01 42 68 53 00", "Telefon: 089/1234567", "tel 030 90182"])
def test_words_for_phones_in_other_languages(text):
    assert [kind for kind, _ in found(text)] == ["phone"]


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


def test_a_count_of_people_who_were_reached_is_no_phone():
    assert found("it reached at 12 345 678 users") == []
    assert found("reached at 030 345 678") == [("phone", "030 345 678")]


def test_a_word_that_only_holds_one_for_phones_tells_none():
    assert found('inmobiliarias", "model": "sonnet-4-20250514"') == []
    assert found("mobil 0171 3920417") == [("phone", "0171 3920417")]
