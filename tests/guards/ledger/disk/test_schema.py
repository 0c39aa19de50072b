"""The tables of the ledger's file, and older ones."""

import sqlite3

import pytest

from mcpgov.guards.ledger.claims import ClaimRefusal, Hold
from mcpgov.guards.ledger.disk import schema
from mcpgov.guards.ledger.disk.problems import LedgerAway
from mcpgov.guards.ledger.store import Ledger
from tests.helpers.ledgers import budget, limit, spent


def test_a_newer_ledger_is_left_alone(ledger, tmp_path):
    ledger.reserve([budget()])
    ledger.close()
    db = sqlite3.connect(tmp_path / "state" / "ledger.sqlite")
    db.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
    db.close()
    with pytest.raises(LedgerAway, match="newer mcpgov"):
        ledger.reserve([budget()])


def test_an_older_ledger_is_brought_up_to_date_and_keeps_what_was_spent(ledger, tmp_path, monkeypatch):
    ledger.settle(ledger.reserve([budget(3), limit()]), [2])
    ledger.close()
    monkeypatch.setattr(schema, "SCHEMA", (*schema.SCHEMA, "ALTER TABLE budgets ADD COLUMN remark TEXT;"))
    monkeypatch.setattr(schema, "VERSION", schema.VERSION + 1)
    assert spent(ledger) == {("b", "2026-11-18"): (2, 0, 0)}
    assert len(ledger.buckets()) == 1
    columns = ledger._within(lambda db: [row[1] for row in db.execute("PRAGMA table_info(budgets)")])
    assert "remark" in columns
    assert isinstance(ledger.reserve([budget(9)]), ClaimRefusal)


def test_a_step_that_fails_leaves_the_older_ledger_as_it_was(ledger, monkeypatch):
    ledger.spend("b", "p", 3)
    ledger.close()
    with monkeypatch.context() as later:
        later.setattr(schema, "SCHEMA", (*schema.SCHEMA, "CREATE TABLE odd (x); no SQL;"))
        later.setattr(schema, "VERSION", schema.VERSION + 1)
        with pytest.raises(LedgerAway):
            ledger.standing()
    assert spent(ledger) == {("b", "p"): (3, 0, 0)}


def test_a_ledger_of_the_first_version_is_brought_to_this_one_and_nothing_is_lost(tmp_path):
    path = tmp_path / "ledger.sqlite"
    old = sqlite3.connect(path)
    old.executescript(f"{schema.SCHEMA[0]} PRAGMA user_version = 1; INSERT INTO budgets (key, period, spent) "
                      "VALUES ('b', '2026-11-18', 7);")  # fmt: skip
    old.close()
    ledger = Ledger(str(path))
    assert [(each.spent, each.unpriced) for each in ledger.standing()] == [(7, 0)]
    assert ledger.sessions() == []
    assert isinstance(ledger.reserve([budget(3)]), Hold)
    assert isinstance(ledger.reserve([budget(1)]), ClaimRefusal)
    ledger.close()
