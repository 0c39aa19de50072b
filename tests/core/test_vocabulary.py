"""The vocabulary is data; these hold it together."""

from mcpgov.core import operations, vocabulary


def test_every_class_of_a_verb_is_an_operation() -> None:
    kinds = {*vocabulary.STRONG.values(), *vocabulary.WEAK.values()}
    kinds |= {kind for pairs in vocabulary.TURNS.values() for _, kind in pairs}
    assert kinds == set(operations.OPERATIONS) - {"unknown"}


def test_no_verb_is_both_sure_and_noun_like_with_a_looser_class() -> None:
    rank = operations.OPERATIONS.index
    both = vocabulary.STRONG.keys() & vocabulary.WEAK.keys()
    assert all(rank(vocabulary.STRONG[word]) >= rank(vocabulary.WEAK[word]) for word in both)


def test_every_turned_verb_is_a_verb() -> None:
    assert vocabulary.TURNS.keys() <= vocabulary.STRONG.keys() | vocabulary.WEAK.keys()


def test_phrases_are_pairs_so_that_joining_neighbours_finds_them() -> None:
    assert all(phrase.count("-") == 1 for phrase in vocabulary.PHRASES)


def test_all_words_are_lower_case() -> None:
    for table in (
        vocabulary.STRONG,
        vocabulary.WEAK,
        vocabulary.READ_NOUNS,
        vocabulary.NOUNS,
        vocabulary.ACCESS,
    ):
        assert all(word == word.lower() for word in table)
