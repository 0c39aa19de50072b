"""What a status takes from the last report on the ledger."""

import pytest

from mcpgov.daemon.status.ledger_facts import BudgetLine, LedgerStatus, ledger_status

LINE = {"name": "m", "share": "gh", "spent": 8.5, "limit": 10.0, "unit": "USD", "per": "day", "warn": 0.8}


def test_a_report_becomes_a_status():
    report = {"time": 5.0, "engine": "sqlite", "health": "good", "budgets": [LINE, "odd"], "limits": 2, "refused": 3}
    line = BudgetLine("m", "gh", 8.5, 10.0, "USD", "day", 0.8)
    assert ledger_status(report) == LedgerStatus(5.0, "sqlite", "good", "", (line,), 2, 3)
    assert (line.title, line.amounts) == ("m (gh)", "8.5 of 10 USD")
    assert (BudgetLine("m").title, BudgetLine("m").amounts) == ("m", "0 of 0")


@pytest.mark.parametrize("report", [{}, {"time": 5.0}, {"time": True, "limits": 1}, {"time": 5.0, "budgets": "odd"}])
def test_where_nothing_is_counted_nothing_is_said(report):
    assert ledger_status(report) is None


def test_a_ledger_that_is_away_is_told_without_budgets():
    assert ledger_status({"time": 5.0, "health": "away", "why": "full"}).why == "full"
