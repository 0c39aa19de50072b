"""A person raises or resets a budget."""

from mcpgov.places import Places

POLICY = '[[budget]]\nname = "money"\nlimit = 10\nper = "total"\n'


def test_without_a_terminal_nothing_is_changed_unasked(run, policy):
    policy(POLICY)
    done = run("budget", "raise", "money", "5")
    assert (done.status, "no terminal to ask on" in done.err) == (64, True)
    assert run("budget", "--json").json["budgets"][0]["limit"] == 10.0


def test_what_cannot_be_recorded_does_not_hold(run, policy, root):
    policy(POLICY)
    journal = Places(root).journal
    journal.parent.mkdir(parents=True, exist_ok=True)
    journal.write_text("a file where the journal belongs")
    done = run("budget", "raise", "money", "5", "--yes")
    assert (done.status, "could not be recorded" in done.err) == (1, True)
    assert run("budget", "--json").json["budgets"][0]["limit"] == 10.0


def test_an_unknown_budget_is_told_with_those_there_are(run, policy):
    policy(POLICY)
    done = run("budget", "reset", "mony", "--yes")
    assert (done.status, "there is no budget `mony`" in done.err, "money" in done.err) == (1, True, True)
