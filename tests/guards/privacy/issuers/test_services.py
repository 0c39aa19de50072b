"""Every row is a key that is found."""

import pytest

from mcpgov.guards.privacy.issuers.services import ROWS
from tests.helpers.private_samples import assert_found


@pytest.mark.parametrize("row", ROWS.strip().split("\n"))
def test_a_key_of_each_row_is_found_whole_alone_and_in_text(row):
    assert_found(row)
