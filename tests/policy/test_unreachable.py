"""Rules that can never decide are warned about, with the rule that stands before them."""

import pytest

from tests.helpers.policies import policy


def rule(action, *matchers, name=""):
    return "\n".join(["[[rule]]", f'name = "{name or action}"', f'action = "{action}"', *matchers, ""])


def named(name, action, match):
    return f'[rules.{name}]\naction = "{action}"\nmatch = {{ {match} }}\n'


def warned(tmp_path, *rules):
    found = policy(tmp_path, "".join(rules))
    assert found.errors == []
    return [line.partition(": ")[2] for line in found.said if "never reached" in line]


def shadowed(name, by, line=1):
    return [f"`{name}` is never reached: `{by}` (line {line}) always matches first"]


@pytest.mark.parametrize(
    ("wide", "narrow"),
    [
        (['tool = "*"'], ['tool = "x"']),
        (['tool = "get_*"'], ['tool = ["get_a", "get_b"]']),
        (['tool = ["a", "b*"]'], ['tool = ["b1", "a"]']),
        (['server = "x"'], ['server = "x"', 'args.a = "b"']),
        (['method = "**"'], ['tool = "x"']),
        (['method = "**"'], ['server = "x"']),
        (['method = "tools/*"'], ['tool = "x"', 'method = "**"']),
        (['method = ["tools/call", "prompts/get"]'], ['method = "prompts/get"', 'prompt = "x"']),
        (['operation = ["read", "write"]'], ['operation = "read"']),
        (['args.a = "b"'], ['args.a = "b"', 'tool = "x"']),
        (['contains = "x"'], ['contains = "x"', 'server = "y"']),
        (['client = "c"'], ['client = "c"', 'service = "s"']),
        (['service = "g*"'], ['service = "github"']),
    ],
)
def test_a_rule_behind_a_wider_one_is_warned_about(tmp_path, wide, narrow):
    assert warned(tmp_path, rule("deny", *wide), rule("allow", *narrow)) == shadowed("allow", "deny")


@pytest.mark.parametrize(
    ("wide", "narrow"),
    [
        (['tool = "x"'], ['tool = "*"']),
        (['tool = "*"'], ['server = "x"']),
        (['tool = "*"'], ['tool = "**"']),
        (['tool = "x"', 'server = "a"'], ['tool = "x"']),
        (['tool = "x"', 'args.a = "b"'], ['tool = "x"', 'args.a = "c"']),
        (['server = "x"'], ['server = "x"', 'method = "resources/list"']),
        (['method = "tools/call"'], ['server = "x"']),
        (['tool = "x"', 'method = "prompts/get"'], ['tool = "x"']),
        (['tool = "x"', "expires = 2030-01-01"], ['tool = "x"']),
        (['tool = "x"', "enabled = false"], ['tool = "x"']),
        (['tool = "x"'], ['tool = "x"', "enabled = false"]),
        (['operation = "read"'], ['operation = ["read", "write"]']),
    ],
)
def test_a_rule_that_may_still_decide_is_left_alone(tmp_path, wide, narrow):
    assert warned(tmp_path, rule("deny", *wide), rule("allow", *narrow)) == []


def test_an_allow_does_not_shadow_a_deny_with_the_same_values(tmp_path):
    path = 'args.path = "/etc/**"'
    rules = [rule("allow", path), rule("deny", path)]
    assert warned(tmp_path, *rules) == []
    assert policy(tmp_path, "".join(rules)).call("t", {"path": "/ETC/x"}) == ("deny", "deny")


def test_an_allow_of_an_event_does_not_shadow_a_block_of_it(tmp_path):
    rules = [named("a", "allow", 'event_type = ["file_read"]'), named("b", "block", 'event_type = ["file_read"]')]
    assert warned(tmp_path, *rules) == []
    assert policy(tmp_path, "".join(rules)).call("read_file", {"u": "https://a.b"}) == ("deny", "b")


@pytest.mark.parametrize(("first", "second"), [("block", "allow"), ("allow", "log"), ("block", "prompt")])
def test_alike_or_stricter_readers_shadow_by_event(tmp_path, first, second):
    wide = named("a", first, 'event_type = ["file_read", "other"]')
    assert warned(tmp_path, wide, named("b", second, 'event_type = ["file_read"]')) == shadowed("b", "a")
    assert warned(tmp_path, wide, named("b", second, 'event_type = ["file_write"]')) == []
    assert warned(tmp_path, wide, named("b", second, 'tool_name = ["x"]')) == []


def test_everything_after_any_is_warned_about(tmp_path):
    found = warned(tmp_path, named("a", "block", "any = true"), '[services.fs]\nread = "allow"\n')
    assert found == [*shadowed("services.fs.unknown", "a"), *shadowed("services.fs.read", "a")]


def test_the_first_rule_that_shadows_is_named(tmp_path):
    rules = [rule("deny", 'tool = "*"', name="one"), rule("log", 'server = "a"', name="two")]
    assert warned(tmp_path, *rules, rule("allow", 'tool = "x"', 'server = "a"')) == shadowed("allow", "one")


def test_a_managed_rule_shadows_with_a_warning_in_the_users_file(tmp_path):
    found = policy(tmp_path, rule("allow", 'tool = "x"'), managed=rule("deny", 'tool = "*"'))
    assert found.said == ["policy.toml:1: `allow` is never reached: `deny` (line 1) always matches first"]
    assert (found.errors, found.call("x")) == ([], ("deny", "deny"))


def test_a_rule_that_covers_more_is_reached(tmp_path):
    first, second = 'args.path = "/a/**"', 'args.path = "/a/**"\ncovers = true'
    assert warned(tmp_path, rule("deny", first), rule("prompt", second)) == []
    assert len(warned(tmp_path, rule("deny", second), rule("prompt", second))) == 1
