"""A damaged ledger is made anew from the journal."""

import pytest

from mcpgov.front.budgets.ledger_repair import charges
from mcpgov.front.budgets.recorded_spending import change_note
from mcpgov.journal_session import JournalSession
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
