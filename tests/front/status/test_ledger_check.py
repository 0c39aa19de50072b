"""What `doctor` says of the ledger."""

import pytest

from mcpgov.front.context import Context
from mcpgov.front.status.ledger_check import ledger
from mcpgov.guards.ledger.disk.schema import VERSION
from mcpgov.guards.ledger.store import Ledger
from mcpgov.places import Places

POLICY = 'default = "allow"\n[[limit]]\nrate = "1/s"\n'


@pytest.fixture
def checked(root, policy):
    policy(POLICY)

    def check():
        return [(each.level, each.what, each.reason_code) for each in ledger(Context(str(root)))]

    return check


@pytest.fixture
def made(root):
    found = Ledger(str(Places(root).ledger))
    found.spend("b", "p", 1)
    yield found
    found.close()


def test_a_policy_that_counts_nothing_needs_no_ledger(checked, policy):
    policy('default = "allow"\n')
    assert checked() == []
    policy("broken")
    assert checked() == []


def test_a_ledger_that_can_be_written_is_well(checked, made):
    ((level, what, _),) = checked()
    assert (level, what) == ("ok", "sqlite, 0 amounts are held by calls on their way or just ended")


def test_before_the_first_call_there_is_none(checked):
    assert checked() == [("ok", "nothing was counted yet", "")]


def test_budgets_that_are_spent_or_nearly_so_are_warnings(checked, policy, made):
    policy(POLICY + "".join(f'[[budget]]\nname = "{name}"\nlimit = 10\nper = "total"\n' for name in "abc"))
    for name, spent in (("a", 10), ("b", 8), ("c", 7)):
        made.spend(name, "total", spent * 1_000_000)
    assert checked()[1:] == [
        ("warning", "budget a is spent: 10 of 10", "budget-spent"),
        ("warning", "budget b: 8 of 10 are spent", "budget-nearly-spent"),
    ]


def test_a_damaged_a_newer_and_an_unusable_one_are_bad(checked, made, root):
    made._within(lambda db: db.execute(f"PRAGMA user_version = {VERSION + 1}"))
    made.close()
    ((level, what, code),) = checked()
    assert (level, "newer mcpgov" in what, code) == ("bad", True, "ledger-newer")
    Places(root).ledger.write_bytes(b"no ledger at all " * 100)
    ((level, what, code),) = checked()
    assert (level, "damaged" in what, code) == ("bad", True, "ledger-away")
    for path in Places(root).state.glob("ledger.sqlite*"):
        path.unlink()
    Places(root).ledger.mkdir()
    ((level, what, code),) = checked()
    assert (level, what.startswith("limits and budgets cannot be counted"), code) == ("bad", True, "ledger-away")
