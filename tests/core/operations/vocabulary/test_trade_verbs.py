"""Verbs of trades are data; these hold them together."""

from collections import Counter

from mcpgov.core.operations.tool_names import OPERATIONS
from mcpgov.core.operations.vocabulary import trade_verbs, verbs


def test_every_word_stands_once_and_has_a_class():
    found = [
        word for rows in (trade_verbs.SURE, trade_verbs.NOUN_LIKE) for text in rows.values() for word in text.split()
    ]
    assert [word for word, count in Counter(found).items() if count > 1] == []
    assert set(verbs._table(**trade_verbs.SURE).values()) == set(OPERATIONS) - {"unknown"}


def test_the_verbs_of_trades_do_not_speak_against_those_of_every_server():
    for word, kind in verbs._table(**trade_verbs.SURE).items():
        assert verbs.STRONG[word] == kind, word


def test_what_is_done_with_hands_is_a_verb():
    known = verbs.STRONG.keys() | verbs.WEAK.keys() | verbs.NOUN_LIKE.keys()
    assert set(trade_verbs.BODILY.split()) - known == set()


def test_noun_like_verbs_are_in_no_other_table():
    assert verbs.NOUN_LIKE.keys() & (verbs.STRONG.keys() | verbs.WEAK.keys()) == set()
