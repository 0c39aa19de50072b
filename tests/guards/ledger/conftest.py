"""A ledger with a clock of its own."""

import sqlite3

import pytest

from mcpgov.guards.ledger.disk.schema import SCHEMA
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


@pytest.fixture
def db():
    """The tables of a ledger, in memory."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.executescript("".join(SCHEMA))
    yield connection.cursor()
    connection.close()
