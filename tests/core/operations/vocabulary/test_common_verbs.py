"""Everyday verbs are data; these hold them together."""

import pytest

from mcpgov.core.operations.classify import classify
from mcpgov.core.operations.tool_names import OPERATIONS
from mcpgov.core.operations.vocabulary import common_verbs, trade_verbs


def every_word() -> list[str]:
    return [
        word
        for table in (common_verbs.SURE, common_verbs.NOUN_LIKE)
        for text in table.values()
        for word in text.split()
    ]


def test_every_class_is_an_operation() -> None:
    assert {*common_verbs.SURE, *common_verbs.NOUN_LIKE} == set(OPERATIONS) - {"unknown"}


def test_no_verb_stands_twice_or_with_the_verbs_of_trades() -> None:
    words = every_word()
    trades = {
        word for table in (trade_verbs.SURE, trade_verbs.NOUN_LIKE) for text in table.values() for word in text.split()
    }
    assert len(words) == len(set(words))
    assert trades.isdisjoint(words)


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        ("discuss_findings", "read"),
        ("rethink_plan", "read"),
        ("regenerate_outline", "write"),
        ("declutter_layout", "write"),
        ("expurgate_chapter", "delete"),
        ("reassure_customer", "execute"),
        ("persuade_voter", "execute"),
        ("promise_delivery", "execute"),
        ("untrust_host", "admin"),
        ("geoblock_country", "admin"),
    ],
)
def test_an_everyday_verb_is_read_as_a_person_would(tool: str, expected: str) -> None:
    assert classify(tool)[0] == expected
