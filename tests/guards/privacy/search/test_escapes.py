"""What a text within a text writes with escapes is found, and stands where it stands."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgov.guards.privacy.detector import Detector
from mcpgov.guards.privacy.line_gate import LineGate
from mcpgov.guards.privacy.search.escapes import as_meant, unescaped
from tests.helpers.private_samples import samples

DETECTOR = Detector()
GATE = LineGate(DETECTOR)
MADE = samples()
FOUND = ["mail", "card", "ssn", "iban", "phone", "github", "jwt"]


def escape(text, slashes="\\"):
    return "".join(f"{slashes}u{ord(sign):04x}" for sign in text)


def found(text, detector=DETECTOR):
    return [text[one.start : one.end] for one in detector.find(text)]


@pytest.mark.parametrize("slashes", ["\\", "\\\\", "\\\\\\\\"])
@pytest.mark.parametrize("name", FOUND)
def test_a_value_is_found_whichever_of_its_signs_are_escapes(name, slashes):
    value = MADE[name]
    written = [value[:at] + escape(value[at], slashes) + value[at + 1 :] for at in range(0, len(value), 5)]
    for each in (*written, escape(value, slashes)):
        for text in (f"see {each} and", f'{{"a":"{each}"}}\n{{"a":"{each}"}}', f'```json\n{{"a": "{each}"}}\n```'):
            assert set(found(text)) == {each}
            assert GATE.may_hold(json.dumps({"a": text}).encode())
        assert as_meant(each) == value


def test_what_encoders_escape_is_no_part_of_a_value_beside_it():
    for before, behind in (("\\u003c", "\\u003e"), ("\\u0022", "\\u0022"), ("a\\u003d", "\\u0026b")):
        assert found(f"{before}{MADE['mail']}{behind}") == [MADE["mail"]]


def test_many_texts_of_which_one_has_an_escaped_value():
    texts = ["a", "b\\u003c", "anna.keller\\u0040firma-nord.de", "c", "d"]
    assert {at: len(found) for at, found in DETECTOR.find_all(texts).items()} == {2: 1}
    own = Detector((), (), {"staff": "re:EMP-[0-9]{6}"})
    texts[2] = "EMP-12\\u0033456"
    assert {at: len(found) for at, found in own.find_all(texts).items()} == {2: 1}
    assert found(texts[2], own) == [texts[2]]


def test_values_that_are_allowed_are_so_however_they_are_written():
    assert found("a\\u0040example.com", Detector(allow=["*@example.com"])) == []


@given(
    st.lists(st.sampled_from(["ab", "\\u0041", "\\\\u0042", " ", "\\", "\\u00", "\\u0009", "\\u00e9", "\\u00g0", "4"]))
)
def test_what_is_meant_is_in_the_text_itself(parts):
    text = "".join(parts)
    read = unescaped(text)
    if read is None:
        assert as_meant(text) == text
        return
    assert as_meant(text) == read.text
    places = [read.span(at, at + 1) for at in range(len(read.text))]
    assert [start for start, _ in places[1:]] == [end for _, end in places[:-1]]
    assert "".join(text[start:end] for start, end in places) == text
    assert all(text[start:end] == sign or text[start:end].lstrip("\\") == f"u{ord(sign):04x}"
               for sign, (start, end) in zip(read.text, places, strict=True))  # fmt: skip
