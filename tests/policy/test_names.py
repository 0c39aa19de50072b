"""Names: one rule each, and a lower layer renames nothing out of a managed rule's reach."""

import pytest

from tests.helpers.policies import policy

MANAGED = '[services.github]\ndelete = "deny"\nread = "allow"\nunknown = "deny"\n'


def renamed(name):
    return f"`{name}` cannot be renamed: the managed rule `managed:services.github.{{}}` depends on it"


@pytest.mark.parametrize(
    ("mine", "expected"),
    [
        ('[aliases]\ngithub = "mine"\n', f"policy.toml:2: {renamed('github').format('delete')}"),
        ('[aliases]\nevil = "github"\n', f"policy.toml:2: {renamed('evil').format('read')}"),
        ('[server.github]\nservices = ["x"]\n', f"policy.toml:1: {renamed('github').format('delete')}"),
        ('[server.hub]\nservices = ["github"]\n', f"policy.toml:1: {renamed('hub').format('read')}"),
    ],
)
def test_a_user_cannot_rename_a_server_out_of_or_into_a_managed_rule(tmp_path, mine, expected):
    assert policy(tmp_path, mine, managed=MANAGED).errors == [expected]


def test_a_user_may_rename_what_the_managed_rules_do_not_name(tmp_path):
    mine = '[aliases]\ns = "slack"\n[services.slack]\nread = "allow"\n'
    rules = policy(tmp_path, mine, managed=MANAGED)
    assert (rules.said, rules.call("get_x", server="s")) == ([], ("allow", "services.slack.read"))


def test_a_user_may_add_a_server_to_a_service_that_is_only_denied(tmp_path):
    rules = policy(tmp_path, '[aliases]\ngh = "github"\n', managed='[services.github]\ndelete = "deny"\n')
    assert (rules.said, rules.call("delete_x", server="gh")) == ([], ("deny", "managed:services.github.delete"))


def test_what_the_managed_layer_names_itself_holds(tmp_path):
    managed = '[aliases]\nevil = "evil"\n[server.hub]\nservices = ["a"]\n' + MANAGED
    mine = '[aliases]\nevil = "github"\n[server.hub]\nservices = ["github"]\n'
    rules = policy(tmp_path, mine, managed=managed)
    assert (rules.said, rules.call("get_x", server="evil")) == ([], ("deny", None))
    assert rules.call("github_get_x", server="hub") == ("deny", None)


def test_a_rule_cannot_pass_for_the_built_in_protection(tmp_path):
    rules = policy(tmp_path, '[[rule]]\nname = "mcpgov:protect"\naction = "allow"\ntool = "x"\n')
    assert rules.errors == ["policy.toml:1: `mcpgov:protect`: names with `mcpgov:` are built in"]


def test_the_same_name_in_two_layers_is_no_clash(tmp_path):
    text = '[[rule]]\nname = "r"\naction = "deny"\ntool = "{}"\n'
    assert policy(tmp_path, text.format("x"), managed=text.format("y")).said == []


def test_a_managed_expression_about_services_forbids_every_renaming(tmp_path):
    managed = """[[rule]]\nname = "gh"\naction = "deny"\nwhen = 'service == "github"'\n"""
    assert policy(tmp_path, '[aliases]\ngithub = "mine"\n', managed=managed).errors == [
        "policy.toml:2: `github` cannot be renamed: the managed rule `gh` depends on it"
    ]
