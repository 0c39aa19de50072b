"""The words that come before any phrase."""

import json
from pathlib import Path

import pytest

from mcpgov.guards.patterns import compile_table
from mcpgov.guards.signals import instructions
from mcpgov.guards.signals.instructions import SPOKEN
from mcpgov.guards.signals.phrase_words import ABOUT, STEMS, WORDS, kinds_in, phrases_in, words_in

CASES = Path(__file__).parents[2] / "cases"
ROWS = [
    json.loads(line)
    for name in ("tuning", "heldout")
    for line in (CASES / f"signals_{name}.jsonl").read_text("utf-8").splitlines()
]


def test_no_word_is_left_to_be_filled_in():
    assert not [name for name in WORDS for text in (ABOUT, STEMS, *WORDS.values()) if f"{{{name}}}" in text]


@pytest.mark.parametrize("label", ["attack", "benign"])
def test_the_gate_opens_wherever_a_strong_phrase_stands(label):
    phrases = instructions.Phrases()
    gate = compile_table(f"(?i){STEMS}")
    for row in ROWS:
        text = row["text"]
        if row["label"] == label and any(kind in SPOKEN for _, _, kind in phrases.matches(text)):
            assert phrases.windows(text), text
            assert not text.isascii() or gate.search(text)


def test_a_plus_goes_on_and_a_name_in_braces_is_filled_in():
    words = words_in({"DROP": "\n  ignore\n  + |forget\n"})
    assert words == {"DROP": "ignore|forget"}
    assert phrases_in("\n  (?:{DROP}) it\n  go\n  + ing\n", words) == ("(?:ignore|forget) it", "going")


def test_the_first_line_of_a_kind_is_its_weight():
    assert kinds_in({"a": "\n  0.5\n  x{0,2}\n"}, {}) == {"a": (0.5, ("x{0,2}",))}
