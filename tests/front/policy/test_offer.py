import shlex

import pytest

from mcpgov.core.rules.call import call_of
from mcpgov.front.context import Context, today
from mcpgov.front.policy.offer import RuleOffer, by_names, offer

POLICY = """
[[rule]]
name = "no-keys"
action = "deny"
args."*" = "~/.ssh/**"
[[rule]]
name = "no-writes"
action = "deny"
tool = "write_*"
"""


@pytest.fixture
def offered(root):
    def ask(tool, args=None, server="fs"):
        context = Context(str(root))
        rules = context.rules(None)
        call = call_of("tools/call", {"name": tool, "arguments": args or {}}, server, "", "", None, None)
        return offer(call, rules.ruleset.decide(call, today()), context, rules)

    return ask


@pytest.mark.parametrize(
    ("tool", "args", "command"),
    [
        (
            "write_file",
            {"path": "/srv/a b.txt", "content": "x"},
            "mcpgov allow --arg 'path=/srv/a b.txt' fs write_file",
        ),
        ("write_file", {"content": "x"}, "mcpgov allow fs write_file"),
        ("write_file", {"path": "/srv/*"}, "mcpgov allow fs write_file"),
        ("write_file", {"path": "relative"}, "mcpgov allow fs write_file"),
        ("write_file", {"a.b": "/x"}, "mcpgov allow --arg '\"a.b\"=/x' fs write_file"),
        ("do it; rm", {}, "mcpgov allow fs 'do it; rm'"),
        ("-x", {}, "mcpgov allow -- fs -x"),
        ("odd*", {}, ""),
    ],
)
def test_the_line_is_ready_to_paste_and_lets_that_call_pass(run, policy, offered, tool, args, command):
    policy(POLICY)
    assert offered(tool, args) == RuleOffer(command)
    if command:
        words = shlex.split(command)[1:]
        assert run(words[0], "--yes", *words[1:]).status == 0
        found = offered.__closure__[0].cell_contents
        context = Context(str(found))
        call = call_of("tools/call", {"name": tool, "arguments": args}, "fs", "", "", None, None)
        assert context.rules(None).ruleset.decide(call, today()).action == "allow"


def test_a_rule_that_guards_a_value_is_only_passed_for_that_value(policy, offered, home):
    policy(POLICY + '[services."*"]\nread = "allow"\n')
    place = f"{home}/.ssh/id"
    assert offered("read_file", {"path": place}) == RuleOffer(f"mcpgov allow --arg path={place} fs read_file")
    why = "rule `no-keys` stops it for what its arguments hold; change that rule, or write one above it"
    assert offered("read_file", {"path": "~/.ssh/id"}) == RuleOffer(why=why), "no allow would be certain of it"
    assert offered("read_files", {"paths": [place]}) == RuleOffer(why=why)


def test_where_no_rule_helps_that_is_said(policy, offered, root):
    policy(POLICY)
    found = offered("write_file", {"path": f"{root}/config/policy.toml"})
    assert (found.command, found.why.startswith("built-in protection denies this call")) == ("", True)


def test_by_names_alone(policy, root):
    policy(POLICY)
    context = Context(str(root))
    assert by_names("fs", "write_x", context) == RuleOffer("mcpgov allow fs write_x")
    assert by_names("fs", "", context) == by_names("fs", "a*", context) == RuleOffer()
    (root / "config" / "policy.toml").unlink()
    assert by_names("fs", "write_x", Context(str(root))) == RuleOffer()
