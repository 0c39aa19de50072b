"""The ledger: one SQLite file that all proxies of the user share."""

import fcntl
import os
import sqlite3
import stat
import subprocess
import sys
import textwrap

import pytest

from mcpgov.guards.ledger import store
from mcpgov.guards.ledger.buckets import Rate
from mcpgov.guards.ledger.claims import BudgetClaim, ClaimRefusal, Hold, LimitClaim
from mcpgov.guards.ledger.store import Ledger, LedgerAway, LedgerDamaged

SECOND = 1_000_000


class Clock:
    def __init__(self, now=1000 * SECOND):
        self.now = now

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def ledger(tmp_path, clock):
    made = Ledger(str(tmp_path / "state" / "ledger.sqlite"), clock, clock)
    yield made
    made.close()


def limit(count=2, seconds=60, burst=2, key="l"):
    return LimitClaim("gh", key, Rate(count, seconds * SECOND, burst))


def budget(amount=1, limit=10, key="b", period="2026-11-18", **more):
    return BudgetClaim("search", key, period, limit, amount, **more)


def spent(ledger):
    return {(found.key, found.period): (found.spent, found.held, found.raised) for found in ledger.standing()}


def test_a_bucket_lets_its_burst_pass_and_refills_by_its_rate(ledger, clock):
    assert [type(ledger.reserve([limit()])) for _ in range(3)] == [Hold, Hold, ClaimRefusal]
    refusal = ledger.reserve([limit()])
    assert (refusal.kind, refusal.data["retry_after"]) == ("rate_limit", 30.0)
    clock.now += 30 * SECOND
    assert [type(ledger.reserve([limit()])) for _ in range(2)] == [Hold, ClaimRefusal]


def test_a_budget_is_held_until_the_call_has_ended_and_then_spent(ledger):
    hold = ledger.reserve([budget(3)])
    assert spent(ledger) == {("b", "2026-11-18"): (0, 3, 0)}
    ledger.settle(hold, [2])
    ledger.settle(hold, [2])
    assert spent(ledger) == {("b", "2026-11-18"): (2, 0, 0)}


def test_what_is_held_counts(ledger):
    assert isinstance(ledger.reserve([budget(6)]), Hold)
    refusal = ledger.reserve([budget(5)])
    assert (refusal.kind, refusal.data["budget"], refusal.data["spent"]) == ("budget", "search", 6e-6)
    assert isinstance(ledger.reserve([budget(4)]), Hold)


def test_all_claims_of_a_call_are_met_or_none(ledger):
    ledger.reserve([budget(10, key="empty")])
    assert isinstance(ledger.reserve([limit(), budget(1), budget(1, key="empty")]), ClaimRefusal)
    assert spent(ledger) == {("empty", "2026-11-18"): (0, 10, 0)}
    assert [type(ledger.reserve([limit()])) for _ in range(3)] == [Hold, Hold, ClaimRefusal]


def test_two_budgets_of_one_key_claim_both(ledger):
    assert isinstance(ledger.reserve([budget(6), budget(6)]), ClaimRefusal)
    hold = ledger.reserve([budget(3), budget(3)])
    ledger.settle(hold, [1, 2])
    assert spent(ledger) == {("b", "2026-11-18"): (3, 0, 0)}


def test_a_look_reserves_nothing(ledger):
    assert ledger.look([limit(), budget(10)]) is None
    assert ledger.look([limit(), budget(11)]).kind == "budget"
    assert ledger.standing() == []
    assert [type(ledger.reserve([limit()])) for _ in range(3)] == [Hold, Hold, ClaimRefusal]


def test_a_cost_that_is_known_afterwards_passes_while_anything_is_left(ledger):
    hold = ledger.reserve([budget(0, open_end=True)])
    ledger.settle(hold, [25])
    assert spent(ledger) == {("b", "2026-11-18"): (25, 0, 0)}
    assert isinstance(ledger.reserve([budget(0, open_end=True)]), ClaimRefusal)


def test_a_warning_comes_once_a_period(ledger):
    warned = [len(ledger.reserve([budget(4, warn=8)]).warned), len(ledger.reserve([budget(4, warn=8)]).warned)]
    assert warned == [0, 1]
    assert ledger.reserve([budget(1, warn=8)]).warned == []
    assert len(ledger.reserve([budget(8, warn=8, period="next")]).warned) == 1


def test_a_raise_lets_more_pass_in_this_period_and_a_reset_counts_anew(ledger):
    ledger.settle(ledger.reserve([budget(10)]), [10])
    ledger.change("b", "2026-11-18", raised=5)
    ledger.settle(ledger.reserve([budget(5)]), [5])
    assert isinstance(ledger.reserve([budget(1)]), ClaimRefusal)
    ledger.change("b", "2026-11-18", reset=True)
    assert spent(ledger) == {("b", "2026-11-18"): (0, 0, 0)}
    ledger.change("new", "p", raised=5)
    assert spent(ledger)["new", "p"] == (0, 0, 5)


def test_what_a_dead_process_held_is_spent(ledger):
    ledger.reserve([budget(3)])
    ledger.reserve([budget(2, key="c")])
    assert ledger.release_dead(lambda pid, start: pid == os.getpid()) == 0
    assert ledger.release_dead(lambda pid, start: False) == 2
    assert spent(ledger) == {("b", "2026-11-18"): (3, 0, 0), ("c", "2026-11-18"): (2, 0, 0)}


def test_an_amount_from_the_journal_is_spent(ledger):
    ledger.spend("b", "p", 3)
    ledger.spend("b", "p", 4)
    assert spent(ledger) == {("b", "p"): (7, 0, 0)}


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


def test_a_damaged_file_is_told_and_not_overwritten(ledger, tmp_path):
    (tmp_path / "state").mkdir(mode=0o700)
    (tmp_path / "state" / "ledger.sqlite").write_bytes(b"no ledger at all " * 100)
    with pytest.raises(LedgerDamaged, match="mcpgov budget"):
        ledger.reserve([budget()])
    assert (tmp_path / "state" / "ledger.sqlite").read_bytes().startswith(b"no ledger")


def test_a_newer_ledger_is_left_alone(ledger, tmp_path):
    ledger.reserve([budget()])
    ledger.close()
    db = sqlite3.connect(tmp_path / "state" / "ledger.sqlite")
    db.execute(f"PRAGMA user_version = {store.VERSION + 1}")
    db.close()
    with pytest.raises(LedgerAway, match="newer mcpgov"):
        ledger.reserve([budget()])


def test_a_lock_that_nobody_releases_is_waited_for_only_so_long(ledger, tmp_path, monkeypatch):
    monkeypatch.setattr(store, "PATIENCE", 0.05)
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


WORKER = """
import sys
from mcpgov.guards.ledger.claims import BudgetClaim, Hold
from mcpgov.guards.ledger.store import Ledger
ledger, passed = Ledger(sys.argv[1]), 0
sys.stdin.read()
for _ in range(int(sys.argv[2])):
    hold = ledger.reserve([BudgetClaim("b", "b", "p", 100, 1)])
    if isinstance(hold, Hold):
        passed += 1
        ledger.settle(hold, [1])
print(passed)
"""


def test_many_processes_spend_exactly_what_there_is(tmp_path):
    command = [sys.executable, "-c", textwrap.dedent(WORKER), str(tmp_path / "s" / "ledger.sqlite"), "30"]
    workers = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(6)]
    for worker in workers:
        worker.stdin.close()
    assert sum(int(worker.stdout.read()) for worker in workers) == 100
    for worker in workers:
        worker.stdout.close()
        assert worker.wait(timeout=30) == 0
