"""Looking after the ledger, and the report for `status`."""

import time

import pytest

from mcpgov.atomic_file import read_json
from mcpgov.front.budgets.ledger_maintenance import maintain
from mcpgov.front.context import Context
from mcpgov.guards.ledger.claims import BudgetClaim
from mcpgov.guards.ledger.disk.schema import VERSION
from mcpgov.guards.ledger.store import Ledger
from mcpgov.places import Places
from tests.helpers.journals import Proxy

POLICY = """
default = "allow"
[[budget]]
name = "money"
limit = 10
per = "total"
[[limit]]
name = "slow"
rate = "6/min"
"""


@pytest.fixture
def ledger(root):
    made = Ledger(str(Places(root).ledger))
    yield made
    made.close()


@pytest.fixture
def report(root, policy):
    policy(POLICY)
    return lambda: maintain(Context(str(root)), time.time())


def test_the_report_has_budgets_engine_and_health_and_is_kept(report, ledger, root):
    ledger.spend("money", "total", 8_500_000)
    found = report()
    assert (found["engine"], found["health"], found["limits"], found["refused"]) == ("sqlite", "good", 1, 0)
    line = {"name": "money", "share": "", "spent": 8.5, "limit": 10.0, "unit": "", "per": "total", "warn": 0.8}
    assert found["budgets"] == [line]
    assert read_json(Places(root).ledger_report)["budgets"] == [line]


def test_without_a_ledger_nothing_is_made(report, root):
    report()
    assert not Places(root).ledger.exists()


def test_calls_that_were_refused_today_are_counted(report, ledger, root):
    proxy = Proxy(root / "state" / "journal")
    proxy.at = time.time()
    for kind in ("budget", "rate_limit", "policy"):
        proxy.call(action="deny", kind=kind)
    proxy.at -= 2 * 86_400
    proxy.call(action="deny", kind="budget")
    assert report()["refused"] == 2


def test_what_a_dead_process_held_is_spent(report, ledger, root):
    ledger._process = (2**22 + 1, "0")
    ledger.reserve([BudgetClaim("money", "money", "total", 10**9, 1_000_000)])
    report()
    assert [(each.spent, each.held) for each in ledger.standing()] == [(1_000_000, 0)]


def test_a_damaged_ledger_is_made_anew_and_told_of_for_a_day(report, ledger, root):
    ledger.spend("money", "total", 1)
    ledger.close()
    Places(root).ledger.write_bytes(b"no ledger at all " * 100)
    found = report()
    assert found["health"] == "rebuilt"
    assert ".damaged-" in found["why"]
    assert "may not be on record" in found["lacks"], "there is no journal"
    assert report()["health"] == "rebuilt"
    assert maintain(Context(str(root)), time.time() + 86_401)["health"] == "good"


def test_a_newer_ledger_is_told(report, ledger, root):
    ledger.spend("money", "total", 1)
    ledger._within(lambda db: db.execute(f"PRAGMA user_version = {VERSION + 1}"))
    ledger.close()
    found = report()
    assert found["health"] == "newer"
    assert "newer mcpgov" in found["why"]


def test_a_ledger_that_cannot_be_used_is_told(report, root):
    Places(root).ledger.mkdir(parents=True)
    assert report()["health"] == "away"
