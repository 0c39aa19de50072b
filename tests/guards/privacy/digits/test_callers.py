"""What says of digits that somebody may be called there."""

import pytest

from mcpgov.guards.privacy.detector import Detector
from mcpgov.guards.privacy.digits.callers import is_called, is_headed, is_told

DETECTOR = Detector(["phone"])
NUMBERS = ("020 7946 0958", "(02) 9374 4000", "07911 123456", "0171/1234567", "06 12 34 56 78", "07911123456")


def found(text: str) -> list[str]:
    return [text[one.start : one.end] for one in DETECTOR.find(text)]


@pytest.mark.parametrize(
    "text",
    ["T: {}", "Ada | M: {}", "ph {}", "Kontakt: {}", "emergency contact: Ada Lovelace {}", "support line {}", "text {}",
     "my new number's {}", "meine Nummer ist {}", "mon numéro est le {}", "reach him on {}", "call Ada on {}",
     "missed call from {}", '"msisdn": "{}"', "cust_ph: {}", "{} (mobile)", "{} (portable)", "voicemail:\n  {}"],
)  # fmt: skip
@pytest.mark.parametrize("number", NUMBERS)
def test_a_number_as_it_is_dialled_inside_of_a_country_is_told_by_what_is_near(text, number):
    assert found(text.format(number)) == [number]


@pytest.mark.parametrize(
    "text", ["{}", "order number {}", "number: {}", "part no {}", "call the script; then {}", "see [call] {}", "x{}"]
)
@pytest.mark.parametrize("number", NUMBERS)
def test_without_a_word_or_as_the_number_of_something_else_it_is_none(text, number):
    assert found(text.format(number)) == []


@pytest.mark.parametrize(
    "text",
    ["call 01.02.2026", "call 02/11/2026", "call 0123", "call 01111111111", "call 0123 456 789 012 345",
     "T: 0.123456789"],
)  # fmt: skip
def test_a_date_a_short_or_a_long_number_is_none(text):
    assert found(text) == []


@pytest.mark.parametrize(
    "table", ["id,phone\n1,020 7946 0959\n2,{}", "email;telefon\na@b.io;{}", "name\tmobile\nAda\t{}\n",
              "| name | phone |\n|---|---|\n| Ada | {} |", "text\n\nid,tel\n1,{}"],
)  # fmt: skip
@pytest.mark.parametrize("number", ["020 7946 0958", "415 555 2671", "0171/1234567"])
def test_the_head_of_its_column_tells_a_number(table, number):
    assert found(table.format(number))[-1:] == [number]


@pytest.mark.parametrize("text", ["id,phone,code\n1,x,{}", "phone,id\n1,{}", "a,phone\n\n1,{}", "phone\n{}x"])
def test_the_head_of_another_column_or_table_tells_nothing(text):
    assert found(text.format("020 7946 0958")) == []


def test_each_of_the_three_is_enough():
    assert is_called("call 0123", 5)
    assert not is_called("recall 0123", 7)
    assert is_headed("a,phone\n1,2", 10)
    assert is_told("0123 (mobile)", 0, 4)
    assert not is_told("call order 0123", 11, 15)


@pytest.mark.parametrize("word", ["電話:", "전화", "Ara:", "טלפון:", "тел.", "联系电话", "Büro", "هاتف"])
def test_words_for_calls_in_letters_of_any_script(word):
    assert found(f"{word} 03-3581-0525") == ["03-3581-0525"]
