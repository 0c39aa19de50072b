"""What verbs become with the things of trades is data; these hold it together."""

from mcpgov.core.operations.tool_names import OPERATIONS
from mcpgov.core.operations.vocabulary import trade_objects


def test_every_class_of_a_row_is_an_operation():
    assert {kind for _, pairs in trade_objects.ROWS for _, kind in pairs} <= set(OPERATIONS) - {"unknown"}


def test_all_words_are_lower_case():
    for verbs, pairs in trade_objects.ROWS:
        assert verbs == verbs.lower()
        assert all(nouns == nouns.lower() for nouns, _ in pairs)
