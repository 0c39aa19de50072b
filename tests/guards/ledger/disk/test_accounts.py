"""What people and the daemon read and change in the ledger."""

import os

from mcpgov.guards.ledger.amounts import COUNTED, LARGEST
from mcpgov.guards.ledger.claims import ClaimRefusal
from mcpgov.guards.ledger.disk.accounts import ENDED
from mcpgov.guards.ledger.disk.clocks import process_start
from tests.helpers.ledgers import SECOND, budget, limit, spent


def test_a_raise_lets_more_pass_in_this_period_and_a_reset_counts_anew(ledger):
    ledger.settle(ledger.reserve([budget(10)]), [10])
    ledger.change("b", "2026-11-18", raised=5)
    ledger.settle(ledger.reserve([budget(5)]), [5])
    assert isinstance(ledger.reserve([budget(1)]), ClaimRefusal)
    ledger.change("b", "2026-11-18", reset=True)
    assert spent(ledger) == {("b", "2026-11-18"): (0, 0, 0)}
    ledger.change("new", "p", raised=5)
    assert spent(ledger)["new", "p"] == (0, 0, 5)


def test_what_a_dead_process_held_is_spent_unless_it_was_never_sent(ledger):
    ledger.reserve([budget(3)], "s-1")
    ledger.reserve([budget(2, key="c")], "s-2")
    holds = ledger.holds()
    assert sorted((held.call, held.key, held.amount, held.pid) for held in holds) == [
        ("s-1", "b", 3, os.getpid()), ("s-2", "c", 2, os.getpid()),
    ]  # fmt: skip
    assert {held.start for held in holds} == {process_start()}
    assert ledger.release(holds, lambda held: held.call == "s-2") == 1
    assert spent(ledger) == {("b", "2026-11-18"): (3, 0, 0), ("c", "2026-11-18"): (0, 0, 0)}
    assert ledger.release(holds, lambda held: True) == 0
    assert spent(ledger) == {("b", "2026-11-18"): (3, 0, 0), ("c", "2026-11-18"): (0, 0, 0)}


def test_the_buckets_of_limits_are_told(ledger, clock):
    ledger.reserve([limit()])
    (bucket,) = ledger.buckets().values()
    assert (bucket.at, bucket.full) == (clock.now, clock.now * 2 + 60 * SECOND)


def test_an_amount_from_the_journal_is_spent(ledger):
    ledger.spend("b", "p", 3)
    ledger.spend("b", "p", 4)
    assert spent(ledger) == {("b", "p"): (7, 0, 0)}


def test_sums_beyond_all_bounds_stay_whole_numbers(ledger):
    for _ in range(20):
        ledger.spend("b", "p", 10**30)
        ledger.change("b", "p", raised=10**30)
    assert spent(ledger) == {("b", "p"): (COUNTED, 0, LARGEST)}


def test_a_session_that_has_left_its_process_is_told_and_forgotten(ledger, clock):
    ledger.reserve([budget(1, period="session a")])
    ledger.spend("b", "session b", 1)
    ledger.spend("b", "2026-11", 1)
    ledger.end_session("session a")
    ledger.end_session("session c")
    found = [(each.period, each.pid, each.start, each.made) for each in ledger.sessions()]
    assert found == [("session a", 0, ENDED, clock.now), ("session b", 0, "", clock.now)]
    ledger.forget_sessions([])
    ledger.forget_sessions(["session a", "session b"])
    assert (ledger.sessions(), [each.period for each in ledger.standing()]) == ([], ["2026-11"])
