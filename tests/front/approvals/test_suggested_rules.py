"""What is suggested is tested through its command: tests/front/commands/test_approvals_suggest.py."""

import time

from mcpgov.front.approvals.suggested_rules import suggested
from mcpgov.front.context import Context
from mcpgov.journal_reader import Damage
from mcpgov.places import Places
from tests.helpers.held_calls import HeldCalls


def test_the_question_is_made_again_from_the_journal(root, policy):
    path = policy('[[rule]]\nname = "ask-deletes"\naction = "prompt"\ntool = "delete_*"\n')
    held = HeldCalls(Places(root).journal, time.time() - 600)
    numbers = [held.allowed({"path": f"/srv/a/{name}"}) for name in "xyz"]
    (found,) = suggested(Context(str(root)), time.time(), Damage())
    asked = found.question
    assert (asked.number, asked.server, asked.target, asked.operations) == (
        numbers[-1],
        "github",
        "delete_x",
        ("delete",),
    )
    assert (asked.file, asked.line, asked.layer, asked.args) == (str(path), 1, "user", None)
    assert found.rule is not None


def test_what_is_older_than_thirty_days_does_not_count(root, policy):
    policy('default = "prompt"\n')
    held = HeldCalls(Places(root).journal, time.time() - 40 * 86_400)
    for _ in range(3):
        held.allowed()
    assert suggested(Context(str(root)), time.time(), Damage()) == []
