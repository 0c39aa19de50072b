import pytest

from mcpgov.core.decision import Decision, StepLimitExceeded
from mcpgov.serve.intent import call_for
from mcpgov.serve.policy_view import listed, matched, passes, word_for
from tests.helpers.policies import policy

POLICY = """
    [[rule]]
    name = "secret name"
    action = "deny"
    tool = "delete_*"
    args.path = "/secret/place/**"
    message = "no deleting"
    description = "why it is so"
    [[rule]]
    name = "reads"
    action = "allow"
    operation = "read"
    [[rule]]
    name = "asks"
    action = "prompt"
    tool = "write_file"
    [rules.net]
    action = "block"
    match.event_type = ["network_request"]
"""


@pytest.fixture
def rules(tmp_path):
    return policy(tmp_path, POLICY).rules


def names(found):
    return [rule["name"] for rule in found]


def test_a_verdict_is_told_with_its_message_and_no_name_of_a_rule():
    assert matched(Decision("deny", "secret name", "policy", "no\x1b", "r")) == {
        "name": "matched_block", "description": "Policy evaluation result for query", "action": "block",
        "message": "no\\x1b", "priority": 0,
    }  # fmt: skip
    assert [word_for(action) for action in ("allow", "deny", "prompt", "log")] == ["allow", "block", "prompt", "log"]
    assert [passes(action) for action in ("allow", "log", "redact", "prompt", "deny")] == [True] * 3 + [False] * 2


def test_a_summary_has_no_names_and_all_of_it_no_patterns(rules):
    summary = listed(rules, "summary", "", "")
    assert names(summary) == ["rule_1", "rule_2", "rule_3", "rule_4"]
    assert summary[0]["message"] == "no deleting"
    whole = listed(rules, "all", "", "")
    assert names(whole) == ["secret name", "reads", "asks", "net"]
    assert whole[0]["description"] == "why it is so"
    assert "/secret/place" not in repr(whole)


def test_rules_are_listed_by_tool_and_by_action(rules):
    assert names(listed(rules, "all", "", "delete_x")) == ["secret name", "reads", "net"]
    assert names(listed(rules, "all", "file_delete", "")) == ["secret name"]
    assert names(listed(rules, "all", "file_read", "")) == ["reads"]
    assert names(listed(rules, "all", "file_write", "")) == ["asks"]
    assert names(listed(rules, "all", "network_request", "")) == ["net"]
    assert names(listed(rules, "all", "file_write", "write_file")) == ["asks"]


def test_a_query_about_a_tool_is_a_call_of_it():
    assert call_for("x", "", ("s", "", "")).args == {}
    assert call_for("x", "/a", ("s", "", "")).args == {"path": "/a"}
    assert call_for("x", "https://a", ("s", "", "")).args == {"path": "https://a", "url": "https://a"}


def test_rules_are_listed_by_resource(rules, monkeypatch):
    assert names(listed(rules, "all", "", "", "/secret/place/a")) == ["secret name", "reads", "asks", "net"]
    assert names(listed(rules, "all", "", "", "/srv/a")) == ["reads", "asks", "net"]

    def never(*_given):
        raise StepLimitExceeded

    monkeypatch.setattr("mcpgov.core.rules.rule.Rule.dynamic_mismatch", never)
    assert "secret name" in names(listed(rules, "all", "", "", "/srv/a"))


def test_what_a_policy_says_is_told_without_signs_that_act_or_hide(tmp_path):
    """A project's policy is its repository's text."""
    text = (
        '[[rule]]\nname = "a\\u001bb"\naction = "deny"\nmessage = "no\\u202e"\ndescription = "x\\u0007"\ntool = "y"\n'
    )
    (rule,) = listed(policy(tmp_path, text).rules, "all", "", "")
    assert all(str(value).isprintable() for value in rule.values())
