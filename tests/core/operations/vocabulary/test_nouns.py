"""The nouns are data; these hold them together."""

from mcpgov.core.operations.vocabulary import nouns


def test_a_noun_that_proves_nothing_is_one_that_would_prove_something_elsewhere():
    assert nouns.MADE < nouns.NOTED <= nouns.READ_NOUNS


def test_all_words_are_lower_case():
    for table in (nouns.READ_NOUNS, nouns.NOUNS, nouns.SKIP, nouns.VERBAL):
        assert all(word == word.lower() for word in table)
