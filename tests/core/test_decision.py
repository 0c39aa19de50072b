"""Verdicts: their parts, and which of several holds."""

from mcpgov.core.decision import Decision, strictest


def test_the_strictest_action_wins():
    assert strictest("allow", "log", "redact", "prompt") == "prompt"
    assert strictest("deny", "allow") == "deny"


def test_a_decision_is_what_it_was_made_of():
    decision = Decision("deny", "r", "policy", "m", "rev")
    assert (decision.action, decision.rule, decision.kind, decision.message, decision.revision) == (
        "deny", "r", "policy", "m", "rev",
    )  # fmt: skip
    assert (decision.cuts, decision.answer) == ((), "")
