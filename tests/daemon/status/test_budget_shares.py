"""The shares of a budget, with what stands in the ledger."""

import time

from mcpgov.daemon.status.budget_shares import shares_of
from mcpgov.daemon.status.ledger_facts import BudgetLine
from mcpgov.guards.hooks import LazyHooks
from mcpgov.guards.ledger.disk.accounts import Standing
from mcpgov.guards.ledger.engine_state import LentRow
from mcpgov.guards.ledger.periods import Calendar
from mcpgov.guards.ledger.rows import BudgetRow

CALENDAR = Calendar(time.gmtime, time.mktime)
UNIT = 1_000_000


def row(**fields):
    data = {"name": "n", "each": "user", "when_down": "deny", "match": {"method": ["**"]}, "limit": 10 * UNIT,
            "cost": UNIT, "warn": 8 * UNIT, "per": "total", "unit": "USD", "charge": "always", "costs": {},
            "cost_from": []}  # fmt: skip
    return BudgetRow({**data, **fields}, "/home/u", LazyHooks())


def shares(budget, *found):
    return [(each.share, each.period, each.used) for each in shares_of(budget, found, CALENDAR, 0.0)]


def test_a_budget_of_all_calls_has_one_line_also_before_the_first():
    assert shares(row()) == [("", "total", 0)]
    assert shares(row(), Standing("n", "total", 3, 2, 0), Standing("n\x1fgh", "total", 9, 0, 0)) == [("", "total", 5)]


def test_of_shares_those_are_told_that_are_counted_in_this_period():
    found = [Standing("n\x1fgh", "1970-01-01", 3, 0, 0), Standing("n\x1fgh", "1969-12-31", 9, 0, 0),
             Standing("no\x1fgh", "1970-01-01", 9, 0, 0)]  # fmt: skip
    assert shares(row(each="server", per="day"), *found) == [("gh", "1970-01-01", 3)]
    assert shares(row(each="server")) == []


def test_each_session_has_a_line():
    found = [Standing("n", "session b", 3, 0, 0), Standing("n", "session a", 2, 0, 0), Standing("n", "total", 9, 0, 0)]
    assert shares(row(per="session"), *found) == [("a", "session a", 2), ("b", "session b", 3)]


def test_a_line_says_what_is_allowed_after_a_raise_and_when_a_person_is_warned():
    (share,) = shares_of(row(), [Standing("n", "total", 9 * UNIT, UNIT, 5 * UNIT)], CALENDAR, 0.0)
    assert share.line == BudgetLine("n", "", 10.0, 15.0, "USD", "total", 0.8)
    (free,) = shares_of(row(limit=0), [], CALENDAR, 0.0)
    assert free.warn == 0.0


def test_what_other_machines_have_spent_counts_and_what_is_forgiven_here_does_not():
    (share,) = shares_of(row(), [Standing("n", "total", 3, 2, 0)], CALENDAR, 0.0)
    assert share.with_others(None) is share
    for others, spent, held in ((4, 7, 2), (-4, 0, 1), (-9, 0, 0)):
        found = share.with_others(LentRow("n", "total", 0, 0, others, 0, 2, 0))
        assert (found.spent, found.held, found.others) == (spent, held, others)
