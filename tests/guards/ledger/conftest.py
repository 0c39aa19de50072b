"""A ledger with a clock of its own."""

import pytest

from mcpgov.guards.ledger.store import Ledger
from tests.helpers.ledgers import Clock


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def ledger(tmp_path, clock):
    made = Ledger(str(tmp_path / "state" / "ledger.sqlite"), clock, clock)
    yield made
    made.close()
