"""Nouns of trades are data; these hold them together."""

from mcpgov.core.operations.vocabulary import nouns, trade_nouns
from mcpgov.core.operations.vocabulary import verbs as vocabulary


def test_no_noun_is_a_verb_of_any_table():
    verbs = vocabulary.STRONG.keys() | vocabulary.WEAK.keys() | vocabulary.NOUN_LIKE.keys() | nouns.VERBS_IN_DISGUISE
    assert set(trade_nouns.NOUNS.split()) & verbs == set()


def test_a_reading_head_can_be_made_as_well():
    assert set(trade_nouns.READ_HEADS.split()) <= nouns.MADE


def test_all_words_are_lower_case():
    for text in (trade_nouns.NOUNS, trade_nouns.READ_HEADS, trade_nouns.PHYSICAL):
        assert text == text.lower()


def test_a_noun_is_known_in_either_number():
    assert [trade_nouns.is_noun(word) for word in ("casket", "caskets", "frob")] == [True, True, False]
