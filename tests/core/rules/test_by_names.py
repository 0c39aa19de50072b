"""What names decide, and what values must pass for it to hold."""

import pytest

from mcpgov.core.rules.by_names import NameScreen, ValueCheck, value_check
from mcpgov.core.rules.call import call_of
from mcpgov.core.rules.value_patterns import Pattern
from mcpgov.core.world import World
from tests.helpers.compiled import FakeHooks, ruleset

ALLOW = {"action": "allow", "tool": ["**"]}
HOME = "/home/u"


def tool(name, *names):
    return call_of("tools/call", {"name": name, "arguments": dict.fromkeys(names)}, "fs")


def found(*rules, name="get_x", names=("a",), today="2026-01-01", **head):
    return ruleset(*rules, hooks=FakeHooks(), **head).by_names(tool(name, *names), today)


def outcome(*rules, **more):
    """(rule, {argument: patterns}) of a verdict by names."""
    made = found(*rules, **more)
    if made is None:
        return None
    return made.decision.rule, {name: [p.text for p in patterns] for name, patterns in made.watched.items() if patterns}


@pytest.mark.parametrize(
    ("rules", "more", "expected"),
    [
        ([ALLOW], {}, ("r1", {})),
        ([], {}, (None, {})),
        ([{"action": "deny", "expires": "2025-12-31"}, ALLOW], {}, ("r2", {})),
        ([{"action": "allow", "expires": "2026-12-31"}], {}, ("r1", {})),
        ([{"action": "deny", "operation": ["delete"]}, {"action": "log", "operation": ["read"]}], {}, ("r2", {})),
        # As `delete` by its name and `execute` by its argument it is judged as both.
        ([{"action": "deny", "operation": ["delete"]}, ALLOW], {"name": "delete_x", "names": ("command",)}, ("r1", {})),
        ([{"action": "deny", "events": ["file_delete"]}, ALLOW], {}, ("r2", {"a": ["**://**"]})),
        ([{"action": "deny", "events": ["file_read"]}, ALLOW], {}, ("r1", {"a": ["**://**"]})),
        ([{"action": "deny", "resource": ["x:**"]}, ALLOW], {}, ("r2", {})),
        ([{"action": "deny", "args": [[["b"], ["1"]]]}, ALLOW], {}, ("r2", {})),
        ([{"action": "allow", "args": [[["b"], ["1"]]]}, ALLOW], {}, ("r2", {})),
        ([{"action": "deny", "args": [[["A"], ["1"]]]}, ALLOW], {}, ("r2", {"a": ["1"]})),
        ([{"action": "deny", "args": [[["a", "b"], ["1"]]]}, ALLOW], {"names": ("a", "b")}, ("r2", {"a": ["1"]})),
        ([{"action": "deny", "args": [[["*"], ["1"]]]}, ALLOW], {"names": "ab"}, ("r2", {"a": ["1"], "b": ["1"]})),
        ([{"action": "deny", "paths": ["/x/**"]}, ALLOW], {}, ("r2", {"a": ["/x/**"]})),
        ([{"action": "allow", "args": [[["a"], ["1"]]]}, ALLOW], {}, None),
        ([{"action": "allow", "paths": ["/x/**"]}, ALLOW], {}, ("r2", {})),
        ([{"action": "allow", "paths": ["x**"]}, ALLOW], {}, None),
        ([{"action": "log", "args": [[["*"], ["~/.ssh/**", "x:**"]]]}, ALLOW], {}, ("r2", {})),
        ([{"action": "deny", "project": ["/x/**"]}, ALLOW], {}, None),
        ([{"action": "deny", "contains": ["x"]}, ALLOW], {}, None),
        ([{"action": "deny", "when": "true"}, ALLOW], {}, None),
    ],
)  # fmt: skip
def test_names_decide_where_values_can_only_meet_watched_patterns(rules, more, expected):
    assert outcome(*rules, **more) == expected


def screen(*patterns, cwd="/home/u/work", bases=(), links=None, there=()):
    here = World((links or {}).get, cwd, HOME, {}, None, lambda name: name not in there, bases)
    rules = ruleset()
    rules.world = here
    return NameScreen([Pattern(text, HOME) for text in patterns], here, rules.real_root)


@pytest.mark.parametrize(
    ("patterns", "text", "expected"),
    [
        (["~/.ssh/**"], "hello", True),
        (["~/.ssh/**"], "a/../../.ssh/id", False),
        (["~/.ssh/**"], "-i/home/u/.ssh/id", False),
        (["~/.ssh/**"], "@/home/u/.ssh/id", False),
        (["*secret*"], "-x", True),
        (["/home/u/work/keys/**"], "keys/a", False),
        (["/home/u/work/keys/**"], "KEYS", False),
        (["/home/u/work/keys/**"], "key/a", True),
        (["/home/**"], "a", False),
        (["/home/u/**/.env"], "a/.env", False),
        (["/home/u/**/.env/"], "a/.ENV", False),
        (["/home/u/**/.env"], "a/./b", True),
        (["/**/x"], "x", False),
        (["**/.env"], "a/.env", False),
        (["**/.env"], "a/.ENV", False),
        (["**/.env"], "a/.envrc", True),
        (["a?c"], "abc", False),
        (["**"], "x", False),
        (["https://**"], "https", True),
    ],
)
def test_a_plain_text_is_screened_against_patterns(patterns, text, expected):
    assert screen(*patterns).meets_none(text) is expected


def test_a_first_name_that_is_there_may_be_a_link():
    made = screen("~/.ssh/**", there=("link",))
    assert made.absent("other/x")
    assert not made.absent("LINK/x")
    assert screen("*.env", there=("link",)).absent("link")  # no path pattern, no place


def test_a_rule_may_name_its_directory_by_a_link():
    assert not screen("/keys/**", links={"/keys": "/home/u/work/k"}).meets_none("k/a")


def check(*patterns, name="a", tooled="get_x", **more):
    return ValueCheck(name, tool(tooled, name), screen(*patterns, **more) if patterns else None)


def test_a_value_is_looked_at_once_and_its_first_name_each_time():
    there = []
    made = check("~/.ssh/**", "*.env", there=there)
    assert made.text("hello/x")
    assert made.text("hello/x")
    there.append("hello")
    assert not made.text("hello/x")
    assert not made.text("b.env")
    assert not made.text("b.env")


def test_only_so_many_values_are_remembered():
    made = check("*.env")
    assert all(made.text(f"v{at}") for at in range(2000))


@pytest.mark.parametrize(
    ("patterns", "value", "expected"),
    [
        ([], 5, True), ([], 1.5, True), (["*.env"], None, True), (["*.env"], 5, True), (["*.env"], 1.5, False),
        (["5"], 6, False), (["x5"], 5, True), (["true"], True, False), (["false"], True, True), (["**"], 5, False),
    ],
)  # fmt: skip
def test_numbers_pass_where_no_pattern_could_mean_one(patterns, value, expected):
    assert check(*patterns).number(value) is expected
    if type(value) is int:
        assert check(*patterns).digits(str(value)) is expected


def test_a_value_that_raises_the_operation_does_not_pass():
    made = check(name="query")
    assert made.text("open issues")
    assert not made.text("DROP TABLE x")
    # What is less strict than the tool's own operation may still be denied.
    assert not check(name="query", tooled="grant_role").text("DROP TABLE x")


def test_only_arguments_that_could_matter_have_a_check():
    rules = ruleset()
    assert value_check("a", tool("get_x"), [], rules) is None
    assert value_check("query", tool("get_x"), [], rules) is not None
    assert value_check("a", tool("get_x"), [Pattern("x")], rules) is not None


def test_names_decide_nothing_where_an_argument_says_what_is_done():
    assert found(ALLOW, name="manage_issue", names=("action",)) is None


def test_what_may_be_a_host_or_a_number_is_not_clear_of_patterns_for_those():
    assert not screen("https://x.org/**").meets_none("x.org")
    assert not screen("100").meets_none("1e2")
    assert screen("100").meets_none("hundred")
