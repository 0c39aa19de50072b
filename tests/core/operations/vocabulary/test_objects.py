"""Nouns that decide are data; these hold them together."""

from mcpgov.core.operations.vocabulary import objects


def test_every_class_of_an_object_is_one_that_is_asked_about():
    assert {kind for *_, kind in objects.OBJECTS} == {"execute", "admin"}


def test_phrases_are_pairs_so_that_joining_neighbours_finds_them():
    assert all(phrase.count("-") == 1 for phrase in objects.PHRASES)


def test_what_reaches_others_is_no_draft():
    assert objects.OUTWARD.isdisjoint(objects.DRAFTS)


def test_all_words_are_lower_case():
    for table in (objects.ACCESS, objects.PEOPLE, objects.OUTWARD, objects.MAKING, objects.CONTROL, objects.LISTS):
        assert all(word == word.lower() for word in table)
