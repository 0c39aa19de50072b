"""What verbs become with their objects is data; these hold it together."""

from mcpgov.core import objects, vocabulary
from mcpgov.core.naming import OPERATIONS


def test_every_turned_verb_is_a_verb_or_made_of_one():
    known = vocabulary.STRONG.keys() | vocabulary.WEAK.keys()
    odd = {verb for verb in objects.TURNS if verb not in known and verb.removeprefix("un") not in known}
    assert odd == set()


def test_every_class_of_a_turn_and_of_an_object_is_an_operation():
    kinds = {kind for pairs in objects.TURNS.values() for _, kind in pairs} | {kind for *_, kind in objects.OBJECTS}
    assert kinds == set(OPERATIONS) - {"unknown"}


def test_phrases_are_pairs_so_that_joining_neighbours_finds_them():
    assert all(phrase.count("-") == 1 for phrase in objects.PHRASES)


def test_what_reaches_others_is_no_draft():
    assert objects.OUTWARD.isdisjoint(objects.DRAFTS)


def test_all_words_are_lower_case():
    for table in (objects.ACCESS, objects.PEOPLE, objects.OUTWARD, objects.MAKING, objects.CONTROL, objects.LISTS):
        assert all(word == word.lower() for word in table)
