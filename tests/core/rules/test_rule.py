"""Rules: kinds ANDed, lists ORed, uncertain allows fail and uncertain denials hold."""

import pytest

from mcpgov.core.rules.call import call_of
from mcpgov.core.rules.path_matching import MANY, Reader
from mcpgov.core.rules.rule import Literal, Rule, Setting
from tests.helpers.compiled import FakeHooks, world


def mismatch(rule, method="tools/call", today="2026-01-01", service="fs", **params):
    where = {key: params.pop(key) for key in ("server", "client", "project") if key in params}
    call = call_of(method, params, **where)
    made = Rule({"id": "r", "action": "deny", **rule}, "/home/u", FakeHooks())
    return made.mismatch(call, Setting(Reader(world()), today, service))


@pytest.mark.parametrize(
    ("rule", "params", "expected"),
    [
        ({"tool": ["read_*", "x"]}, {"name": "read_a"}, ""),
        ({"tool": ["read_*"]}, {"name": "write"}, "tool"),
        ({"tool": ["Read"]}, {"name": "read"}, "tool"),
        ({"tool": ["a"], "server": ["fs"]}, {"name": "a", "server": "fs"}, ""),
        ({"tool": ["a"], "server": ["fs"]}, {"name": "a", "server": "other"}, "server"),
        ({"client": ["cursor"]}, {"name": "a", "client": "cursor"}, ""),
        ({"client": ["cursor"]}, {"name": "a", "client": "claude"}, "client"),
        ({"service": ["fs"]}, {"name": "a"}, ""),
        ({"service": ["github"]}, {"name": "a"}, "service"),
        ({"project": ["/p/**"]}, {"name": "a", "project": "/p/x"}, ""),
        ({"project": ["/p/**"]}, {"name": "a", "project": "/q"}, "project"),
        ({"project": ["/p/**"]}, {"name": "a"}, "project"),
        ({"operation": ["delete"]}, {"name": "delete_x"}, ""),
        ({"operation": ["delete"]}, {"name": "read_x"}, "operation"),
        ({"args": [[["p"], ["/etc/**"]]]}, {"name": "a", "arguments": {"p": "/etc/x"}}, ""),
        ({"args": [[["p", "q"], ["x"]]]}, {"name": "a", "arguments": {"p": "/y"}}, "args.p.q"),
        ({"contains": ["secret"]}, {"name": "a", "arguments": {"p": ["my secret"]}}, ""),
        ({"contains": ["secret"]}, {"name": "a"}, "contains"),
        ({"contains": ["re:terces"]}, {"name": "a", "arguments": {"secret": 1}}, ""),
        ({"events": ["file_read", "file_delete"]}, {"name": "delete_x"}, ""),
        ({"events": ["file_read"]}, {"name": "delete_x"}, "event_type"),
        ({"paths": ["/etc/**"]}, {"name": "a", "arguments": {"path": "/etc/x"}}, ""),
        ({"paths": ["/etc/**"]}, {"name": "a", "arguments": {"path": "/x"}}, "resource_path"),
        ({"paths": ["word"]}, {"name": "a", "arguments": {"x": [{"y": "Word"}]}}, ""),
        ({"paths": ["/etc/**"]}, {"name": "a", "arguments": {"x": "[" * 100_000}}, ""),
        ({"when": "true"}, {"name": "a"}, ""),
        ({"when": "false"}, {"name": "a"}, "when"),
        ({"when": "null"}, {"name": "a"}, "when"),
        ({"when": "error"}, {"name": "a"}, ""),
        ({"expires": "2026-01-01"}, {"name": "a"}, ""),
        ({"expires": "2025-12-31"}, {"name": "a"}, "expires"),
        ({}, {"name": "a"}, ""),
    ],
)
def test_the_first_matcher_that_fails_is_named(rule, params, expected):
    assert mismatch(rule, **params) == expected


@pytest.mark.parametrize("action", ["allow", "log"])
def test_a_failing_expression_opens_no_door(action):
    assert mismatch({"action": action, "when": "error"}, name="a") == "when"
    assert mismatch({"action": action, "when": "null"}, name="a") == "when"
    assert mismatch({"action": action, "when": "true"}, name="a") == ""


def test_a_rule_with_tool_matchers_never_matches_another_method():
    assert mismatch({"tool": ["**"]}, "prompts/get", name="a") == "tool"
    assert mismatch({"tool": ["**"], "method": ["**"]}, "ping") == "tool"


def test_a_rule_without_method_is_asked_for_governed_methods_only():
    assert mismatch({"server": ["**"]}, "ping", server="s") == "method"
    assert mismatch({"server": ["**"]}, "sampling/createMessage", server="s") == ""
    assert mismatch({"method": ["pi*"]}, "ping") == ""
    assert mismatch({"method": ["x"]}, "ping") == "method"


def test_prompts_and_resources_match_their_own_requests():
    assert mismatch({"prompt": ["a*"]}, "prompts/get", name="abc") == ""
    assert mismatch({"prompt": ["a*"]}, "prompts/get", name="x") == "prompt"
    assert mismatch({"prompt": ["a*"]}, name="abc") == "prompt"
    assert mismatch({"resource": ["file:///etc/**"]}, "resources/read", uri="file:///etc/x") == ""
    assert mismatch({"resource": ["file:///etc/**"]}, "resources/read", uri="file:///x") == "resource"
    assert mismatch({"resource": ["**"]}, name="abc") == "resource"


def test_arguments_are_those_of_calls_and_prompts():
    rule = {"args": [[["p"], ["**"]]]}
    assert mismatch(rule, "prompts/get", name="x", arguments={"p": "1"}) == ""
    assert mismatch(rule, "resources/read", uri="a:b") == "args.p"


def test_one_denied_uri_denies_a_listen_and_an_allow_needs_them_all():
    params = {"notifications": {"resourceSubscriptions": ["file:///ok/a", "file:///etc/x"]}}
    rule = {"resource": ["file:///etc/**"]}
    assert mismatch(rule, "subscriptions/listen", **params) == ""
    assert mismatch({"action": "allow", "resource": ["/ok/**"]}, "subscriptions/listen", **params) == "resource"
    both = {"action": "allow", "resource": ["/ok/**", "/etc/**"]}
    assert mismatch(both, "subscriptions/listen", **params) == ""


def test_an_allow_by_event_needs_every_event_of_the_call():
    args = {"url": "https://x"}
    assert mismatch({"action": "allow", "events": ["file_read"]}, name="fetch", arguments=args) == "event_type"
    both = {"action": "allow", "events": ["file_read", "network_request"]}
    assert mismatch(both, name="fetch", arguments=args) == ""
    assert mismatch({"events": ["network_request"]}, name="fetch", arguments=args) == ""


def test_an_allow_by_resource_path_needs_every_place_inside():
    rule = {"action": "allow", "paths": ["/ok/**"]}
    assert mismatch(rule, name="copy", arguments={"source": "/ok/a", "destination": "/ok/b"}) == ""
    assert mismatch(rule, name="copy", arguments={"source": "/ok/a", "destination": "/etc/b"}) == "resource_path"
    assert mismatch(rule, "resources/read", uri="file:///ok/a") == ""


def test_a_rule_shows_its_message_or_its_description():
    def message(**about):
        return Rule({"id": "r", "action": "deny", **about}, "", FakeHooks()).message

    assert message(message="m", description="d") == "m"
    assert message(description="d") == "d"
    assert message() == ""


def test_a_literal_says_where_it_stands():
    assert Literal("b").search("abc")
    assert Literal("ab").spans("abxabab") == [(0, 2), (3, 5), (5, 7)]
    assert Literal("ab").spans("x") == []


def test_a_rules_verdict_is_made_once_and_a_redaction_knows_what_to_cut():
    rule = Rule({"id": "r", "action": "redact", "contains": ["x"]}, "", FakeHooks())
    assert rule.decision("rev") is rule.decision("rev")
    assert rule.decision("other").revision == "other"
    assert rule.decision("rev").cuts == rule.contains
    assert Rule({"id": "r", "action": "deny", "contains": ["x"]}, "", FakeHooks()).decision("rev").cuts == ()


def test_a_setting_remembers_that_the_operation_was_asked_for():
    setting = Setting(Reader(world()), "", "fs")
    assert not setting.used_operation
    assert setting.operation_of(call_of("tools/call", {"name": "read_x"})) == "read"
    assert setting.used_operation
    assert Setting(Reader(world()), "", "fs", "delete").operation_of(call_of("ping", {})) == "delete"


@pytest.mark.parametrize(
    ("tool", "expected"), [("read_file", True), ("write_file", True), ("run_command", False), ("frobnicate", False)]
)
def test_a_variable_in_a_path_is_a_name_to_tools_without_a_shell(tool, expected):
    rule = Rule({"id": "r", "action": "allow", "args": [[["path"], ["/ok/**"]]]}, "/home/u", FakeHooks())
    call = call_of("tools/call", {"name": tool, "arguments": {"path": "/ok/routes/$id.tsx"}})
    assert (rule.mismatch(call, Setting(Reader(world()), "", "")) == "") is expected


def test_a_rule_on_any_argument_below_another_is_asked_for_every_call():
    data = {"id": "r", "action": "deny", "args": [[["*", "path"], ["/etc/**"]]]}
    assert Rule(data, "/home/u", FakeHooks()).required_argument == ""


@pytest.mark.parametrize("count", [1, MANY, MANY + 1, 3 * MANY])
def test_contains_finds_its_text_in_few_and_in_many(count):
    setting = Setting(Reader(world()), "", "fs")
    values = [f"text {at}" for at in range(count)]
    call = call_of("tools/call", {"name": "t", "arguments": {"a": [*values, "a\0b", "end"]}})

    def found(*texts):
        return Rule({"id": "r", "action": "deny", "contains": list(texts)}, "", FakeHooks()).finds(call, setting)

    assert [found(text) for text in ("text 0", "nd", "a\0b", "end\0", "texts", "re:dn", "re:nd")] == [
        True, True, True, False, False, True, False,
    ]  # fmt: skip
    assert found("none", "text 0")
