"""What is found, and what is not: on texts of others, on our own cases, by kinds, allowances and patterns."""

import gzip
import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgov.guards.privacy.detector import KINDS, Detector
from mcpgov.guards.privacy.line_gate import LineGate
from mcpgov.guards.privacy.search.findings import Finding
from tests.helpers.private_cases import Score, keys_in_texts, labelled, rows
from tests.helpers.private_samples import samples

ROOT = Path(__file__).parents[3]
SHARED = ROOT.parent / "shared" / "data" / "privacy.jsonl.gz"
CASES = [json.loads(line) for line in (ROOT / "tests/cases/privacy_structured.jsonl").read_text("utf-8").splitlines()]
DETECTOR = Detector()


def filled(text: str) -> str:
    for name, value in samples().items():
        text = text.replace("{" + name + "}", value)
    return text


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_a_text_holds_the_kinds_that_its_label_says(case):
    text = filled(case["text"])
    assert [one.kind for one in DETECTOR.find(text)] == case["kinds"]


def test_a_finding_is_the_value_and_nothing_beside_it():
    made = samples()
    for name in ("github", "card", "mail", "iban", "ssn", "phone", "jwt", "pem"):
        text = f"är {made[name]} – und"
        (one,) = DETECTOR.find(text)
        assert text[one.start : one.end] == made[name], name


@pytest.mark.skipif(not SHARED.exists(), reason="the labelled texts of others are not beside this checkout")
def test_on_labelled_texts_of_others_nearly_all_is_found_and_nearly_nothing_else():
    score = Score()
    with gzip.open(SHARED, "rt", encoding="utf-8") as file:
        rows_of_others = [json.loads(line) for line in file]
    for row in rows_of_others:
        if row["tier"] in ("core", "phone"):
            labels = [(kind, start, end) for kind, spans in row["expect"].items() for start, end in spans]
            score.add(DETECTOR, row["text"], labels, row.get("either"))
    for kind in ("", *KINDS):
        assert score.recall(kind) >= 0.97, (kind, score.told)
        assert score.precision(kind) >= 0.98, (kind, score.told)


def test_keys_of_nearly_all_issuers_are_found_wherever_they_stand():
    score = Score()
    for text, labels in keys_in_texts():
        score.add(DETECTOR, text, labels)
    assert score.hits.total() > 1400
    assert score.recall() >= 0.98, score.told
    assert score.precision() == 1, score.told


def test_in_files_commands_headers_and_sentences_of_all_kinds_nearly_all_is_found_and_nothing_else():
    score = Score()
    for row in rows("privacy_contexts.jsonl"):
        score.add(DETECTOR, *labelled(row["text"]))
    assert score.hits.total() > 230
    assert score.recall() >= 0.95, score.told
    assert score.precision() == 1, score.told


@pytest.mark.parametrize("kind", KINDS)
def test_only_the_kinds_that_are_asked_for_are_found(kind):
    text = "\n".join(filled(case["text"]) for case in CASES)
    assert {one.kind for one in Detector([kind]).find(text)} == {kind}


def test_no_kinds_find_nothing():
    assert Detector([]).find("ada@corp.io") == []


def test_values_that_are_allowed_are_no_findings():
    detector = Detector(allow=["*@Corp.io"])
    text = "ada@corp.io, ada@other.io"
    assert [text[one.start : one.end] for one in detector.find(text)] == ["ada@other.io"]


def test_patterns_of_the_user_are_kinds_of_their_own_names_and_nothing_overlaps():
    detector = Detector(["email"], patterns={"employee": "re:EMP-[0-9]{6}", "any": "re:ada@[a-z]+"})
    text = "é EMP-123456, ada@corp.io"
    assert detector.find(text) == [Finding("employee", 2, 12), Finding("email", 14, 25)]


def test_findings_come_in_order_and_apart():
    found = DETECTOR.find("\n".join(filled(case["text"]) for case in CASES))
    assert all(one.end <= other.start for one, other in pairwise(found))
    assert len(found) > 15
    assert repr(found[0]).startswith("Finding(")
    assert len({*found, *found}) == len(found)


def test_the_key_of_an_object_tells_a_secret_and_the_gate_sees_it_in_the_line():
    secret = samples()["random"]
    for name in ("password", "apiKey", "client_secret", "X-Api-Key", "DB_PASSWORD"):
        assert DETECTOR.find(secret, name) == [Finding("api_key", 0, len(secret))]
        assert LineGate(DETECTOR).may_hold(json.dumps({"a": {name: secret}}).encode())
        assert LineGate(DETECTOR).may_hold(json.dumps({"a": {name: secret}}, separators=(",", ":")).encode())
    assert (
        DETECTOR.find(secret, "name")
        == DETECTOR.find(secret, "nextPageToken")
        == DETECTOR.find("short", "password")
        == []
    )
    assert DETECTOR.find("ada@corp.io", "password") == [Finding("email", 0, 11)]


@given(
    st.lists(st.sampled_from([*samples().values(), "", "word", "call me", "token=", "+1 415", "x@", "http://u:p", "é"]))
)
def test_many_texts_at_once_have_the_findings_of_each(texts):
    alone = {at: found for at, text in enumerate(texts) if (found := DETECTOR.find(text))}
    assert DETECTOR.find_all(texts) == alone
    names = ["password"] * len(texts)
    named = {at: found for at, text in enumerate(texts) if (found := DETECTOR.find(text, "password"))}
    assert DETECTOR.find_all(texts, names) == named


def test_many_texts_with_patterns_or_without_kinds():
    assert Detector([]).find_all(["ada@corp.io"]) == {}
    assert Detector([], patterns={"x": "re:^b"}).find_all(["ab", "b"]) == {1: [Finding("x", 0, 1)]}


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("password for ada@corp.io is Xk29fjs02k", ["email", "api_key"]),
        ("call me or write ada@corp.io, or 415 555 1234", ["email", "phone"]),
        ("SSN of ada@corp.io is 532128846", ["email", "ssn"]),
        ("iban of ada@corp.io de89370400440532013000", ["email", "iban"]),
        ("fax, then sk_live_4eC39HqLyjWDarjtT1zdp7dc and 415 555 1234", ["api_key", "phone"]),
        ("phone of ada@corp.io and bob@corp.io: 415 555 1234, eve@corp.io", ["email", "email", "phone", "email"]),
    ],
)
def test_what_stands_between_a_word_and_the_value_it_tells_of_is_found_too(text, kinds):
    assert [one.kind for one in Detector().find(text)] == kinds
