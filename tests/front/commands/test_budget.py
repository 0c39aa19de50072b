"""`mcpgov budget`: bars, limits, and what programs read."""

import pytest

from mcpgov.core.rules.call import call_of
from mcpgov.front.commands.budget import bar
from mcpgov.guards.hooks import LazyHooks
from mcpgov.guards.ledger.claims import BudgetClaim
from mcpgov.guards.ledger.rows import LimitRow
from mcpgov.guards.ledger.store import Ledger
from mcpgov.places import Places

POLICY = """
[[budget]]
name = "money"
limit = 10
per = "total"
unit = "USD"
[[limit]]
name = "slow"
rate = "6/min"
burst = 2
"""


@pytest.fixture
def spend(root):
    def reserve(amount, *, key="money", settled=True):
        ledger = Ledger(str(Places(root).ledger))
        hold = ledger.reserve([BudgetClaim("money", key, "total", 10**9, amount)])
        if settled:
            ledger.settle(hold, [amount])
        ledger.close()

    return reserve


def test_a_policy_without_budgets_says_so(run, policy):
    policy('default = "deny"')
    assert run("budget").out == "the policy in use has no budget and no limit\n"


def test_it_shows_what_is_spent_held_and_left(run, policy, spend):
    policy(POLICY)
    spend(8_500_000)
    spend(500_000, settled=False)
    shown = run("budget").out
    assert "██████████████████░░  90%" in shown
    assert "9 USD (0.5 USD of it held by calls on their way or just ended)" in shown
    assert "6 in 60 s" in shown
    (budget,) = run("budget", "--json").json["budgets"]
    assert budget == {
        "name": "money", "share": "", "per": "total", "unit": "USD", "period": "total", "spent": 8.5, "held": 0.5,
        "limit": 10.0, "raised": 0.0, "unpriced": 0, "resets_at": None,
    }  # fmt: skip
    (limit,) = run("budget", "--json").json["limits"]
    assert limit == {"name": "slow", "count": 6, "seconds": 60.0, "burst": 2, "each": "user", "on": "call",
                     "left": {"": 2}}  # fmt: skip
    assert (run("budget", "--json").json["engine"], run("budget", "--json").json["health"]) == ("sqlite", "good")
    assert "counted in sqlite: " in shown


def test_the_buckets_of_a_limit_tell_what_is_left(run, policy, root):
    policy(POLICY.replace('rate = "6/min"', 'rate = "6/min"\neach = "server"'))
    assert "each server" in run("budget").out
    row = LimitRow({"name": "slow", "each": "server", "when_down": "deny", "match": {"method": ["**"]}, "count": 6,
                    "period": 60_000_000, "burst": 2}, "", LazyHooks())  # fmt: skip
    ledger = Ledger(str(Places(root).ledger))
    for server in ("gh", "gh", "fs"):
        ledger.reserve([row.claim(call_of("tools/call", {"name": "t"}, server), "")])
    ledger.close()
    (limit,) = run("budget", "--json").json["limits"]
    assert limit["left"] == {"gh": 0, "fs": 1}
    lines = [line.split() for line in run("budget").out.splitlines() if line.startswith("slow")]
    assert [(line[1], line[-2], line[-1]) for line in lines] == [("fs", "1", "calls"), ("gh", "0", "calls")]


def test_calls_that_said_no_price_are_told(run, policy, root):
    policy(POLICY)
    ledger = Ledger(str(Places(root).ledger))
    for _ in range(2):
        ledger.settle(ledger.reserve([BudgetClaim("money", "money", "total", 10**9, 0, open_end=True)]), [None])
    ledger.close()
    assert "0 USD (2 calls said no price)" in run("budget").out
    assert run("budget", "--json").json["budgets"][0]["unpriced"] == 2


def test_a_budget_that_nothing_was_spent_of_is_shown_too(run, policy):
    policy(POLICY)
    assert run("budget", "--json").json["budgets"][0]["spent"] == 0.0


@pytest.mark.parametrize(("share", "filled"), [(0.0, 0), (0.5, 10), (1.0, 20), (2.5, 20)])
def test_a_bar_is_as_long_as_what_is_spent(share, filled):
    assert bar(share) == "█" * filled + "░" * (20 - filled)
