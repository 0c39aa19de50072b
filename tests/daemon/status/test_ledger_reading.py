"""The ledger as a status reads it: at once, without a lock, and only where something is counted."""

import os
import sqlite3
from dataclasses import replace

import pytest

from mcpgov.daemon.status import ledger_reading
from mcpgov.daemon.status.ledger_facts import BudgetLine, LedgerStatus
from mcpgov.daemon.status.ledger_reading import BUSY, ledger_now
from mcpgov.guards.ledger import tranches
from mcpgov.guards.ledger.claims import BudgetClaim
from mcpgov.guards.ledger.disk.clocks import process_start
from mcpgov.guards.ledger.disk.schema import SCHEMA, VERSION
from mcpgov.guards.ledger.store import Ledger

UNIT = 1_000_000
NOW = 1_800_000_000.0
ROW = {"name": "b", "each": "user", "when_down": "deny", "match": {"method": ["**"]}, "limit": 10 * UNIT, "cost": UNIT,
       "warn": 8 * UNIT, "per": "total", "unit": "", "charge": "always", "costs": {}, "cost_from": []}  # fmt: skip
HEAD = {"budgets": [ROW], "limits": [{}, {}]}


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "ledger.sqlite")


@pytest.fixture
def ledger(path):
    made = Ledger(path)
    made.spend("b", "total", 3 * UNIT)
    yield made
    made.close()


def line(spent, share="", per="total"):
    return BudgetLine("b", share, float(spent), 10.0, "", per, 0.8)


@pytest.mark.parametrize("head", [{}, {"budgets": []}, {"budgets": "odd"}])
def test_a_policy_that_counts_nothing_opens_nothing(head, path, monkeypatch):
    monkeypatch.setattr(ledger_reading, "read_standings", lambda path: pytest.fail("it was opened"))
    assert ledger_now(head, path, {"time": 1.0, "limits": 3}, NOW) is None
    open(path, "w").close()
    assert ledger_now(head, path, {"time": 1.0, "limits": 3}, NOW) is None


def test_before_the_first_call_nothing_is_told_and_no_ledger_is_made(path):
    assert ledger_now(HEAD, path, {}, NOW) is None
    assert not os.path.exists(path)


def test_what_is_spent_is_what_is_spent_now_and_not_what_the_report_says(path, ledger):
    report = {"time": NOW - 1, "refused": 4, "budgets": [{"name": "b", "spent": 1.0}]}
    assert ledger_now(HEAD, path, report, NOW) == LedgerStatus(NOW, budgets=(line(3),), limits=2, refused=4)
    ledger.spend("b", "total", UNIT)
    assert ledger_now(HEAD, path, report, NOW).budgets == (line(4),)
    assert ledger_now(HEAD, path, {**report, "time": NOW - 100_000}, NOW).refused == 0, "of another day"


def test_calls_on_their_way_do_not_keep_it_from_reading(path, ledger):
    def while_written(db):
        db.execute("UPDATE budgets SET spent = 9000000")
        return ledger_now(HEAD, path, {}, NOW)

    assert ledger._within(while_written).budgets == (line(3),)
    assert ledger_now(HEAD, path, {}, NOW).budgets == (line(9),)


def test_a_ledger_that_is_no_ledger_is_damaged(path, ledger):
    ledger.close()
    with open(path, "wb") as file:
        file.write(b"junk" * 1000)
    found = ledger_now(HEAD, path, {}, NOW)
    assert (found.health, found.budgets, "file is not a database" in found.why) == ("damaged", (), True)


def test_so_is_one_that_is_empty_or_without_tables_whenever_it_was_made(path):
    open(path, "ab").close()
    assert "it is empty" in ledger_now(HEAD, path, {}, NOW).why
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE theirs (a)")
    db.close()
    found = ledger_now(HEAD, path, {}, NOW)
    assert (found.health, "no tables of ours" in found.why) == ("damaged", True)


def test_one_of_a_newer_version_is_told(path, ledger):
    ledger._within(lambda db: db.execute(f"PRAGMA user_version = {VERSION + 1}"))
    found = ledger_now(HEAD, path, {}, NOW)
    assert (found.health, "newer mcpgov" in found.why) == ("newer", True)


def test_one_of_the_first_version_tells_what_is_spent(path):
    db = sqlite3.connect(path)
    db.executescript(f"{SCHEMA[0]} PRAGMA user_version = 1")
    db.execute("INSERT INTO budgets (key, period, spent) VALUES ('b', 'total', 3000000)")
    db.commit()
    db.close()
    assert ledger_now(HEAD, path, {}, NOW).budgets == (line(3),)


def test_one_that_cannot_be_opened_is_told_and_one_in_use_is_as_it_was(path, ledger, monkeypatch):
    last = {"time": NOW - 5, "limits": 2, "budgets": [{"name": "b", "spent": 1.0, "limit": 10.0}]}

    def fails(words):
        def read(path):
            raise ledger_reading.problem_of(words)

        monkeypatch.setattr(ledger_reading, "read_standings", read)
        return ledger_now(HEAD, path, last, NOW)

    assert replace(fails("unable to open database file"), time=0.0) == LedgerStatus(
        health="away", why="it cannot be opened", limits=2
    )
    assert fails(f"database is {BUSY}") == ledger_reading.ledger_status(last)


def test_a_folder_in_its_place_cannot_be_opened(path):
    os.mkdir(path)
    assert ledger_now(HEAD, path, {}, NOW).health == "away"


@pytest.mark.parametrize(
    ("health", "ago", "told"),
    [("away", 10**6, "away"), ("rebuilt", 10, "rebuilt"), ("rebuilt", 90_000, "good"), ("newer", 10, "good"),
     ("damaged", 10, "good")],
)  # fmt: skip
def test_what_reading_cannot_find_out_is_as_the_report_says(path, ledger, health, ago, told):
    found = ledger_now(HEAD, path, {"time": NOW - ago, "health": health, "why": "w", "lacks": "x", "limits": 1}, NOW)
    words = ("w", "x") if told == health else ("", "")
    assert (found.health, found.why, found.lacks, found.budgets) == (told, *words, (line(3),))


def test_sessions_that_have_ended_are_told_no_more(path, ledger):
    head = {"budgets": [{**ROW, "per": "session"}]}
    for name, process in (("here", (os.getpid(), process_start())), ("dead", (2**22 + 1, "0:1"))):
        ledger._process = process
        ledger.reserve([BudgetClaim("b", "b", f"session {name}", 10**9, UNIT)])
    assert ledger_now(head, path, {}, NOW).budgets == (line(1, "here", "session"),)


def test_what_other_machines_have_spent_counts_too(path, ledger):
    def share(db):
        db.execute("INSERT INTO engines (store, host, address) VALUES ('e', 'h', 'a')")
        tranches.want(db, "e", BudgetClaim("b", "b", "total", 10 * UNIT, 1), 1)
        db.execute("UPDATE tranches SET others = 5000000")

    ledger._within(share)
    assert ledger_now({**HEAD, "lender": ["e", "/x.sock"]}, path, {}, NOW).budgets == (line(8),)
    assert ledger_now({**HEAD, "lender": ["other", "/x.sock"]}, path, {}, NOW).budgets == (line(3),)
