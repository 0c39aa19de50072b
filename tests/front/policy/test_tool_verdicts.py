import pytest

from mcpgov.core.operations.choices import with_choices
from mcpgov.front.policy.tool_verdicts import verdicts
from tests.helpers.policies import policy

TEXT = """\
default = "deny"
[[rule]]
name = "no-keys"
action = "deny"
tool = "open_*"
args.path = "/keys/**"
[[rule]]
name = "open"
action = "allow"
tool = "open_*"
[[rule]]
name = "some"
action = "allow"
tool = "some_*"
args.path = "/srv/**"
[[rule]]
name = "watched"
action = "log"
tool = "list_*"
[services.git]
read = "allow"
delete = "deny"
"*" = "prompt"
"""


@pytest.mark.parametrize(
    ("server", "tool", "expected"),
    [
        ("fs", "list_files", ("log",)),
        ("fs", "nothing_named", ("deny",)),
        ("fs", "open_file", ("allow", "deny")),
        ("fs", "some_file", ("allow", "deny")),
        ("git", "read_log", ("allow",)),
        ("git", "delete_branch", ("deny",)),
        ("git", "create_branch", ("prompt",)),
    ],
)
def test_a_verdict_is_one_where_no_arguments_change_it_and_several_where_they_do(tmp_path, server, tool, expected):
    assert verdicts(policy(tmp_path, TEXT).rules, server, tool, ["path"], {}) == expected


def test_annotations_and_argument_names_make_it_stricter_as_in_a_call(tmp_path):
    rules = policy(tmp_path, TEXT).rules
    assert verdicts(rules, "git", "read_log", [], {"destructiveHint": True}) == ("prompt",)


def test_a_call_of_two_operations_gets_the_stricter_verdict(tmp_path):
    rules = policy(tmp_path, '[services.git]\nexecute = "allow"\ndelete = "deny"\nread = "allow"\n').rules
    assert verdicts(rules, "git", "delete_branch", ["command"], {}) == ("deny",)


def test_a_tool_whose_verb_is_an_argument_may_get_the_verdict_of_each(tmp_path):
    rules = policy(tmp_path, TEXT).rules
    hints = with_choices({}, {"properties": {"action": {"enum": ["list", "delete"]}}})
    assert verdicts(rules, "git", "manage_branch", ["action"], hints) == ("allow", "deny")
    assert verdicts(rules, "git", "manage_branch", ["action"], {}) == ("allow", "prompt", "deny")


def test_a_default_that_allows_is_a_verdict_too(tmp_path):
    assert verdicts(policy(tmp_path, 'default = "allow"\n').rules, "fs", "x", [], {}) == ("allow",)
