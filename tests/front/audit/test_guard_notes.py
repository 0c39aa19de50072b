"""Notes of guards in words."""

import pytest

from mcpgov.front.audit.guard_notes import told
from mcpgov.journal_reader import JournalPiece


def piece(**data):
    return JournalPiece("f", 1, "record", b"", data)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"action": "charged", "charges": [["m", "total", 1_500_000]]}, "charged: 1.5 of `m` in total"),
        ({"action": "charged", "charges": [["m\x1fgh", "2026-11", 1]]}, "charged: 0.000001 of `m` for gh in 2026-11"),
        ({"action": "charged", "charges": "odd"}, "charged: nothing"),
        (
            {"action": "charged", "charges": [["m\x1fgh", "total", 0]], "unpriced": ["m\x1fgh"]},
            "charged: 0 of `m` for gh in total; its answer said no price for `m` for gh",
        ),
        ({"action": "warned", "budget": "m", "share": "gh", "spent": "8", "limit": "10"}, "`m` for gh reached 8 of 10"),
        ({"action": "warned", "budget": "m", "spent": "8", "limit": "10"}, "`m` reached 8 of 10"),
        ({"action": "unchecked", "limits": ["a", "b"], "why": "full"}, "passed unchecked by a, b: full"),
        ({"action": "unchecked", "limits": 1, "why": "full"}, "passed unchecked by : full"),
        ({"action": "unsettled", "why": "disk full"}, "its cost could not be settled: disk full"),
    ],
)
def test_each_note_is_one_line(data, words):
    assert told(piece(**data))[0] == words
