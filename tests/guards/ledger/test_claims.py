"""What a call is told where it claims too much."""

from mcpgov.guards.ledger.buckets import Rate
from mcpgov.guards.ledger.claims import BudgetClaim, Hold, LimitClaim, away, budget_refusal, rate_refusal

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
    assert refusal.message == "0.045 of 0.05 USD of `money` are spent"
    assert budget_refusal(BudgetClaim("b", "b", "total", 2, 1), 2, 2).message == "0.000002 of 0.000002 of `b` are spent"


def test_without_the_ledger_it_is_said_what_cannot_be_checked():
    refusal = away(LIMIT, "disk full")
    assert (refusal.kind, refusal.data) == ("rate_limit", {"limit": "gh", "unavailable": True})
    assert refusal.message == "`gh` cannot be checked: disk full"
    assert away(BudgetClaim("b", "b", "total", 2, 1), "x").data == {"budget": "b", "unavailable": True}


def test_a_hold_keeps_what_was_claimed():
    claim = BudgetClaim("b", "b", "total", 2, 1)
    hold = Hold("1-2-3", [claim], [(claim, 1)])
    assert (hold.id, hold.budgets, hold.warned) == ("1-2-3", [claim], [(claim, 1)])
