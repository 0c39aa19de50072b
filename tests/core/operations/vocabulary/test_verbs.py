"""The verbs are data; these hold them together."""

from mcpgov.core.operations.tool_names import OPERATIONS
from mcpgov.core.operations.vocabulary import verbs


def test_every_class_of_a_verb_is_an_operation() -> None:
    assert {*verbs.STRONG.values(), *verbs.WEAK.values()} == set(OPERATIONS) - {"unknown"}


def test_no_verb_is_both_sure_and_noun_like_with_a_looser_class() -> None:
    both = verbs.STRONG.keys() & verbs.WEAK.keys()
    assert all(OPERATIONS.index(verbs.STRONG[word]) >= OPERATIONS.index(verbs.WEAK[word]) for word in both)


def test_all_words_are_lower_case() -> None:
    for table in (verbs.STRONG, verbs.WEAK):
        assert all(word == word.lower() for word in table)


def test_words_that_turn_a_verb_into_a_noun_name_verbs_that_change() -> None:
    for word in verbs.THINGS | verbs.PROCESSES:
        assert (verbs.STRONG.get(word) or verbs.WEAK.get(word)) not in (None, "read")


def test_a_closing_verb_is_one_that_is_asked_about() -> None:
    assert {verbs.STRONG[word] for word in verbs.FINAL} == {"execute", "admin"}


def test_verbs_that_say_something_reach_others() -> None:
    assert {verbs.WEAK[word] for word in verbs.SAYING} == {"execute"}
