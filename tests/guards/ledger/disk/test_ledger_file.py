"""The file of the ledger: locked, replaced, damaged, full."""

import fcntl
import os
import sqlite3
import stat
import subprocess
import sys
import time

import pytest

from mcpgov.guards.ledger.claims import ClaimRefusal, Hold
from mcpgov.guards.ledger.disk import ledger_file
from mcpgov.guards.ledger.disk.problems import LedgerAway, LedgerDamaged
from mcpgov.guards.ledger.store import Ledger
from tests.helpers.ledgers import budget, spent


def test_its_files_are_for_the_user_alone(ledger, tmp_path):
    ledger.reserve([budget()])
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "state").iterdir()}
    assert modes.keys() >= {"ledger.sqlite", "ledger.sqlite-wal", "ledger.sqlite.lock"}
    assert set(modes.values()) == {0o600}


def test_a_removed_file_is_begun_anew(ledger, tmp_path):
    ledger.reserve([budget(10)])
    for path in (tmp_path / "state").glob("ledger.sqlite*"):
        path.unlink()
    assert isinstance(ledger.reserve([budget(10)]), Hold)
    assert spent(ledger) == {("b", "2026-11-18"): (0, 10, 0)}


def test_a_file_that_is_replaced_while_the_lock_is_waited_for_is_found(ledger, tmp_path, monkeypatch):
    path = tmp_path / "state" / "ledger.sqlite"
    ledger.reserve([budget(10)])
    lock = ledger_file.flock

    def replaced(handle, how):
        lock(handle, how)
        monkeypatch.setattr(ledger_file, "flock", lock)
        for file in (tmp_path / "state").glob("ledger.sqlite[!.]*"):
            file.unlink()
        path.replace(path.with_name("aside"))

    monkeypatch.setattr(ledger_file, "flock", replaced)
    assert isinstance(ledger.reserve([budget(10)]), Hold)
    assert spent(ledger) == {("b", "2026-11-18"): (0, 10, 0)}


class Looking(Ledger):
    """Counts how often its name is looked up."""

    looks = 0

    def _is_file(self):
        self.looks += 1
        return super()._is_file()


def pass_a_tick(folder):
    """Until a change now has another time than one a moment ago."""
    mark = folder / "mark"
    mark.touch()
    before, end = mark.stat().st_ctime_ns, time.monotonic() + 5
    while mark.stat().st_ctime_ns == before and time.monotonic() < end:
        os.utime(mark)


@pytest.mark.skipif(
    not hasattr(os, "O_PATH"), reason="this system has no handles of names alone: each claim looks it up"
)
@pytest.mark.parametrize("how", ["removed", "renamed", "replaced"])
def test_the_name_is_looked_up_again_once_the_file_has_changed(tmp_path, monkeypatch, how):
    path = tmp_path / "state" / "ledger.sqlite"
    ledger = Looking(str(path))
    ledger.reserve([budget(10)])
    pass_a_tick(tmp_path)
    monkeypatch.setattr(ledger_file, "SETTLED", -1)
    ledger.reserve([budget(1)])
    before = ledger.looks
    for _ in range(3):
        ledger.reserve([budget(1)])
    assert ledger.looks == before
    if how == "removed":
        path.unlink()
    elif how == "replaced":
        other = Ledger(str(path.with_name("new")))
        other.probe()
        other.close()
        path.with_name("new").replace(path)
    else:
        path.replace(path.with_name("aside"))
    for file in (tmp_path / "state").glob("ledger.sqlite-*"):
        file.unlink()
    assert isinstance(ledger.reserve([budget(10)]), Hold)
    assert spent(ledger) == {("b", "2026-11-18"): (0, 10, 0)}


def test_a_file_that_has_just_changed_is_looked_up_every_time(tmp_path, monkeypatch):
    """A second change within one tick of the file system's clock would leave the same time."""
    monkeypatch.setattr(ledger_file, "SETTLED", 3600 * 10**9)
    ledger = Looking(str(tmp_path / "state" / "ledger.sqlite"))
    ledger.reserve([budget(1)])
    before = ledger.looks
    for _ in range(4):
        ledger.reserve([budget(1)])
    assert ledger.looks >= before + 4


def test_opening_it_again_takes_no_lock_away_from_another_ledger_of_the_process(ledger, tmp_path):
    """SQLite keeps a lock on the file while it is open; whoever is last without one deletes the log."""
    ledger.reserve([budget(1)])
    path = tmp_path / "state" / "ledger.sqlite"
    Ledger(str(path)).reserve([budget(1)])
    code = (
        "import fcntl, sys\n"
        "with open(sys.argv[1], 'rb+') as file:\n"
        "    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 510, 0x40000002)\n"  # where SQLite locks readers
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False)
    assert "BlockingIOError" in done.stderr


@pytest.mark.parametrize("kind", ["link", "fifo"])
def test_what_is_no_file_of_its_own_is_told(ledger, tmp_path, kind):
    path = tmp_path / "state" / "ledger.sqlite"
    path.parent.mkdir(mode=0o700)
    path.symlink_to(tmp_path / "elsewhere") if kind == "link" else os.mkfifo(path)
    with pytest.raises(LedgerAway):
        ledger.reserve([budget()])
    assert not (tmp_path / "elsewhere").exists()


def test_a_damaged_file_is_told_and_not_overwritten(ledger, tmp_path):
    (tmp_path / "state").mkdir(mode=0o700)
    (tmp_path / "state" / "ledger.sqlite").write_bytes(b"no ledger at all " * 100)
    with pytest.raises(LedgerDamaged, match="mcpgov budget"):
        ledger.reserve([budget()])
    assert (tmp_path / "state" / "ledger.sqlite").read_bytes().startswith(b"no ledger")


def test_a_lock_that_nobody_releases_is_waited_for_only_so_long(ledger, tmp_path, monkeypatch):
    monkeypatch.setattr(ledger_file, "PATIENCE", 0.05)
    ledger.reserve([budget()])
    with open(tmp_path / "state" / "ledger.sqlite.lock") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(LedgerAway, match="in use"):
            ledger.reserve([budget()])
    assert isinstance(ledger.reserve([budget()]), Hold)


def test_a_directory_in_its_place_is_told(ledger, tmp_path):
    (tmp_path / "state" / "ledger.sqlite").mkdir(parents=True, mode=0o700)
    with pytest.raises(LedgerAway):
        ledger.reserve([budget()])


def test_a_failure_in_the_middle_keeps_nothing(ledger):
    with pytest.raises(ZeroDivisionError):
        ledger._within(lambda db: (db.execute("INSERT INTO budgets (key, period) VALUES ('x', 'y')"), 1 / 0))
    assert ledger.standing() == []


def test_a_full_disk_denies_and_says_why_and_nothing_is_lost(ledger):
    ledger.settle(ledger.reserve([budget(3)]), [3])
    pages = ledger._within(lambda db: db.execute("PRAGMA page_count").fetchone()[0])
    ledger._db.execute(f"PRAGMA max_page_count = {pages}")
    many = [budget(1, key=f"k{at}" * 40) for at in range(1000)]
    with pytest.raises(LedgerAway, match="the disk is full"):
        ledger.reserve(many)
    ledger._db.execute(f"PRAGMA max_page_count = {pages + 1000}")
    assert isinstance(ledger.reserve([budget(7)]), Hold)
    assert isinstance(ledger.reserve([budget(1)]), ClaimRefusal)
    assert spent(ledger)["b", "2026-11-18"] == (3, 7, 0)


def test_a_file_that_is_emptied_while_it_is_open_is_damaged(tmp_path, monkeypatch):
    monkeypatch.setattr(ledger_file, "SETTLED", -1)
    path = tmp_path / "state" / "ledger.sqlite"
    ledger = Ledger(str(path))
    ledger.settle(ledger.reserve([budget(10)]), [9])
    ledger._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    pass_a_tick(tmp_path)
    path.write_bytes(b"")
    for _ in range(2):
        with pytest.raises(LedgerDamaged, match="it is empty"):
            ledger.reserve([budget(1)])
    ledger.close()


@pytest.mark.parametrize("version", [0, 2])
def test_a_file_of_sqlite_without_our_tables_is_damaged(ledger, tmp_path, version):
    (tmp_path / "state").mkdir(mode=0o700)
    db = sqlite3.connect(tmp_path / "state" / "ledger.sqlite")
    db.executescript(f"CREATE TABLE budgets (x); PRAGMA user_version = {version};")
    db.close()
    with pytest.raises(LedgerDamaged, match="mcpgov budget"):
        ledger.reserve([budget()])
