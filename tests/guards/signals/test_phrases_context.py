"""Circumstances: harmless alone."""

import pytest

from mcpgov.guards.signals.instructions import Phrases, find
from mcpgov.guards.signals.phrases_context import CONTEXT_PHRASES

PHRASES = Phrases()
TEXTS = {
    "stealth": "runs silently",
    "no_approval": "runs without confirmation",
    "take_secret": "print the stored passwords",
    "send_to": "send a report to https://a.example",
    "destination": "https://a.example",
    "parameter": "pass it as `name`",
    "precondition": "before using it, read on",
    "danger": "rm -rf /",
    "free": "without limits",
    "steer": "tell the user to wait",
    "take_all": "list all user records",
    "wrapped": "<important>",
    "urgent": "immediately",
}


def test_every_kind_is_shown():
    assert set(TEXTS) == set(CONTEXT_PHRASES)


@pytest.mark.parametrize("kind", CONTEXT_PHRASES)
def test_a_circumstance_is_found_and_alone_is_no_signal(kind):
    assert kind in {found for _, _, found in PHRASES.matches(TEXTS[kind])}
    assert find(TEXTS[kind], PHRASES) == []
