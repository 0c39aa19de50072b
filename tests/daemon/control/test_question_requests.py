import pytest

from mcpgov.daemon.control.codec import MessageError, decode, encode
from mcpgov.daemon.control.question_requests import ROWS, AppWordRequest, AskAnswer, AskRequest, BroughtWord


def test_all_of_them_are_for_proxies_and_none_weakens():
    assert [(row.by_proxy, row.weakens) for row in ROWS] == [(True, "")] * len(ROWS)


def test_an_ask_may_bring_an_answer():
    sent = AskRequest({"number": "4f1d-2"}, "2026-07-28", BroughtWord("4f1d-1", "once"))
    assert decode(AskRequest, encode(sent)) == sent
    assert decode(AskRequest, {"question": {}, "brought": None}).brought is None


def test_an_answer_brings_a_grant_or_none():
    for answer in (AskAnswer("deny", "timeout", "timeout", "x"), AskAnswer("allow", grant={"id": "4f1d-1"})):
        assert decode(AskAnswer, encode(answer)) == answer


@pytest.mark.parametrize("word", ["always", "yes", 1, None])
def test_a_word_that_no_app_is_offered_is_refused(word):
    with pytest.raises(MessageError):
        decode(AppWordRequest, {"number": "4f1d-1", "word": word})
