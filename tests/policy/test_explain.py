"""An explanation ends where the decision ends, and says why every earlier rule did not match."""

import pytest

from mcpgov.core.rules.call import call_of
from mcpgov.policy.explain import RuleStep, explain, listed, shown
from tests.helpers.policies import TODAY, policy, project


def told(tmp_path, body, method="tools/call", params=None, action="allow", **where):
    """Why one rule did or did not match."""
    rules = policy(tmp_path, f'[[rule]]\nname = "r"\naction = "{action}"\n{body}\n').rules
    params = {"name": "t", "arguments": {"a": "x"}} if params is None else params
    found = explain(rules, call_of(method, params, "fs", **where), TODAY)
    return found.steps[0].why


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('tool = "t"', "matches by tool"),
        ('tool = "t"\nargs.a = "x"\ndescription = "d"\nexpires = 2027-01-01', "matches by tool, args"),
        ('tool = ["u", "v"]', "tool `t` is not `u` or `v`"),
        ('prompt = "p"', "the request has no prompt"),
        ('server = "s"', "server `fs` is not `s`"),
        ('client = "c"', "the request has no client"),
        ('project = "/p"', "the request has no project"),
        ('service = "s"', "service `fs` is not `s`"),
        ('operation = "read"', "operation `unknown` is not `read`"),
        ('method = "x/y"', "method `tools/call` is not `x/y`"),
        ('tool = "t"\nexpires = 2026-01-01', "expired after 2026-01-01"),
        ('args.a = "y"', "args.a `x` is not certainly inside `y`"),
        ('args.b.c = "y"', "there is no args.b.c"),
        ('args.a.b = "y"', "args.a.b `x` is not certainly inside `y`"),
        ('args."*" = "y"', 'args.* `{"a":"x"}` is not certainly inside `y`'),
        ('args.b."*" = "y"', "there is no args.b.*"),
        ('resource = "a:b"', "resource  is not inside `a:b`"),
        ('contains = ["q", "re:z"]', "the message holds no `q` or `re:z`"),
        ("when = 'false'", "the expression is not true"),
    ],
)
def test_each_matcher_says_what_it_wanted_and_got(tmp_path, body, expected):
    assert told(tmp_path, body) == expected


def test_a_deny_does_not_ask_for_certainty(tmp_path):
    assert told(tmp_path, 'args.a = "y"', action="deny") == "args.a `x` is not inside `y`"


def test_other_methods_explain_themselves(tmp_path):
    assert told(tmp_path, 'server = "fs"', "resources/list", {}) == (
        "method `resources/list` is asked only by rules that name it"
    )
    assert told(tmp_path, 'args.a = "x"', "sampling/createMessage", {}) == "the request has no arguments"
    assert told(tmp_path, 'resource = "a:*"', "resources/read", {"uri": "b:c"}) == "resource `b:c` is not inside `a:*`"


def named(tmp_path, match):
    rules = policy(tmp_path, f'[rules.r]\naction = "allow"\nmatch = {{ {match} }}\n').rules
    return explain(rules, call_of("tools/call", {"name": "t"}, "fs"), TODAY).steps[0].why


def test_named_rules_explain_themselves(tmp_path):
    assert named(tmp_path, "any = true") == "matches every governed method"
    assert named(tmp_path, 'event_type = ["open"]') == "event `other` is not `file_read`"
    assert named(tmp_path, 'resource_path = ["/x"]') == "nothing in the call is inside `/x`"


TWO = '[[rule]]\nname = "a"\naction = "deny"\ntool = "u"\n[[rule]]\nname = "b"\naction = "allow"\ntool = "t"\n'


def test_an_explanation_is_the_decision_with_file_line_and_steps(tmp_path):
    rules = policy(tmp_path, TWO + '[[rule]]\nname = "c"\naction = "deny"\ntool = "*"\n').rules
    found = explain(rules, call_of("tools/call", {"name": "t"}, "fs"), TODAY)
    file = f"{tmp_path}/policy.toml"
    decisive = RuleStep("b", "allow", file, 5, True, "matches by tool")
    assert found.steps == (RuleStep("a", "deny", file, 1, False, "tool `t` is not `u`"), decisive)
    assert (found.decision.action, found.decision.rule, found.decisive) == ("allow", "b", decisive)
    assert (found.service, found.operation, found.readings) == ("fs", "unknown", ())


def test_the_default_has_no_decisive_step(tmp_path):
    found = explain(policy(tmp_path, TWO).rules, call_of("tools/call", {"name": "x"}, "fs"), TODAY)
    assert (found.decision.rule, found.decisive, len(found.steps)) == (None, None, 2)


def test_the_protection_is_one_step(tmp_path):
    rules = policy(tmp_path, TWO, protect=["/own"]).rules
    found = explain(rules, call_of("tools/call", {"name": "write_x", "arguments": {"path": "/own"}}), TODAY)
    assert found.steps == (RuleStep("mcpgov:protect", "deny", "built in", 0, True, "`/own` belongs to mcpgov"),)
    assert found.decisive == found.steps[0]


@pytest.mark.parametrize(
    ("mine", "theirs", "file"),
    [("prompt", "deny", ".mcpgov.toml"), ("deny", "prompt", "policy.toml"), ("deny", "deny", "policy.toml")],
)
def test_the_decisive_step_is_the_stricter_one_even_of_two_rules_with_one_name(tmp_path, mine, theirs, file):
    text = '[[rule]]\nname = "r"\naction = "{}"\ntool = "t"\n'
    rules, narrow = policy(tmp_path, text.format(mine)).rules, project(tmp_path, text.format(theirs)).rules
    found = explain(rules, call_of("tools/call", {"name": "t"}, "fs"), TODAY, narrow)
    assert (found.decision.action, found.decisive.file) == ("deny", f"{tmp_path}/{file}")
    assert len(found.steps) == 2


def test_a_verdict_by_the_second_operation_is_explained_by_it(tmp_path):
    rules = policy(tmp_path, '[services.fs]\ndelete = "deny"\nexecute = "allow"\n').rules
    call = call_of("tools/call", {"name": "delete_x", "arguments": {"command": "echo"}}, "fs")
    found = explain(rules, call, TODAY)
    assert (found.decision.action, found.decisive.rule) == ("deny", "services.fs.delete")


def test_the_readings_a_deny_tries_are_shown(tmp_path):
    rules = policy(tmp_path, TWO, links={"/link": "/real"}).rules
    args = {"path": "/link/a", "plain": "word", "n": 1, "many": "%" + "25" * 70, "long": "/x" * 600}
    found = explain(rules, call_of("tools/call", {"name": "t", "arguments": args}), TODAY)
    readings = dict(found.readings)
    assert {"/link/a", "/real/a"} <= set(readings["/link/a"])
    assert {"word", "/work/word"} <= set(readings["word"])
    assert readings[args["many"]] == ("(too many to tell)",)
    assert sorted(readings) == sorted(["/link/a", "word", args["many"]])


def test_a_long_text_is_shown_by_its_ends():
    assert shown("a" * 200) == "`" + "a" * 60 + "…(80 more)…" + "a" * 60 + "`"
    assert listed(["a", 1]) == "`a` or `1`"
    assert listed("a") == "`a`"
