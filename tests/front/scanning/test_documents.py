"""JSON, JSON Lines and text that come in pieces: what is found, and in which line and column."""

import json
import tracemalloc

import pytest

from mcpgov.front.scanning import documents
from mcpgov.front.scanning.documents import LARGE_LINE, is_json, places_in
from mcpgov.front.scanning.json_leaves import LeafFinder
from mcpgov.guards.privacy.detector import Detector
from mcpgov.guards.privacy.long_text import find_in
from tests.helpers.private_samples import samples

DETECTOR = Detector()
MADE = samples()
CARDS = '{"cards":[4539578763621486,7]}'  # as text it would hold none
ESCAPED = r'{"a": "anna.keller\u0040firma-nord.de"}'
PEM = f"Traceback\n{MADE['pem']}\n"


def places(text, size=7):
    chunks = [text[at : at + size] for at in range(0, len(text), size)]
    found = list(places_in(LeafFinder(DETECTOR), DETECTOR, chunks))
    for _, start, _, line, column, *_ in found:  # the place and the line tell the same
        assert start == sum(len(each) + 1 for each in text.split("\n")[: line - 1]) + column - 1
    return found


def seen(text, size=7):
    return [(kind, line, column) for kind, _, _, line, column, *_ in places(text, size)]


@pytest.mark.parametrize("size", [1, 7, 100_000])
@pytest.mark.parametrize(
    ("text", "found"),
    [
        (CARDS, [("credit_card", 1, 11)]),
        (f"\ufeff\n {CARDS}\n\n", [("credit_card", 2, 12)]),
        (json.dumps(json.loads(CARDS), indent=1), [("credit_card", 3, 3)]),
        (f"\n\n{json.dumps(json.loads(CARDS), indent=1)}\n", [("credit_card", 5, 3)]),
        (f"{CARDS}\n{ESCAPED}\r\n\n{CARDS}", [("credit_card", 1, 11), ("email", 2, 8), ("credit_card", 4, 11)]),
        (f'"plain"\n{ESCAPED}\n', [("email", 2, 8)]),
        (f"{CARDS}\n{PEM}\n{CARDS}\n", [("credit_card", 1, 11), ("private_key", 3, 1),
         ("credit_card", 4 + PEM.count("\n") - 1, 11)]),
        (f"[mail]\nto = {MADE['mail']}\n", [("email", 2, 6)]),
        (f"{{ no JSON {MADE['mail']}", [("email", 1, 11)]),
        ("", []), ("\n \n", []), ("{", []), ("[]\n", []),
    ],
)  # fmt: skip
def test_each_is_read_as_what_it_is_however_it_comes(text, found, size):
    assert seen(text, size) == found


def test_what_stands_beside_a_value_is_shown_and_no_other_value():
    one, two = places('{"cards": [4539578763621486, 4111111111111111], "a": 1}\n' * 2)[:2]
    assert one[5:] == ('{"cards": [', ", ", "")
    assert two[5:] == (", ", '], "a": 1}', "")
    (key,) = places(json.dumps({"key": MADE["github"]}))
    assert key[7] == "GitHub"


def test_text_is_read_as_ever():
    text = f"so: {MADE['mail']}\n{PEM} and {MADE['card']}\n"
    assert places(text) == list(find_in(DETECTOR, [text]))


@pytest.mark.parametrize(
    ("text", "answer"),
    [('{"a": [1, "b"]}\n', True), ('"a"', True), ("{} {}", False), ("{'a': 1}", False), ('{"a": NaN}', False),
     ("[" * 100_000, False), ("[1,]", False)],
)  # fmt: skip
def test_json_is_one_value_short_or_long(text, answer):
    assert is_json(text) is answer
    for long in (f'{{"a": [{"1, " * LARGE_LINE}1], "b": "{"é" * 50_000}", "c": {text}}}',):
        assert is_json(long) is answer


def test_a_long_text_in_a_long_value_must_be_json_too():
    filler = "x" * LARGE_LINE
    assert is_json(f'["{filler}\\n"]')
    assert not is_json(f'["{filler}\\q"]')


def test_one_value_that_is_too_long_is_read_as_text_and_so_is_such_a_line(monkeypatch):
    monkeypatch.setattr(documents, "LONGEST", 1000)
    long = json.dumps({"words": ["so"] * 500, "mail": MADE["mail"], "n": 0}).replace("0}", "[1,4539578763621486]}")
    assert [kind for kind, *_ in seen(long)] == ["email"]
    spread = long.replace(", ", ",\n")
    assert [kind for kind, *_ in seen(spread)] == ["email"]
    found = seen(f"{CARDS}\n{long}\n{CARDS}\n")
    assert [(kind, line) for kind, line, _ in found] == [("credit_card", 1), ("email", 2), ("credit_card", 3)]


def test_memory_does_not_grow_with_the_number_of_lines():
    def most(count):
        lines = (f'{{"at": {at}, "mail": "none", "cards": [4539578763621486]}}\n' for at in range(count))
        tracemalloc.start()
        try:
            found = sum(1 for _ in places_in(LeafFinder(Detector(["email"])), DETECTOR, lines))
            return found, tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    (_, few), (_, many) = most(40_000), most(120_000)
    assert many < 1.5 * few
