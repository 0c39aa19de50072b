"""The analyzer's child: asked in pieces, bounded in time, and never taken for silent when it is gone."""

import sys
import time

import pytest

from mcpgov.guards.people.analyzer import (
    PIECE,
    PeopleAnalyzer,
    PeopleDetector,
    PeopleError,
    engine_command,
    missing,
    pieces,
)
from mcpgov.guards.privacy.detector import Detector
from mcpgov.guards.privacy.search.findings import Finding

READY = 'print("\\"ready\\"", flush=True)\n'
# Finds the word `Ada` in each text.
ADA = READY + (
    "import json, sys\n"
    "for line in sys.stdin:\n"
    "    text = json.loads(line); at = text.find('Ada')\n"
    "    print(json.dumps([['person', at, at + 3]] if at >= 0 else []), flush=True)\n"
)


def analyzer(code: str, start: float = 5, wait: float = 5) -> PeopleAnalyzer:
    return PeopleAnalyzer(command=[sys.executable, "-I", "-c", code], start=start, wait=wait)


def test_findings_of_pieces_count_from_the_beginning_of_the_text():
    one = analyzer(ADA)
    text = "word " * PIECE + "Ada\n" + "é" * PIECE
    at = text.index("Ada")
    try:
        assert one.find(text) == [Finding("person", at, at + 3)]
        assert one.find("Ada", kinds=["address"]) == one.find("") == []
    finally:
        one.close()


def test_pieces_are_cut_between_words_and_are_the_whole_text():
    text = "Some words of a text. " * 2000
    cut = pieces(text)
    assert "".join(piece for _, piece in cut) == text
    assert all(text.startswith(piece, at) for at, piece in cut)
    assert all(len(piece) <= PIECE and piece[-1] == " " for _, piece in cut)
    assert pieces("x" * PIECE * 2) == [(0, "x" * PIECE), (PIECE, "x" * PIECE)]


def test_both_detectors_findings_come_in_order_and_apart():
    one = analyzer(ADA)
    both = PeopleDetector(Detector(["email"]), one)
    try:
        assert both.find("ada@corp.io is Ada") == [Finding("email", 0, 11), Finding("person", 15, 18)]
        assert both.find("Ada@corp.io") == [Finding("email", 0, 11)]
        assert both.issuer_of("x") == ""
    finally:
        one.close()


@pytest.mark.parametrize(
    ("code", "message", "hint"),
    [('print("\\"no-extra\\"")', "extra `presidio`", "mcpgov[presidio]"),
     ('print("\\"no-model\\"")', "no language model `en_core_web_sm`", "spacy download en_core_web_sm"),
     ('print("\\"broken: OSError\\"")', "did not start: broken: OSError", "mcpgov[presidio]"),
     ("", "has ended", "")],
)  # fmt: skip
def test_what_is_missing_is_told_with_what_to_type(code, message, hint):
    with pytest.raises(PeopleError, match=message.replace("[", r"\[")) as error:
        analyzer(code).check()
    assert hint in error.value.hint


@pytest.mark.deadline
@pytest.mark.parametrize(
    ("code", "message"),
    [(READY + "import time; time.sleep(60)", "did not (answer|read) within 0.2 s"), (READY, "has ended"),
     (READY + "input(); print('1')", "no answer that can be read")],
)  # fmt: skip
def test_no_answer_is_an_error_and_never_nothing_found(code, message):
    one = analyzer(code, wait=0.2 if "sleep" in code else 5)
    begin = time.monotonic()
    with pytest.raises(PeopleError, match=message):
        one.find("é" * PIECE * 4)
    assert time.monotonic() - begin < 5


def test_after_an_error_the_next_question_starts_it_anew():
    one = analyzer(READY + "input(); print('1')")
    for _ in range(2):
        with pytest.raises(PeopleError, match="no answer"):
            one.find("x")
    one.close()


def test_the_child_runs_isolated_with_the_libraries_of_this_process():
    command = engine_command("model")
    assert command[:3] == [sys.executable, "-I", "-S"]
    assert command[-1] == "model"


def test_a_start_that_failed_is_not_tried_again_at_once(tmp_path):
    code = f"open({str(tmp_path / 'starts')!r}, 'a').write('x')"
    one = analyzer(code)
    for _ in range(3):
        with pytest.raises(PeopleError, match="has ended"):
            one.find("x")
    assert (tmp_path / "starts").read_text() == "x"


def test_a_program_that_is_not_there_is_told():
    with pytest.raises(PeopleError, match="cannot be started: no such file"):
        PeopleAnalyzer(command=["/nowhere/python"]).check()


def test_what_is_missing_is_told_without_a_start(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert missing("a_model") == (
        "names and addresses need the extra `presidio`, which is not installed", "pip install 'mcpgov[presidio]'",
    )  # fmt: skip
    (tmp_path / "presidio_analyzer").mkdir()
    assert missing("a_model") == ("no language model `a_model` is installed", "python -m spacy download a_model")
    (tmp_path / "a_model.py").touch()
    sys.path_importer_cache.pop(str(tmp_path), None)
    assert missing("a_model") is None
