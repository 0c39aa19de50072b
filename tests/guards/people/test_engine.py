"""The real analyzer, with a small model that is trained here: the registries have none.

It needs the extra: in this interpreter, or in the one that MCPGOV_PRESIDIO_PYTHON names.
"""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mcpgov.guards.people.analyzer import PeopleAnalyzer, PeopleError
from mcpgov.guards.people.engine import ENTITIES

ROOT = Path(__file__).parents[3]
PYTHON = os.environ.get("MCPGOV_PRESIDIO_PYTHON") or sys.executable
HAS_EXTRA = sys.executable != PYTHON or importlib.util.find_spec("presidio_analyzer") is not None
TRAIN = """
import random, sys, spacy
from spacy.training import Example
people, places = ["Ada Lovelace", "Grace Hopper", "Alan Turing", "Mary Shelley"], ["Berlin", "Paris", "Rome", "Madrid"]
spacy.util.fix_random_seed(1)
chance, rows, model = random.Random(1), [], spacy.blank("en")
for _ in range(160):
    who, where = chance.choice(people), chance.choice(places)
    text = chance.choice(["{} lives in {} today .", "I met {} when I was in {} .", "nothing was said of the job ."])
    text = text.format(who, where)
    spans = [(text.find(who), "PERSON", who), (text.find(where), "GPE", where)]
    entities = [(at, at + len(word), label) for at, label, word in spans if at >= 0]
    rows.append(Example.from_dict(model.make_doc(text), {"entities": entities}))
model.add_pipe("ner")
state = model.initialize(lambda: rows)
for _ in range(25):
    model.update(rows, sgd=state)
model.to_disk(sys.argv[1])
"""


def command(model: str) -> list[str]:
    code = (
        f"import sys; sys.path.append({str(ROOT)!r}); from mcpgov.guards.people.engine import main; main(sys.argv[1])"
    )
    return [PYTHON, "-I", "-c", code, model]


def test_only_people_and_places_are_asked_for():
    assert ENTITIES == {"PERSON": "person", "LOCATION": "address"}


@pytest.mark.skipif(HAS_EXTRA, reason="the extra is installed")
def test_without_the_extra_that_is_told():
    with pytest.raises(PeopleError, match="extra `presidio`"):
        PeopleAnalyzer().check()


@pytest.mark.skipif(not HAS_EXTRA, reason="the extra mcpgov[presidio] is not installed; see MCPGOV_PRESIDIO_PYTHON")
def test_names_and_places_are_found_by_the_real_engine_and_a_missing_model_is_told(tmp_path):
    model = str(tmp_path / "model")
    subprocess.run([PYTHON, "-I", "-W", "ignore", "-c", TRAIN, model], check=True, timeout=120)
    one = PeopleAnalyzer(model, command(model))
    text = "é Grace Hopper lives in Rome today . nothing was said of the job ."
    try:
        found = [(each.kind, text[each.start : each.end]) for each in one.find(text)]
    finally:
        one.close()
    assert ("address", "Rome") in found
    assert any(kind == "person" and "Grace" in word for kind, word in found)
    with pytest.raises(PeopleError, match="no language model `none_such`"):
        PeopleAnalyzer("none_such", command("none_such")).check()
