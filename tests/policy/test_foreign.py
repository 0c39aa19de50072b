"""What is imported decides as the original did; what cannot be said is listed."""

import itertools
import json

import pytest

from mcpgov.errors import PolicyError
from mcpgov.policy.foreign import convert
from tests.helpers.policies import policy, write

TOOLS = ["get_x", "write_x", "delete_x", "run_command", "frobnicate", "github_delete_x", "é😀"]
SERVERS = ["fs", "github", "gh", "hub"]
ARGS = [{}, {"path": "/etc/x"}, {"a": {"b": 5}, "odd key": "x"}]


def verdicts(rules):
    calls = [rules.call(tool, args, server=server) for tool, server, args in itertools.product(TOOLS, SERVERS, ARGS)]
    return [action for action, _ in [*calls, rules.read("a:b"), rules.ask("sampling/createMessage", {})]]


def same(tmp_path, text, name="old.toml"):
    original = policy(tmp_path, text, name)
    out, lost = convert(tmp_path / name)
    assert lost == []
    copy = policy(tmp_path / "copy", out)
    assert copy.errors == []
    assert verdicts(copy) == verdicts(original)
    assert copy.compiled.metadata == original.compiled.metadata
    options = [key for key in original.head if key not in ("revision", "index")]
    assert {key: copy.head[key] for key in options} == {key: original.head[key] for key in options}
    return out


OLD = r"""
default = "prompt"
deny_as = "error"
protect = false
methods.allow = ["x/*"]
[aliases]
gh = "github"
"odd key" = "é"
[server.hub]
services = ["github"]
[server.fs]
deny_as = "result"
[tools]
pin = "off"
hide_denied = false
[metadata]
"odd key" = "x"
when = 2026-11-17T10:00:00Z
day = 2026-11-17
at = 10:00:00
deep = { a = [1, 1.5, inf, true], b = {} }
[services.github]
delete = "deny"
"*" = "log"
[services."*"]
read = "allow"
[rules."odd name"]
action = "block"
priority = 5
enabled = false
message = "a \"b\" \u007f 😀"
match = { event_type = ["open"], resource_path = ["/etc/**"] }
[rules.all]
action = "log"
priority = -5
match.tool_name = ["run_*"]
[rules.none]
action = "log"
priority = 9
enabled = false
match.any = true
[[rule]]
action = "deny"
args."odd key" = ["x", "y"]
args.a.b = 5
server = "fs"
expires = 2999-01-01
description = "d"
[[rule]]
name = "é"
action = "allow"
when = 'mcpRequest.ToolCall.Name == "é😀"'
"""


def test_a_toml_policy_keeps_rules_order_and_options(tmp_path):
    same(tmp_path, OLD)


@pytest.mark.parametrize(
    "value",
    [
        {"github": {"delete": "deny", "*": "allow"}, "*": {"read": "allow"}, "defaultPolicy": "deny"},
        {"services": {"github": {"operations": {"read": "allow"}}}, "defaultPolicy": "allow"},
        {"rules": [{"service": "github", "operations": ["delete"], "permission": "deny", "reason": "😀"}]},
        [
            {"service": "*", "operations": ["*"], "permission": "allow"},
            {"service": "fs", "operations": ["*"], "permission": "deny"},
        ],
    ],
)
def test_a_rules_json_keeps_its_meaning(tmp_path, value):
    same(tmp_path, json.dumps(value), "rules.json")


def test_a_rules_json_becomes_rules_with_reasons(tmp_path):
    listed = [{"service": "github", "operations": ["unknown", "delete"], "permission": "deny", "reason": "no"}]
    write(tmp_path, json.dumps({"rules": listed, "defaultPolicy": "allow"}), "rules.json")
    methods = '["tools/call", "resources/read", "resources/subscribe", "subscriptions/listen", "prompts/get"]'
    assert convert(tmp_path / "rules.json") == (
        '# imported from rules.json\n\ndefault = "allow"\n\n[[rule]]\nname = "rule-1"\naction = "deny"\n'
        f'service = ["github"]\noperation = ["unknown", "delete"]\nmethod = {methods}\nmessage = "no"\n',
        [],
    )


def test_included_files_stay_included_from_wherever_the_copy_lies(tmp_path):
    write(tmp_path, '[services."*"]\ndelete = "deny"\n', "more/a.toml")
    same(tmp_path, 'include = ["more/*.toml"]\n[[rule]]\naction = "allow"\ntool = "*"\n')


def test_what_cannot_be_said_is_listed_and_stands_as_a_comment(tmp_path):
    write(tmp_path, '[[rule]]\naction = "alow"\ntool = "x"\n[[rule]]\naction = "deny"\ntool = "y"\n', "old.toml")
    text, lost = convert(tmp_path / "old.toml")
    assert lost == ["line 2: unknown action `alow`"]
    assert text.splitlines()[:2] == ["# imported from old.toml", "# line 2: unknown action `alow`"]
    assert policy(tmp_path, text).call("y") == ("deny", "rule-2")


@pytest.mark.parametrize("action", ["allow", "log"])
def test_a_rule_that_has_lost_a_matcher_lets_nothing_pass(tmp_path, action):
    rules = f'[[rule]]\nname = "a"\naction = "{action}"\ntool = "get_*"\npaths = "/ok/**"\n'
    rules += '[[rule]]\nname = "b"\naction = "allow"\ntool = "write_*"\n'
    rules += '[[rule]]\nname = "c"\naction = "deny"\ntool = "delete_*"\nwhile = "x"\n'
    write(tmp_path, rules, "old.toml")
    text, lost = convert(tmp_path / "old.toml")
    assert len(lost) == 2
    assert "# `a` would allow more than its source, so it is switched off\n" in text
    copy = policy(tmp_path / "copy", text)
    found = [copy.call(tool, {"path": "/etc/x"}) for tool in ("get_x", "write_x", "delete_x")]
    assert found == [("deny", None), ("allow", "b"), ("deny", "c")]


def test_a_missing_default_policy_is_said_but_nothing_is_lost(tmp_path):
    write(tmp_path, "[]", "rules.json")
    text, lost = convert(tmp_path / "rules.json")
    assert lost == []
    assert "# line 1: no `defaultPolicy`: what no rule names is denied here" in text


def test_a_line_end_in_a_name_starts_no_line_of_policy(tmp_path):
    write(tmp_path, "\"x\\n[[rule]]\\naction = 'allow'\\ntool = '*'\\n#\" = 1\n", "old.toml")
    text, lost = convert(tmp_path / "old.toml")
    assert len(lost) == 1
    assert policy(tmp_path, text).ids == []


def test_half_a_surrogate_pair_cannot_be_said_in_toml(tmp_path):
    write(tmp_path, '{"\\ud800": {"read": "deny"}}', "rules.json")
    with pytest.raises(PolicyError, match="half a surrogate pair"):
        convert(tmp_path / "rules.json")


def test_an_expression_becomes_one_rule(tmp_path):
    write(tmp_path, 'server == "fs" &&\nargs.a == "x"\n', "only.cel")
    text, lost = convert(tmp_path / "only.cel", "log")
    rules = policy(tmp_path, text)
    assert (lost, rules.said) == ([], [])
    assert [rules.call("t", {"a": "x"}), rules.call("t", {"a": "y"})] == [("log", "only"), ("deny", None)]


@pytest.mark.parametrize(("name", "text"), [("a.cel", "a ("), ("a.yaml", "x"), ("a.yml", "x"), ("a.toml", "x")])
def test_what_cannot_be_read_is_refused(tmp_path, name, text):
    write(tmp_path, text, name)
    with pytest.raises(PolicyError):
        convert(tmp_path / name)


def test_what_a_rule_covers_and_unprotected_shells_are_kept(tmp_path):
    text = 'protect_shell = false\n[[rule]]\nname = "r"\naction = "deny"\nargs.path = "/etc/a/**"\ncovers = true\n'
    same(tmp_path, text)
    policy(tmp_path, text, "old.toml")
    out, _ = convert(tmp_path / "old.toml")
    assert "covers = true" in out
    assert "protect_shell = false" in out
