"""Rows of budgets within one transaction."""

import pytest

from mcpgov.guards.ledger.budget_states import BudgetStates
from mcpgov.guards.ledger.claims import BudgetClaim, Hold


def all_rows(db):
    return db.execute("SELECT key, period, spent, held, raised, warned, seen FROM budgets").fetchall()


def test_a_row_is_made_with_the_first_claim_and_changed_by_the_next(db):
    rows, hold = BudgetStates(db), Hold("h", [], [])
    rows.row("b", "p").hold(BudgetClaim("b", "b", "p", 10, 3, warn=5), hold)
    rows.row("b", "p").hold(BudgetClaim("b", "b", "p", 10, 3, warn=5), hold)
    assert ([claim.amount for claim in hold.budgets], [(each.used, each.allowed) for each in hold.warned]) == (
        [3, 3], [(6, 10)],
    )  # fmt: skip
    rows.write(7)
    assert all_rows(db) == [("b", "p", 0, 6, 0, 1, 7)]
    again = BudgetStates(db)
    row = again.row("b", "p")
    row.held, row.spent = 0, 6
    row.hold(BudgetClaim("b", "b", "p", 10, 1, warn=5), hold)
    again.write(8)
    assert all_rows(db) == [("b", "p", 6, 1, 0, 1, 8)]
    assert len(hold.warned) == 1


@pytest.mark.parametrize(("amount", "warned"), [(15, []), (16, [(16, 20)])])
def test_what_a_person_raised_moves_the_warning_to_the_same_share_of_what_is_allowed(db, amount, warned):
    db.execute("INSERT INTO budgets (key, period, raised) VALUES ('b', 'p', 10)")
    rows, hold = BudgetStates(db), Hold("h", [], [])
    rows.row("b", "p").hold(BudgetClaim("b", "b", "p", 10, amount, warn=8), hold)
    assert [(each.used, each.allowed) for each in hold.warned] == warned


def test_calls_that_said_no_price_are_counted(db):
    for count in (2, 1):
        rows = BudgetStates(db)
        rows.row("b", "p").unpriced += count
        rows.write(7)
    assert db.execute("SELECT unpriced FROM budgets").fetchall() == [(3,)]
