from argparse import ArgumentParser

import pytest

from mcpgov.daemon.approvals.choices import NO, YES_ONCE, Choice
from mcpgov.errors import McpgovError, UsageError
from mcpgov.front.approvals.answering import (
    GivenAnswer,
    add_choices,
    answer_data,
    check_choice,
    choice_of,
    sentence,
    term_words,
)
from tests.helpers.questions import question


def parsed(*words):
    parser = ArgumentParser()
    add_choices(parser)
    return choice_of(parser.parse_args(words))


def test_options_become_a_choice():
    assert parsed() == parsed("--once") == YES_ONCE
    assert parsed("--session", "--folder") == Choice(True, "session", "folder")
    assert parsed("--for", "2h", "--tool") == Choice(True, "time", "tool", 7200.0)
    assert parsed("--always") == Choice(True, "always", "exact")
    for words in (["--folder"], ["--for", "never"]):
        with pytest.raises(UsageError):
            parsed(*words)


def test_a_choice_that_a_question_does_not_take_is_told():
    check_choice(YES_ONCE, question())
    with pytest.raises(McpgovError, match="cannot be allowed by folder"):
        check_choice(Choice(True, "session", "folder"), question(folders=[]))
    with pytest.raises(McpgovError, match="keeps this question from the desk"):
        check_choice(NO, question(ask=["app"]))


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (GivenAnswer(NO), "denied: delete_repository on github (4f1d-1)"),
        (GivenAnswer(YES_ONCE), "allowed once: delete_repository on github (4f1d-1)"),
        (GivenAnswer(Choice(True, "session", "tool"), late=True),
         "allowed for this session, this tool: delete_repository on github (4f1d-1); it holds for the next try"),
    ],
)  # fmt: skip
def test_an_answer_is_one_sentence(given, told):
    assert sentence(question(), given) == told


def test_names_in_it_cannot_act():
    assert "\x1b" not in sentence(question(target="x\x1b[2J"), GivenAnswer(NO))


def test_terms_are_told_in_words():
    assert term_words(Choice(True, "always", "folder")) == "always, this folder"
    assert term_words(Choice(True, "time", "exact", 61.0)) == "for 61 s, exactly this"


def test_data_of_a_no_is_short():
    assert answer_data(question(), GivenAnswer(NO)) == {"question": "4f1d-1", "answer": "no"}
    assert answer_data(question(), GivenAnswer(YES_ONCE))["written"] is None
