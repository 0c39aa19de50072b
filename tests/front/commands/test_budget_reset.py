"""`mcpgov budget reset`."""

from mcpgov.guards.ledger.store import Ledger
from mcpgov.places import Places


def test_it_counts_anew(run, policy, root):
    policy('[[budget]]\nname = "money"\nlimit = 10\nper = "total"\n')
    ledger = Ledger(str(Places(root).ledger))
    ledger.spend("money", "total", 10_000_000)
    ledger.close()
    done = run("budget", "reset", "money", "--yes")
    assert (done.status, done.out) == (0, "0 of 10 of `money` are spent now\n")
