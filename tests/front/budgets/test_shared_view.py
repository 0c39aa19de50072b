"""How shared budgets look."""

from mcpgov.daemon.status.budget_shares import BudgetShare
from mcpgov.front.budgets.shared_ledger import SharedView
from mcpgov.front.budgets.shared_view import health, shared_data, shared_lines
from mcpgov.front.budgets.standings import Standings
from mcpgov.guards.ledger.engine_state import EngineState, LentRow

UNIT = 1_000_000
ROW = LentRow("money", "total", 10 * UNIT, 4 * UNIT, 20 * UNIT, 3 * UNIT, 3, 1_800_000_000 * UNIT)


def view(*rows, runs=True, reached=5, down=0, why="", hint=""):
    return SharedView("redis://:***@h", runs, EngineState("", reached, down * UNIT, why, hint, 0, list(rows)))


def test_engine_health_and_what_is_lent_are_told():
    share = BudgetShare("money", "", "total", "USD", "money", "total", 0, 0, 0, 0, None)
    other = BudgetShare("other", "", "total", "", "other", "total", 0, 0, 0, 0, None)
    head, line = shared_lines(Standings((share, other), (), shared=view(ROW)))
    assert head.text == "shared through redis://:***@h: reached"
    assert line.text.startswith("  money: 4 USD lent to this machine until ")
    assert line.text.endswith(", 3 USD to 2 others")
    assert shared_lines(Standings((), ())) == []


def test_what_is_wrong_is_told():
    assert health(view(runs=False)).startswith("the service that reaches it does not run")
    assert health(SharedView("x", True, None)) == "not reached yet"
    told = health(view(down=9, why="refused", hint="pip install x"))
    assert "refused (pip install x); what is lent is enforced" in told


def test_programs_read_it_too():
    data = shared_data(view(ROW, down=9, why="refused"))
    assert data == {
        "engine": "redis://:***@h", "reached": False, "since": 9.0, "why": "refused",
        "lent": [{"key": "money", "period": "total", "left": 4.0, "lease_ends": 1_800_000_000.0}],
    }  # fmt: skip
    assert shared_data(SharedView("x", True, None))["lent"] == []
