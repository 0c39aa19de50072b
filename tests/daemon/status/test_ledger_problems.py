"""What is wrong with limits and budgets, and what to type."""

import pytest

from mcpgov.daemon.status import model
from mcpgov.daemon.status.ledger_facts import BudgetLine, LedgerStatus
from mcpgov.daemon.status.ledger_problems import ledger_problems
from mcpgov.daemon.status.model import DaemonStatus, Facts, PolicyStatus


def told(ledger):
    facts = Facts(100_000.0, DaemonStatus(model.RUNNING), PolicyStatus("p"), ledger=ledger)
    return [(problem.reason_code, problem.level, problem.hint) for problem in ledger_problems(facts)]


@pytest.mark.parametrize(
    ("ledger", "expected"),
    [
        (None, []),
        (LedgerStatus(99_999.0), []),
        (LedgerStatus(1.0, health="away", why="full"),
         [("ledger-away", "bad", "make room, or mend the file: mcpgov budget")]),
        (LedgerStatus(1.0, health="damaged", why="odd"), [("ledger-away", "bad", "mcpgov budget")]),
        (LedgerStatus(1.0, health="newer"), [("ledger-newer", "bad", "install that version again")]),
        (LedgerStatus(99_999.0, health="rebuilt", why="/x"), [("ledger-rebuilt", "note", "mcpgov budget")]),
        (LedgerStatus(1.0, health="rebuilt", why="/x"), []),
        (LedgerStatus(99_999.0, health="rebuilt", lacks="odd"), [("ledger-rebuilt", "note", "mcpgov budget")]),
        (LedgerStatus(1.0, budgets=(BudgetLine("m", "", 10, 10),)),
         [("budget-spent", "note", "mcpgov budget raise m AMOUNT")]),
        (LedgerStatus(1.0, budgets=(BudgetLine("m", "gh x", 10, 10),)),
         [("budget-spent", "note", "mcpgov budget raise m AMOUNT --share 'gh x'")]),
        (LedgerStatus(1.0, budgets=(BudgetLine("m", "", 2.4, 3, warn=0.8),)),
         [("budget-nearly-spent", "note", "mcpgov budget")]),
        (LedgerStatus(1.0, budgets=(BudgetLine("m", "", 8, 10, warn=0.8), BudgetLine("n", "", 8, 10))),
         [("budget-nearly-spent", "note", "mcpgov budget")]),
    ],
)  # fmt: skip
def test_each_has_its_code_and_what_to_type(ledger, expected):
    assert told(ledger) == expected
