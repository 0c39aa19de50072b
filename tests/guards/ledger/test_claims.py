"""What a call is told where it claims too much."""

import pytest

from mcpgov.guards.ledger import amounts, claims
from mcpgov.guards.ledger.amounts import MICRO
from mcpgov.guards.ledger.buckets import Rate
from mcpgov.guards.ledger.claims import (
    BudgetClaim,
    Hold,
    LimitClaim,
    Warned,
    away,
    budget_refusal,
    exceeds,
    rate_refusal,
)

LIMIT = LimitClaim("gh", "gh", Rate(60, 60_000_000, 10))


def test_a_rate_says_when_to_try_again():
    refusal = rate_refusal(LIMIT, 1_234_567)
    assert (refusal.kind, refusal.name, refusal.data) == ("rate_limit", "gh", {"limit": "gh", "retry_after": 1.235})
    assert refusal.message == "`gh` lets 60 calls pass in 60 s; try again in 1.235 s"
    assert rate_refusal(LIMIT, 1).data["retry_after"] == 0.001


def test_a_budget_says_what_is_spent_and_when_it_begins_anew():
    claim = BudgetClaim("money", "money", "2026-11-18", 50_000, 15_000, "USD", resets_at=1795046400.0)
    refusal = budget_refusal(claim, 45_000, 50_000)
    data = {"budget": "money", "spent": 0.045, "limit": 0.05, "resets_at": 1795046400.0, "unit": "USD"}
    assert (refusal.kind, refusal.data) == ("budget", data)
    assert refusal.message == "0.045 of 0.05 USD of `money` are spent, this call costs 0.015, 0.005 are left"
    assert budget_refusal(BudgetClaim("b", "b", "total", 2, 1), 2, 2).message == "0.000002 of 0.000002 of `b` are spent"


def test_a_call_that_names_no_amount_is_told_so():
    claim = BudgetClaim("b", "b", "total", 2, 3, unnamed=True)
    assert budget_refusal(claim, 0, 2).message == "0 of 0.000002 of `b` are spent, this call names no amount"
    assert exceeds(claim, 0, 10)  # whatever a person has raised


def test_a_call_that_costs_more_than_is_left_is_told_both():
    for amount, costs in ((3 * MICRO, "3"), (amounts.BEYOND, "more than 1000000000000")):
        refusal = budget_refusal(BudgetClaim("b", "b", "total", 2 * MICRO, amount), 0, 2 * MICRO)
        assert refusal.message == f"0 of 2 of `b` are spent, this call costs {costs}, 2 are left"


def test_a_denial_says_whose_share_it_is():
    claim = BudgetClaim("b", "b\x1fgh", "total", 2, 1, share="gh")
    assert budget_refusal(claim, 2, 2).data["share"] == "gh"


def test_a_limit_on_questions_speaks_of_questions():
    claim = LimitClaim("q", "q", Rate(1, 1_000_000, 1), "question")
    assert rate_refusal(claim, 1).message.startswith("`q` lets 1 question pass in 1 s")


@pytest.mark.parametrize(("raised", "level"), [(0, 8), (10, 16), (1, 8)])
def test_the_warning_stands_at_the_same_share_of_what_is_allowed(raised, level):
    assert BudgetClaim("b", "b", "total", 10, 1, warn=8).warns_at(raised) == level


def test_without_the_ledger_it_is_said_what_cannot_be_checked():
    refusal = away(LIMIT, "disk full")
    assert (refusal.kind, refusal.data) == ("rate_limit", {"limit": "gh", "unavailable": True})
    assert refusal.message == "`gh` cannot be checked: disk full"
    assert away(BudgetClaim("b", "b", "total", 2, 1), "x").data == {"budget": "b", "unavailable": True}


def test_a_hold_keeps_what_was_claimed():
    claim = BudgetClaim("b", "b", "total", 2, 1)
    hold = Hold("1-2-3", [claim], [warned := Warned(claim, 1, 2)])
    assert (hold.id, hold.budgets, hold.warned) == ("1-2-3", [claim], [warned])
    assert (warned.claim, warned.used, warned.allowed) == (claim, 1, 2)


def test_a_shared_budget_tells_what_other_machines_hold():
    claim = BudgetClaim("search", "k", "p", 10 * MICRO, MICRO)
    plain = claims.shared_refusal(claim, 10 * MICRO, 10 * MICRO, 0)
    assert plain.message == "10 of 10 of `search` are spent"
    beyond = claims.shared_refusal(BudgetClaim("search", "k", "p", 10 * MICRO, 4 * MICRO), 7 * MICRO, 10 * MICRO, 0)
    assert beyond.message == "7 of 10 of `search` are spent, this call costs 4, 3 are left"
    held = claims.shared_refusal(claim, 7 * MICRO, 10 * MICRO, 3 * MICRO)
    words = "7 of 10 of `search` are spent, this call costs 1, 0 are left, and 3 are lent to other machines"
    assert held.message == words
    assert (held.data["spent"], held.data["lent"]) == (7.0, 3.0)


def test_a_budget_that_is_not_shared_any_more_tells_so():
    claim = BudgetClaim("search", "k", "p", 10 * MICRO, MICRO)
    assert "`ledger` of the settings was removed" in claims.left_refusal(claim, 7 * MICRO, 10 * MICRO).message


@pytest.mark.parametrize(
    ("amount", "open_end", "used", "exceeded"),
    [(1, False, 9, False), (2, False, 9, True), (0, True, 9, False), (0, True, 10, True), (0, False, 10, False)],
)
def test_a_claim_exceeds_what_is_left(amount, open_end, used, exceeded):
    assert exceeds(BudgetClaim("b", "b", "total", 10, amount, open_end=open_end), used, 10) is exceeded
