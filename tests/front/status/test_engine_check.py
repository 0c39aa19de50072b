"""What `doctor` says of a shared ledger."""

import socket

import pytest

from mcpgov.core.rules.ruleset import OPENING
from mcpgov.front.status.engine_check import engine as check_engine
from mcpgov.guards.ledger.store import Ledger
from mcpgov.places import Places
from mcpgov.policy_cache import cache_name


@pytest.fixture
def places(tmp_path):
    found = Places(tmp_path)
    found.compiled.mkdir(parents=True)
    return found


@pytest.fixture
def shared(places, tmp_path):
    """A policy that shares, and somebody who listens for it."""
    path = str(tmp_path / "l.sock")
    (places.compiled / cache_name("")).write_text(f'{OPENING}{{"lender": ["e", "{path}"]}}')
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path)
    listener.listen(5)
    yield listener
    listener.close()


def engine(places, **given):
    row = {"store": "e", "host": "h", "address": "redis://h", **given}
    names, marks = ", ".join(row), ", ".join("?" * len(row))
    made = Ledger(str(places.ledger))
    query = f"INSERT OR REPLACE INTO engines ({names}) VALUES ({marks})"
    made._within(lambda db: db.execute(query, tuple(row.values())))
    made.close()


def told(places):
    return [(check.level, check.what, check.hint) for check in check_engine(places)]


def test_nothing_is_told_where_nothing_is_shared(places):
    assert told(places) == []


def test_an_engine_is_reached_or_not_yet(places, shared):
    assert told(places) == [("warning", "the budget store is not reached yet", "mcpgov status")]
    engine(places, reached=5)
    assert told(places) == [("ok", "the budget store redis://h is reached", "")]


def test_what_is_missing_is_told_with_what_to_type(places, shared):
    engine(places, down=5, why="`mcpgov[redis]` is not installed (redis)", hint="pip install 'mcpgov[redis]'")
    ((level, text, hint),) = told(places)
    assert (level, hint) == ("bad", "pip install 'mcpgov[redis]'")
    assert "`mcpgov[redis]` is not installed" in text
