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


def test_a_noun_that_proves_nothing_is_one_that_would_prove_something_elsewhere() -> None:
    assert vocabulary.MADE < vocabulary.NOTED <= vocabulary.READ_NOUNS


def test_words_that_turn_a_verb_into_a_noun_name_verbs_that_change() -> None:
    for word in vocabulary.THINGS | vocabulary.PROCESSES:
        assert (vocabulary.STRONG.get(word) or vocabulary.WEAK.get(word)) not in (None, "read")
