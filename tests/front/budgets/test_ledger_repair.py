"""A damaged ledger is made anew from the journal."""

import time

import pytest

from mcpgov.front.budgets import ledger_repair
from mcpgov.front.budgets.ledger_repair import charges
from mcpgov.front.budgets.recorded_spending import change_note
from mcpgov.guards.ledger.claims import BudgetClaim
from mcpgov.guards.ledger.store import Ledger
from mcpgov.journal_session import JournalSession
from mcpgov.lender.lender_ledger import LenderLedger
from mcpgov.places import Places

POLICY = '[[budget]]\nname = "money"\nlimit = 10\nper = "total"\n'


def charged(*rows):
    return {"dir": "proxy", "method": "tools/call", "action": "charged", "charges": [list(row) for row in rows]}


def journal(root, *notes):
    session = JournalSession(str(Places(root).journal), {"session": "s", "client": "", "server": ""})
    for note in notes:
        assert session.write(note)


def test_charges_raises_and_resets_count_in_their_order(root):
    one, two = ("money", "total"), ("calls\x1fgh", "2026-11-18")
    journal(
        root,
        charged((*one, 5), (*two, 1)),
        change_note(*one, raised=7),
        change_note(*two, reset=True),
        {**charged((*two, 2)), "unpriced": [two[0]]},
        {**charged((*one, 0)), "unpriced": [one[0], "other"]},
        {**charged((*one, 0)), "unpriced": 3},
        {"action": "charged", "charges": [["torn"], 3, ["a", "b", "c"]]},
        {**change_note(*one), "raised": "much"},
    )
    assert charges(Places(root).journal) == {one: (5, 7, 1), two: (2, 0, 1)}


@pytest.mark.parametrize("left", [b"damaged " * 1000, b""])
def test_a_damaged_ledger_is_rebuilt_told_and_kept_beside(run, policy, root, left):
    policy(POLICY)
    journal(root, charged(("money", "total", 4_000_000)), change_note("money", "total", raised=1_000_000))
    ledger = Places(root).ledger
    ledger.parent.mkdir(parents=True, exist_ok=True)
    ledger.write_bytes(left)
    done = run("budget", "--json")
    assert "made anew from the journal" in done.err
    (found,) = done.json["budgets"]
    assert (found["spent"], found["limit"]) == (4.0, 11.0)
    assert [path.read_bytes() for path in ledger.parent.glob("ledger.sqlite.damaged-*")] == [left]
    assert run("budget").err == ""


@pytest.mark.parametrize("ends", ["before it is read", "between", "after"])
def test_a_call_on_its_way_while_it_is_made_anew_is_charged_once(root, ends, monkeypatch):
    """`between`: the journal is read, and the new ledger not in place yet."""
    places, proxy = Places(root), Ledger(str(Places(root).ledger))
    claim = BudgetClaim("money", "money", "total", 10, 3)
    hold = proxy.reserve([claim], "s-1")

    def end():
        proxy.settle(hold, [3])
        journal(root, {**charged(("money", "total", 3)), "decision": "s-1"})

    read = ledger_repair.recorded

    def reading(*given):
        found = read(*given)
        if ends == "between":
            end()
        return found

    monkeypatch.setattr(ledger_repair, "recorded", reading)
    if ends == "before it is read":
        end()
    ledger_repair.repair(places, 30, time.time())
    if ends == "after":
        end()
    proxy.reserve([claim], "s-2")
    assert [(each.spent, each.held) for each in proxy.standing()] == [(3, 3)]
    proxy.close()


@pytest.mark.parametrize("kept", [True, False])
def test_a_ledger_knows_what_was_spent_in_days_that_are_gone_or_says_that_it_may_not(run, policy, root, kept):
    policy(POLICY)
    places, proxy = Places(root), Ledger(str(Places(root).ledger))
    proxy.spend("money", "total", 5_000_000)
    proxy.close()
    session = JournalSession(str(places.journal), {"session": "s", "client": "", "server": ""})
    assert session.write(charged(("money", "total", 4_000_000)), now=time.time() - 40 * 86_400)
    assert session.write(charged(("money", "total", 1_000_000)), now=time.time() - 29 * 86_400)
    run("budget", "maintain")
    min(places.journal.glob("*.jsonl")).unlink()
    if not kept:
        places.ledger_spending.unlink()
    places.ledger.write_bytes(b"")
    done = run("budget", "--json")
    assert [each["spent"] for each in done.json["budgets"]] == [5.0 if kept else 1.0]
    assert ("may not be on record" in done.err) is not kept


@pytest.mark.parametrize(("left", "days", "same"), [(b"", 0, True), (b"", 29, False), (None, 0, False)])
def test_a_machine_keeps_its_name_at_an_engine_with_what_it_has_spent(run, policy, root, left, days, same):
    """Where the file was removed, or days may be gone, what was spent stays with the old name."""
    policy(POLICY)
    session = JournalSession(str(Places(root).journal), {"session": "s", "client": "", "server": ""})
    assert session.write(charged(("money", "total", 4_000_000)), now=time.time() - days * 86_400)
    ledger = LenderLedger(str(Places(root).ledger), "engine", 1)
    name = ledger.host()
    Places(root).ledger.unlink()
    if left is not None:
        Places(root).ledger.write_bytes(left)
        run("budget")
    assert (ledger.host() == name) is same
    assert not ledger.is_entered(), "the lender says so when it has reached the engine"
    ledger.close()
