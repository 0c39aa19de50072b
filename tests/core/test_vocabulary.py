"""The verbs are data; these hold them together."""

from mcpgov.core import vocabulary
from mcpgov.core.naming import OPERATIONS


def test_every_class_of_a_verb_is_an_operation() -> None:
    assert {*vocabulary.STRONG.values(), *vocabulary.WEAK.values()} == set(OPERATIONS) - {"unknown"}


def test_no_verb_is_both_sure_and_noun_like_with_a_looser_class() -> None:
    both = vocabulary.STRONG.keys() & vocabulary.WEAK.keys()
    assert all(OPERATIONS.index(vocabulary.STRONG[word]) >= OPERATIONS.index(vocabulary.WEAK[word]) for word in both)


def test_all_words_are_lower_case() -> None:
    for table in (vocabulary.STRONG, vocabulary.WEAK):
        assert all(word == word.lower() for word in table)


def test_words_that_turn_a_verb_into_a_noun_name_verbs_that_change() -> None:
    for word in vocabulary.THINGS | vocabulary.PROCESSES:
        assert (vocabulary.STRONG.get(word) or vocabulary.WEAK.get(word)) not in (None, "read")


def test_a_closing_verb_is_one_that_is_asked_about() -> None:
    assert {vocabulary.STRONG[word] for word in vocabulary.FINAL} == {"execute", "admin"}


def test_verbs_that_say_something_reach_others() -> None:
    assert {vocabulary.WEAK[word] for word in vocabulary.SAYING} == {"execute"}
