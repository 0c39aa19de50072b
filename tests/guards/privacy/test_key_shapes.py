"""Every row of the table is a key that is found; the issuers that records mask are all there."""

import pytest

from mcpgov.core.audit.issuers import ISSUERS
from mcpgov.guards.privacy.detector import Detector
from mcpgov.guards.privacy.shape import table
from tests.helpers.private_samples import key_of

SHAPES = table()
DETECTOR = Detector()
# Beginnings that only records mask: too common as words, or a kind of its own here.
ONLY_IN_RECORDS = {"eyJ", "sq0idp-", "EAAC", "EAAG", "FLWSECK_"}


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: f"{shape.issuer}-{shape.prefix}")
def test_a_key_of_each_shape_is_found_whole_alone_and_in_text(shape):
    key = key_of(shape)
    for text in (key, f"use {key} now", f'"{key}",'):
        found = DETECTOR.find(text)
        assert [(one.kind, text[one.start : one.end]) for one in found] == [("api_key", key)]


def test_a_row_is_complete_and_there_are_many():
    assert len(SHAPES) > 250
    assert all(shape.issuer and shape.parts and 2009 < shape.year < 2027 for shape in SHAPES)


def test_what_records_mask_has_a_shape():
    prefixes = {shape.prefix for shape in SHAPES}
    for beginning, _, _ in ISSUERS:
        known = any(prefix.startswith(beginning) or beginning.startswith(prefix) for prefix in prefixes)
        assert known or beginning in ONLY_IN_RECORDS, beginning
