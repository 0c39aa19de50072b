"""What `scan` finds in JSON is what the proxy finds in the same JSON, at the places where it is written."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcpgov.front.scanning.json_leaves import LeafFinder
from mcpgov.guards.people.analyzer import PeopleError
from mcpgov.guards.privacy.detector import Detector
from mcpgov.guards.privacy.search.findings import Finding
from mcpgov.guards.screening.near import SMALL
from mcpgov.guards.screening.placeholders import Placeholders
from mcpgov.guards.screening.rewrite import LONG, Rewriter
from tests.helpers.private_samples import samples

DETECTOR = Detector()
MADE = samples()
ROWS = (Path(__file__).parents[2] / "cases" / "privacy_messages.jsonl").read_text("utf-8").splitlines()


class Always:
    def of(self, kind, value):
        return "log", "privacy"


def proxy(text, detector=DETECTOR, people=None):
    """By kind, how often the proxy finds it."""
    reader = Rewriter(detector, Always(), Placeholders(), "server", restore=False, people=people)
    reader.run(text, None)
    return reader.findings.found


def spots(text, detector=DETECTOR, people=None):
    return list(LeafFinder(detector, people).find(text))


def scanned(text, **more):
    return dict(Counter(kind for kind, *_ in spots(text, **more)))


def filled(row):
    for name, value in MADE.items():
        row = row.replace(f"{{{name}}}", json.dumps(value)[1:-1])
    return row


TABLE = [
    '{"cards":[4539578763621486,4111111111111111]}', "[4539578763621486,4111111111111111]", "4539578763621486",
    '{"ssn":[536228731,219098765]}', '{"phones":[4155550132]}', '{"order_id":4111111111111111}', '{"ssn":"219098765"}',
    r'{"a":"anna.keller\u0040firma-nord.de"}', r'{"a":"\ud83d\ude00 anna.keller\u0040firma-nord.de\n"}',
    r'{"anna.keller\u0040firma-nord.de":1}', r'"anna.keller\u0040firma-nord.de"',
    json.dumps({"text": json.dumps({"cards": [4539578763621486], "note": json.dumps({"ssn": [536228731]})})}),
    json.dumps({"text": json.dumps({"deep": f'"{MADE["mail"]}" \\u00e9'})}),
    json.dumps(json.dumps(["ü", MADE["mail"], "[email-1]"])), json.dumps({"password": "Ihq81Sb1Gg9x"}),
    json.dumps({"t": "[not JSON] " + MADE["mail"]}), "{}", "[]", '{"a": null, "b": [true, 1.5e3]}',
    *[json.dumps(json.loads(filled(row))["message"]) for row in ROWS],
]  # fmt: skip


@pytest.mark.parametrize("text", TABLE)
def test_in_a_message_scan_finds_what_the_proxy_finds(text):
    assert scanned(text) == proxy(text)
    padded = f'[{text}, "{"words " * SMALL}"]'
    assert scanned(padded) == proxy(padded)
    spread = json.dumps(json.loads(text), indent=2)
    assert scanned(spread) == proxy(spread)


def test_the_table_holds_every_kind():
    assert {kind for text in TABLE for kind in scanned(text)} == DETECTOR.kinds


strange = st.text(st.sampled_from('\\"{}[],: \n\x01é😀1a/'), max_size=6)
words = st.tuples(strange, st.sampled_from([MADE[name] for name in ("mail", "card", "ssn", "github")]), strange)
keys = st.sampled_from(["password", "ssn", "phone", "a", "x\\", '"'])
numbers = st.sampled_from([4111111111111111, 219098765, 4155550132, 1.5, -7])
values = st.recursive(
    st.none() | numbers | words.map(" ".join) | strange,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4) | inner.map(json.dumps),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(values, st.sampled_from([{}, {"ensure_ascii": False}, {"indent": 1}]))
def test_in_any_value_scan_finds_what_the_proxy_finds_and_where_it_is_written(value, style):
    text = json.dumps(value, **style)
    assert scanned(text) == proxy(text)
    done = 0
    for _, start, end, one in spots(text):
        assert done <= start < end
        written = text[start:end]
        while one != written:  # once more for each text that it is JSON in
            before, written = written, json.loads(f'"{written}"')
            assert written != before
        done = end


def test_a_place_is_that_of_the_text_as_it_is_written():
    text = r'{"é\u00e9\ud83d\ude00": "\n😀 anna.keller\u0040firma-nord.de \\"}'
    start = text.index("anna")
    assert spots(text) == [("email", start, text.index(r" \\"), "anna.keller@firma-nord.de")]


def test_very_long_texts_are_read_in_windows_and_many_in_batches():
    long = "word " * (LONG // 5 + 1) + MADE["mail"]
    text = json.dumps({"long": long, "more": [f"{at} {MADE['card']} {'x' * 900}" for at in range(200)]})
    assert scanned(text) == proxy(text) == {"email": 1, "credit_card": 200}


def test_patterns_and_names_of_people_are_looked_for_as_the_proxy_does():
    class Names:
        began = 0

        def begin(self):
            self.began += 1

        def find_all(self, texts):
            at = {number: text.index("Ada") for number, text in enumerate(texts) if "Ada" in text}
            return {number: [Finding("person", place, place + 3)] for number, place in at.items()}

    detector, names = Detector(["email"], (), {"badge": "re:EMP-[0-9]+"}), Names()
    text = json.dumps({"who": "Ada EMP-12", "mail": MADE["mail"]})
    assert scanned(text, detector=detector, people=names) == {"person": 1, "badge": 1, "email": 1}
    assert names.began == 1
    assert scanned(text, detector=detector, people=names) == proxy(text, detector, Names())


def test_an_analyzer_that_gives_no_answer_is_an_error():
    class Gone:
        def begin(self):
            pass

        def find_all(self, texts):
            raise PeopleError("gone")

    with pytest.raises(PeopleError):
        spots('["a"]', people=Gone())
