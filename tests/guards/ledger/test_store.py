"""The ledger: one SQLite file that all proxies share."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from mcpgov.guards.ledger import store, tranches
from mcpgov.guards.ledger.claims import ClaimRefusal, Hold
from mcpgov.guards.ledger.store import Ledger
from tests.helpers.ledgers import SECOND, Clock, budget, limit, spent


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


def test_what_costs_as_much_as_it_held_is_written_with_the_next_claim(ledger, tmp_path):
    other = Ledger(str(tmp_path / "state" / "ledger.sqlite"))
    first = ledger.reserve([budget(3)])
    ledger.settle(first, [3])
    assert spent(other) == {("b", "2026-11-18"): (0, 3, 0)}
    ledger.settle(ledger.reserve([budget(3)]), [3])
    assert spent(other) == {("b", "2026-11-18"): (3, 3, 0)}
    assert isinstance(ledger.reserve([budget(9)]), ClaimRefusal)
    assert spent(other) == {("b", "2026-11-18"): (3, 3, 0)}
    assert spent(ledger) == {("b", "2026-11-18"): (6, 0, 0)}
    other.close()


def test_calls_that_have_ended_do_not_pile_up(ledger, tmp_path, monkeypatch):
    monkeypatch.setattr(store, "MOST_ENDED", 2)
    other = Ledger(str(tmp_path / "state" / "ledger.sqlite"))
    holds = [ledger.reserve([budget(1)]) for _ in range(2)]
    for hold in holds:
        ledger.settle(hold, [1])
    assert spent(other) == {("b", "2026-11-18"): (2, 0, 0)}
    other.close()


def test_a_call_on_its_way_while_the_ledger_is_made_anew_is_charged_when_it_ends(ledger, tmp_path):
    hold = ledger.reserve([budget(3)])
    for path in (tmp_path / "state").glob("ledger.sqlite*"):
        path.unlink()
    ledger.spend("b", "2026-11-18", 1)
    ledger.settle(hold, [2])
    assert spent(ledger) == {("b", "2026-11-18"): (3, 0, 0)}


@pytest.mark.parametrize("cost", [2, 3])
@pytest.mark.parametrize("counted", [False, True])
def test_a_charge_counts_once_whether_the_ledger_was_made_anew_before_or_after_its_record(
    ledger, tmp_path, cost, counted
):
    """Its record is written when the call ends; what cost as much as it held, the ledger hears with the next claim."""
    hold = ledger.reserve([budget(3)], "s-1")
    other = ledger.reserve([budget(1, key="c")], "s-2")
    for path in (tmp_path / "state").glob("ledger.sqlite*"):
        path.unlink()
    if counted:
        made = Ledger(str(tmp_path / "state" / "ledger.sqlite"))
        made.spend("b", "2026-11-18", cost)
        made.count([("s-1", "b"), ("s-2", "b")])
        made.close()
    ledger.settle(hold, [cost])
    ledger.settle(other, [1])
    assert isinstance(ledger.reserve([budget(4)], "s-3"), Hold)
    assert spent(ledger) == {("b", "2026-11-18"): (cost, 4, 0), ("c", "2026-11-18"): (1, 0, 0)}


def test_a_day_clock_that_is_set_back_gives_no_bucket_more_and_one_set_forward_neither(tmp_path):
    steady, wall = Clock(), Clock(10**15)
    ledger = Ledger(str(tmp_path / "s" / "ledger.sqlite"), steady, wall)
    assert [type(ledger.reserve([limit()])) for _ in range(3)] == [Hold, Hold, ClaimRefusal]
    for change in (-86_400, 2 * 86_400):
        wall.now += change * SECOND
        assert isinstance(ledger.reserve([limit()]), ClaimRefusal)
    steady.now += 30 * SECOND
    assert isinstance(ledger.reserve([limit()]), Hold)
    ledger.close()


WORKER = """
import sys
from mcpgov.guards.ledger.claims import BudgetClaim, Hold
from mcpgov.guards.ledger.disk.problems import LedgerAway
from mcpgov.guards.ledger.store import Ledger
ledger, passed = Ledger(sys.argv[1]), 0
sys.stdin.read()
for _ in range(200):
    try:
        hold = ledger.reserve([BudgetClaim("b", "b", "p", 1000, 1)])
    except LedgerAway:  # so busy a machine: the call is denied
        continue
    if isinstance(hold, Hold):
        passed += 1
        ledger.settle(hold, [1])
ledger.close()
print(passed)
"""


def test_fifty_processes_spend_exactly_what_there_is(tmp_path):
    path = str(tmp_path / "s" / "ledger.sqlite")
    command = [sys.executable, "-S", "-c", textwrap.dedent(WORKER), path]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "cwd": Path(store.__file__).parents[3]}
    workers = [subprocess.Popen(command, **pipes) for _ in range(50)]
    for worker in workers:
        worker.stdin.close()
    assert sum(int(worker.stdout.read()) for worker in workers) == 1000
    for worker in workers:
        worker.stdout.close()
        assert worker.wait(timeout=60) == 0
    ledger = Ledger(path)
    assert spent(ledger) == {("b", "p"): (1000, 0, 0)}
    ledger.close()


def test_a_budget_that_was_shared_in_this_period_is_spent_as_far_as_it_was_lent(ledger):
    def lend(db):
        tranches.want(db, "engine", budget(), 1)
        db.execute("UPDATE tranches SET lent = 4")

    ledger._within(lend)
    assert [type(ledger.reserve([budget(2)])) for _ in range(3)] == [Hold, Hold, ClaimRefusal]
    assert "`ledger` of the settings was removed" in ledger.reserve([budget(2)]).message
    assert isinstance(ledger.reserve([budget(2, period="next")]), Hold)
    ledger.change("b", "2026-11-18", reset=True)
    assert isinstance(ledger.reserve([budget(6)]), Hold)


def test_a_warning_comes_with_what_an_answer_cost_and_once(ledger):
    first, second = [ledger.reserve([budget(0, open_end=True, warn=8)]) for _ in range(2)]
    assert (first.warned, second.warned) == ([], [])
    assert [(each.used, each.allowed) for each in ledger.settle(first, [12])] == [(12, 10)]
    assert ledger.settle(second, [1]) == []


def test_a_raised_budget_warns_again_at_its_new_level(ledger):
    assert len(ledger.reserve([budget(8, warn=8)]).warned) == 1
    ledger.change("b", "2026-11-18", raised=10)
    assert ledger.reserve([budget(7, warn=8)]).warned == []
    assert [each.used for each in ledger.reserve([budget(1, warn=8)]).warned] == [16]
    assert ledger.reserve([budget(1, warn=8)]).warned == []


def test_a_call_that_said_no_price_costs_what_was_estimated_and_is_counted_at_once(ledger, tmp_path):
    other = Ledger(str(tmp_path / "state" / "ledger.sqlite"))
    ledger.settle(ledger.reserve([budget(3, open_end=True)]), [None])
    assert [(each.spent, each.held, each.unpriced) for each in other.standing()] == [(3, 0, 1)]
    other.change("b", "2026-11-18", reset=True)
    assert [(each.spent, each.unpriced) for each in ledger.standing()] == [(0, 0)]
    other.close()


def test_what_a_question_took_is_given_back(ledger):
    assert [type(ledger.reserve([limit()])) for _ in range(3)] == [Hold, Hold, ClaimRefusal]
    ledger.give_back([limit(), limit(key="never")])
    assert [type(ledger.reserve([limit()])) for _ in range(2)] == [Hold, ClaimRefusal]


def test_the_ledger_knows_the_processes_of_sessions(ledger, monkeypatch):
    monkeypatch.setattr(store, "MOST_SESSIONS", 1)
    for name in ("a", "b", "a", "a"):
        ledger.reserve([budget(1, period=f"session {name}")])
    ledger.reserve([budget(1)])
    assert [(each.period[-1], each.pid) for each in ledger.sessions()] == [("a", os.getpid()), ("b", os.getpid())]
