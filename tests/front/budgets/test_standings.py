"""Budgets of the policy in use, with what stands in the ledger."""

import pytest

from mcpgov.guards.ledger.claims import BudgetClaim
from mcpgov.guards.ledger.store import Ledger
from mcpgov.places import Places

POLICY = '[[budget]]\nname = "calls"\nlimit = 10\nper = "{per}"\neach = "server"\n'


@pytest.fixture
def ledger(root):
    made = Ledger(str(Places(root).ledger))
    yield made
    made.close()


def test_each_share_has_its_line_and_a_change_says_whose(run, policy, ledger):
    policy(POLICY.format(per="total"))
    for key in ("calls\x1fgh", "calls\x1fslack", "callsign\x1fx"):
        ledger.spend(key, "total", 1_000_000)
    found = run("budget", "--json").json["budgets"]
    assert [(each["share"], each["spent"]) for each in found] == [("gh", 1.0), ("slack", 1.0)]
    done = run("budget", "raise", "calls", "1", "--yes")
    assert (done.status, "say which" in done.err, "gh, slack" in done.err) == (1, True, True)
    assert run("budget", "raise", "calls", "1", "--share", "slack", "--yes").status == 0
    assert [each["limit"] for each in run("budget", "--json").json["budgets"]] == [10.0, 11.0]


def test_sessions_have_a_line_each_and_other_periods_none(run, policy, ledger):
    policy(POLICY.format(per="session"))
    for period in ("session a", "session b", "2020-01-01"):
        ledger.spend("calls\x1fgh", period, 1_000_000)
    assert [each["period"] for each in run("budget", "--json").json["budgets"]] == ["session a", "session b"]


def test_what_a_dead_process_held_is_shown_as_spent(run, policy, ledger):
    policy(POLICY.format(per="total"))
    ledger._process = (2**22 + 1, "0")
    ledger.reserve([BudgetClaim("calls", "calls\x1fgh", "total", 10**9, 1_000_000)])
    (found,) = run("budget", "--json").json["budgets"]
    assert (found["spent"], found["held"]) == (1.0, 0.0)


def test_a_ledger_that_cannot_be_used_is_told(run, policy, root):
    policy(POLICY.format(per="total"))
    Places(root).ledger.mkdir(parents=True)
    done = run("budget")
    assert (done.status, "the ledger cannot be used" in done.err) == (1, True)
