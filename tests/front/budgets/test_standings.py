"""Budgets of the policy in use, with what stands in the ledger."""

import os

import pytest

from mcpgov.guards.ledger.claims import BudgetClaim
from mcpgov.guards.ledger.disk.clocks import process_start
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


SESSIONS = '[[budget]]\nname = "ses"\nlimit = 3\nper = "session"\n'
DEAD = (2**22 + 1, "0:1")


def counted(ledger, session, key="ses", process=None):
    ledger._process = process or (os.getpid(), process_start())
    hold = ledger.reserve([BudgetClaim("ses", key, f"session {session}", 10**9, 1_000_000)])
    ledger.settle(hold, [1_000_000])
    ledger.standing()


def test_a_session_has_the_name_of_its_id_and_can_be_raised_and_reset_by_it(run, policy, ledger):
    policy(SESSIONS)
    counted(ledger, "4f1d")
    assert run("budget", "raise", "ses", "2", "--yes").status == 0  # there is but one
    counted(ledger, "aa00")
    assert [line.split()[1] for line in run("budget").out.splitlines() if line.startswith("ses")] == ["4f1d", "aa00"]
    done = run("budget", "reset", "ses", "--yes")
    assert (done.status, "say which" in done.err, "4f1d, aa00" in done.err) == (1, True, True)
    assert "is counted apart and not for `(all)`" in run("budget", "reset", "ses", "--share", "(all)", "--yes").err
    assert run("budget", "raise", "ses", "5", "--share", "aa00", "--yes").status == 0
    assert run("budget", "reset", "ses", "--share", "4f1d", "--yes").status == 0
    found = run("budget", "--json").json["budgets"]
    assert [(each["share"], each["spent"], each["limit"]) for each in found] == [("4f1d", 0.0, 3.0), ("aa00", 1.0, 8.0)]


def test_a_share_within_a_session_is_typed_as_it_is_shown(run, policy, ledger):
    policy(f'{SESSIONS}each = "server"\n')
    for key in ("ses\x1fgh", "ses\x1fslack"):
        counted(ledger, "4f1d", key)
    assert "'gh 4f1d', 'slack 4f1d'" in run("budget", "raise", "ses", "1", "--yes").err
    assert run("budget", "raise", "ses", "1", "--share", "gh 4f1d", "--yes").status == 0


def test_sessions_that_have_ended_are_not_shown_and_nobody_complains_of_them(run, policy, ledger):
    policy(SESSIONS)
    for _ in range(3):
        counted(ledger, "dead", process=DEAD)
    counted(ledger, "gone")
    ledger.end_session("session gone")
    assert run("budget", "--json").json["budgets"] == []
    assert "nothing of `ses` is spent in a session that goes on" in run("budget", "raise", "ses", "1", "--yes").err
    run("budget", "maintain")
    assert "budget ses" not in run("status").out
    assert {each.period for each in ledger.standing()} == {"session dead", "session gone"}


def test_what_calls_without_a_client_share_can_be_typed_too(run, policy, ledger):
    policy(POLICY.format(per="total").replace("server", "client"))
    for key in ("calls", "calls\x1fcursor"):
        ledger.spend(key, "total", 1_000_000)
    assert [each["share"] for each in run("budget", "--json").json["budgets"]] == ["(none)", "cursor"]
    assert run("budget", "raise", "calls", "1", "--share", "(none)", "--yes").status == 0


def test_a_budget_of_all_calls_has_one_row_and_takes_no_share(run, policy, ledger):
    policy(POLICY.format(per="total").replace('each = "server"', ""))
    for key in ("calls", "calls\x1fgh"):  # it was counted apart before
        ledger.spend(key, "total", 1_000_000)
    assert [each["share"] for each in run("budget", "--json").json["budgets"]] == [""]
    assert "for all calls together" in run("budget", "raise", "calls", "1", "--share", "gh", "--yes").err


def test_where_nothing_was_counted_yet_it_is_said(run, policy):
    policy(POLICY.format(per="total"))
    assert "nothing of `calls` is spent in this period" in run("budget", "raise", "calls", "1", "--yes").err


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
