"""Each name tells a key behind a word for one; nothing else does."""

import pytest

from mcpgov.guards.privacy.detector import Detector
from mcpgov.guards.privacy.issuers.names import NAMES
from tests.helpers.private_cases import labelled

DETECTOR = Detector()


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_name_tells_a_key_of_digits_and_letters(name):
    text, ((_, start, end),) = labelled(f"{name} access ⟦api_key:{{H40}}⟧")
    assert [(one.start, one.end) for one in DETECTOR.find(text)] == [(start, end)]


def test_a_name_alone_or_a_word_alone_tells_nothing():
    for template in ("walkscore {H40}", "the access {H40}", "walkscore commit {H40}"):
        assert DETECTOR.find(labelled(template)[0]) == []
