"""A signal as data, and evidence put together."""

import pytest

from mcpgov.guards.signals.signal import TERMINAL, Signal, together


def test_a_signal_tells_where_and_how_sure_and_never_the_text():
    found = Signal(TERMINAL, "cursor up", 0.6512, 3, 7)
    assert found.as_data() == {"pack": "terminal", "name": "cursor up", "score": 0.65, "at": [3, 7]}


def test_evidence_adds_up_but_never_to_certainty():
    assert together([]) == 0
    assert together([0.5, 0.5]) == pytest.approx(0.75)
    assert together([0.9] * 5) < 1
