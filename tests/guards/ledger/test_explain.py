"""What limits and budgets say of a call as things stand."""

from mcpgov.guards.ledger.buckets import Bucket, Rate
from mcpgov.guards.ledger.claims import BudgetClaim, LimitClaim
from mcpgov.guards.ledger.explain import of_absence, of_budget, of_limit

SECOND = 1_000_000
LIMIT = LimitClaim("slow", "slow", Rate(1, SECOND, 2))


def test_a_limit_tells_how_many_calls_may_pass():
    found = of_limit(LIMIT, None, 0, 0)
    assert (found["verdict"], found["left"], found["burst"]) == ("allow", 2, 2)


def test_a_limit_that_is_used_up_tells_when_to_try_again():
    found = of_limit(LIMIT, Bucket(2 * SECOND, 0, 0), 0, 0)
    assert (found["guard"], found["verdict"], found["kind"], found["retry_after"]) == (
        "limit",
        "deny",
        "rate_limit",
        1.0,
    )


def test_a_budget_tells_what_is_spent_and_what_the_call_costs():
    claim = BudgetClaim("money", "money", "total", 10 * SECOND, 3 * SECOND, "USD")
    assert of_budget(claim, 7 * SECOND, 10 * SECOND)["why"] == "7 of 10 USD are spent, this call costs 3 USD"
    found = of_budget(claim, 8 * SECOND, 10 * SECOND)
    assert (found["guard"], found["verdict"], found["kind"], found["cost"]) == ("budget", "deny", "budget", 3.0)


def test_a_cost_that_the_answer_tells_is_not_known_before():
    claim = BudgetClaim("m", "m", "total", SECOND, 0, open_end=True)
    assert of_budget(claim, 0, SECOND)["why"] == "0 of 1 are spent, this call costs what its answer says"
    assert of_budget(claim, SECOND, SECOND)["verdict"] == "deny"


def test_without_the_ledger_it_depends_on_what_the_limit_says():
    for denies, verdict in ((True, "deny"), (False, "allow")):
        found = of_absence(LIMIT, "disk full", denies=denies)
        assert (found["verdict"], found["why"]) == (verdict, "`slow` cannot be checked: disk full")


def test_without_a_session_it_is_said_that_one_is_meant_that_begins():
    told = [
        of_budget(BudgetClaim("m", "m", period, SECOND, 1), 0, SECOND)["why"] for period in ("session ", "session 4f1d")
    ]
    assert [why.endswith("; judged as in a session that begins now") for why in told] == [True, False]
