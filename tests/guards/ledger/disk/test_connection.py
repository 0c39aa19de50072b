"""The ledger's file: made whole, and known by its tables."""

import sqlite3
import subprocess
import sys

import pytest

from mcpgov.guards.ledger.disk import connection
from mcpgov.guards.ledger.disk.problems import LedgerAway, LedgerDamaged
from mcpgov.guards.ledger.disk.schema import TABLES
from mcpgov.guards.ledger.store import Ledger
from tests.helpers.ledgers import budget, spent


def test_an_empty_file_is_damaged_and_left_as_it_is(ledger, tmp_path):
    path = tmp_path / "state" / "ledger.sqlite"
    ledger.settle(ledger.reserve([budget(3)]), [2])
    ledger.close()
    path.write_bytes(b"")
    for _ in range(2):
        with pytest.raises(LedgerDamaged, match="it is empty"):
            ledger.reserve([budget(1)])
    assert path.read_bytes() == b""


def test_a_database_of_others_is_damaged_and_left_as_it_is(ledger, tmp_path):
    (tmp_path / "state").mkdir(mode=0o700)
    path = tmp_path / "state" / "ledger.sqlite"
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE theirs (a)")
    db.close()
    before = path.read_bytes()
    with pytest.raises(LedgerDamaged, match="no tables of ours"):
        ledger.reserve([budget(1)])
    assert path.read_bytes() == before


@pytest.mark.parametrize("table", TABLES)
def test_a_ledger_that_lacks_any_table_is_damaged_for_everybody(ledger, tmp_path, table):
    ledger.reserve([budget(1)])
    ledger.close()
    db = sqlite3.connect(tmp_path / "state" / "ledger.sqlite")
    db.execute(f"DROP TABLE {table}")
    db.close()
    with pytest.raises(LedgerDamaged, match="a table is missing"):
        ledger.probe()


def test_the_tables_are_those_of_the_schema(ledger):
    names = ledger._within(lambda db: db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall())
    assert sorted(name for (name,) in names) == list(TABLES)


@pytest.mark.parametrize("at", ["migrate", "rename"])
def test_whoever_dies_while_making_it_leaves_no_file_under_its_name(ledger, tmp_path, monkeypatch, at):
    with monkeypatch.context() as dying:
        where = connection if at == "migrate" else connection.posix
        dying.setattr(where, at, lambda *_given, **_more: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            ledger.reserve([budget(1)])
    path = tmp_path / "state" / "ledger.sqlite"
    assert not path.exists()
    path.with_name("ledger.sqlite.new").write_bytes(b"half")
    ledger.reserve([budget(1)])
    assert spent(ledger) == {("b", "2026-11-18"): (0, 1, 0)}
    assert not path.with_name("ledger.sqlite.new").exists()


def test_the_log_of_a_file_that_was_removed_is_not_read_into_a_new_one(ledger, tmp_path):
    ledger.reserve([budget(3)])
    other = Ledger(str(tmp_path / "state" / "ledger.sqlite"))
    (tmp_path / "state" / "ledger.sqlite").unlink()
    assert (tmp_path / "state" / "ledger.sqlite-wal").stat().st_size > 0
    assert spent(other) == {}
    other.close()


def test_what_is_no_file_is_told(tmp_path):
    with pytest.raises(LedgerAway, match="no file"):
        connection.is_made(str(tmp_path))


MAKER = """
import sys
from mcpgov.guards.ledger.store import Ledger
from tests.helpers.ledgers import budget
ledger = Ledger(sys.argv[1])
sys.stdin.read()
ledger.settle(ledger.reserve([budget(1, limit=1000)]), [1])
ledger.close()
"""


def test_processes_that_begin_at_once_make_one_file(tmp_path):
    path = str(tmp_path / "state" / "ledger.sqlite")
    command = [sys.executable, "-c", MAKER, path]
    makers = [subprocess.Popen(command, stdin=subprocess.PIPE) for _ in range(8)]
    for maker in makers:
        maker.stdin.close()
    assert [maker.wait(timeout=60) for maker in makers] == [0] * 8
    ledger = Ledger(path)
    assert spent(ledger) == {("b", "2026-11-18"): (8, 0, 0)}
    ledger.close()
