"""What verbs become with their objects is data; these hold it together."""

from mcpgov.core.operations.tool_names import OPERATIONS
from mcpgov.core.operations.vocabulary import trade_objects, verbs
from mcpgov.core.operations.vocabulary.verb_objects import _ROWS as ROWS
from mcpgov.core.operations.vocabulary.verb_objects import _ROWS_OF as TURNS
from mcpgov.core.operations.vocabulary.verb_objects import object_classes


def test_every_turned_verb_is_a_verb_or_made_of_one():
    known = verbs.STRONG.keys() | verbs.WEAK.keys() | verbs.NOUN_LIKE.keys() | verbs.BESIDES
    odd = {verb for verb in TURNS if verb not in known and verb.removeprefix("un") not in known}
    assert odd == set()


def test_every_class_of_a_turn_is_an_operation():
    assert {kind for pairs in TURNS.values() for _, kind in pairs} == set(OPERATIONS) - {"unknown"}


def test_all_words_are_lower_case():
    assert all(word == word.lower() for pairs in TURNS.values() for nouns, _ in pairs for word in nouns.split())


def test_the_words_of_a_verb_are_made_once():
    assert object_classes("apply") is object_classes("apply")
    assert object_classes("no such verb") == []


def test_a_verb_in_several_rows_has_the_turns_of_all_of_them():
    rows = [pairs for verbs, pairs in (*ROWS, *trade_objects.ROWS) if "start" in verbs.split()]
    assert len(rows) > 1
    assert TURNS["start"] == [pair for pairs in rows for pair in pairs]
