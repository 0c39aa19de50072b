"""`mcpgov budget maintain`: what the daemon runs from time to time."""

from mcpgov.guards.ledger.store import Ledger
from mcpgov.places import Places

POLICY = 'default = "allow"\n[[budget]]\nname = "money"\nlimit = 10\nper = "total"\n'


def test_it_says_how_the_ledger_is(run, policy, root):
    policy(POLICY)
    ledger = Ledger(str(Places(root).ledger))
    ledger.spend("money", "total", 1_000_000)
    ledger.close()
    done = run("budget", "maintain")
    assert (done.status, done.out) == (0, "the ledger (sqlite) is good\n")
    assert run("budget", "maintain", "--json").json["budgets"][0]["spent"] == 1.0


def test_what_stops_it_is_told(run, policy, root):
    policy(POLICY)
    Places(root).ledger.mkdir(parents=True)
    done = run("budget", "maintain")
    assert (done.status, "is away: the ledger cannot be used" in done.out) == (0, True)


def test_status_shows_what_it_found(run, policy, root):
    policy(POLICY)
    ledger = Ledger(str(Places(root).ledger))
    ledger.spend("money", "total", 9_000_000)
    ledger.close()
    run("budget", "maintain")
    shown = run("status").out
    assert " 90% money 9 of 10 · total" in shown
    assert "0 calls refused today · sqlite, good" in shown
    assert "budget money: 9 of 10 are spent" in shown
    found = run("status", "--json").json
    assert found["ledger"]["budgets"][0]["name"] == "money"
    assert "budget-nearly-spent" in [note["reason_code"] for note in found["notes"]]
