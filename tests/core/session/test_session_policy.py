"""What a conversation stands on: the rules in force, and what names alone say."""

import pytest

from mcpgov.core.audit.audit_preview import needs_no_mask
from mcpgov.core.decision import Decision
from mcpgov.core.json.lookalikes import VERSION_KEY
from mcpgov.core.rules.call import call_of
from mcpgov.core.rules.rule import Literal
from mcpgov.core.session.session_policy import Policy, Shape, Who, both, note_part
from mcpgov.core.session.tool_list import Pins, ToolList
from tests.helpers.counting_guard import Counter, under_counter
from tests.helpers.playbook import policy

ALLOW = {"action": "allow", "tool": ["**"]}
DENY = {"action": "deny", "tool": ["x"]}


def call(tool="x", **args):
    return call_of("tools/call", {"name": tool, "arguments": args}, "fs")


def made(*rules, narrow=None, **head):
    return Policy(policy(*rules, **head), policy(*narrow, default="allow") if narrow is not None else None)


def shape(in_force, tool="x", names=("a",), meta=(), pin="log", pins=None, modern=False):
    return Shape(in_force, tool, names, meta, Who("fs", "", "", "s"), ToolList(pins or Pins(), pin), modern)


def test_the_stricter_of_user_and_project_holds():
    assert made(ALLOW).decide(call(), "").action == "allow"
    assert made(ALLOW, narrow=[DENY]).decide(call(), "").action == "deny"
    assert made(DENY, narrow=[]).decide(call(), "").action == "deny"


def test_where_both_cut_both_cuts_are_made():
    first, second = Literal("a"), Literal("b")
    merged = both(
        Decision("redact", "r", "policy", "m", "1", (first,)), Decision("redact", "p", "policy", "", "2", (second,))
    )
    assert (merged.action, merged.rule, merged.revision, merged.cuts) == ("redact", "r", "1", (first, second))


def test_answers_are_judged_by_both():
    deny = {"action": "deny", "contains": ["bad"]}
    log = {"action": "log", "contains": ["bad"]}
    for rules, narrow, expected in [
        ([ALLOW], None, None), ([deny], None, "deny"), ([log], [deny], "deny"), ([ALLOW], [deny], "deny"),
        ([deny], [], "deny"),
    ]:  # fmt: skip
        decision = made(*rules, narrow=narrow).judge_answer(call(), {"text": "bad"}, "")
        assert (decision and decision.action) == expected


def test_only_in_one_world_and_without_expressions_does_a_call_repeat():
    assert made(ALLOW).repeats
    assert not made(ALLOW, needs=["cel"]).repeats
    assert not made(ALLOW, narrow=[DENY]).repeats
    rules = policy(ALLOW)
    assert Policy(rules, policy(DENY).in_world(rules.world)).repeats


def test_every_new_look_at_the_rules_directories_begins_an_epoch():
    for in_force in (made(ALLOW), made(ALLOW, narrow=[DENY])):
        before = in_force.epoch
        in_force.forget_links()
        assert in_force.epoch > before


def test_only_policies_with_contains_watch_answers():
    assert not made(ALLOW).watches_answers
    assert made({"action": "deny", "contains": ["x"]}).watches_answers
    assert made(ALLOW, narrow=[{"action": "deny", "contains": ["x"]}]).watches_answers


def test_a_tool_that_no_arguments_could_make_pass_is_hidden():
    assert made(DENY, ALLOW).hides(call())
    assert not made(DENY, ALLOW, hide_denied=False).hides(call())
    assert not made(ALLOW).hides(call())
    assert made(ALLOW, narrow=[DENY]).hides(call())


def test_links_are_forgotten_in_both():
    both_kinds = made(ALLOW, narrow=[DENY])
    both_kinds.forget_links()
    made(ALLOW).forget_links()
    assert both_kinds.decide(call(), "").action == "deny"


def test_unknown_methods_pass_by_name_only():
    assert not made(ALLOW).names("x/y")
    assert made(ALLOW, methods_allow=["x/*"]).names("x/y")
    assert not made(ALLOW, methods_allow=["x/*"]).names("y/x")


def test_how_a_denial_looks_is_told_per_server():
    in_force = made(deny_as="error", server_deny_as={"fs": "result"})
    assert [in_force.deny_as(server) for server in ("fs", "other")] == ["result", "error"]
    assert made().deny_as("fs") == "result"


def test_the_record_of_a_verdict_is_made_once():
    assert note_part(Decision("allow", "r\n", "policy", "", "v")) == (
        '"action":"allow","rule":"r\\n","kind":"policy","revision":"v"'
    )
    assert '"rule":null' in note_part(Decision("allow", None, "default", "", "v"))


def test_a_shape_is_unusable_where_one_argument_names_what_another_holds():
    assert not shape(made(ALLOW), names=("name", "value")).usable
    assert shape(made(ALLOW), names=("name", "path")).usable


def test_a_shape_is_usable_where_names_alone_allow():
    found = shape(made(ALLOW))
    assert (found.usable, found.noted) == (
        True,
        '"method":"tools/call","tool":"x","service":"fs","operation":"unknown","action":"allow","rule":"r1",'
        '"kind":"policy","revision":"rev"',
    )
    assert found.harmless("plain")
    assert not any(map(found.harmless, ("sk-abc", "x" * 200)))
    assert shape(made(ALLOW), meta=("progressToken", "a/b")).usable


@pytest.mark.parametrize(
    "found",
    [
        shape(None),
        shape(made(ALLOW), modern=True),
        shape(made(ALLOW, audit="full")),
        shape(made({"action": "deny", "contains": ["x"]}, ALLOW)),
        shape(made(DENY)),
        shape(made({"action": "prompt", "tool": ["**"]})),
        shape(made({"action": "allow", "args": [[["a"], ["etc*"]]]}, ALLOW)),
        shape(made(ALLOW, narrow=[{"action": "deny", "when": "x"}])),
        shape(made(ALLOW), names=("a", "A")),
        shape(made(ALLOW), names=("password",)),
        shape(made(ALLOW), names=("ghp_1234567890",)),
        shape(made(ALLOW), names=("n" * 200,)),
        shape(made(ALLOW), tool="t" * 200),
        shape(made(ALLOW), meta=(VERSION_KEY,)),
        shape(made(ALLOW), meta=(VERSION_KEY.upper(),)),
        shape(made(ALLOW), meta=("a", "A")),
        shape(made(ALLOW), names=tuple(f"n{at}" for at in range(21))),
        shape(made(ALLOW), pin="deny", pins=Pins({})),
        shape(made(default="deny")),
    ],
)
def test_a_shape_is_not_usable_where_anything_else_must_be_asked(found):
    assert (found.usable, found.noted, found.harmless) == (False, "", needs_no_mask)


def test_names_decide_by_both_policies_and_values_must_pass_both():
    watching = {"action": "deny", "args": [[["a"], ["*secret*"]]]}
    usable = shape(made(ALLOW, narrow=[watching, ALLOW]))
    assert usable.usable
    assert usable.passes(["plain"])
    assert not usable.passes(["a secret"])
    assert usable.passes([5])
    assert not usable.passes([[5]])
    assert not usable.passes([{}])
    assert not usable.passes(["password=x"])
    numbers = shape(made({"action": "deny", "args": [[["a"], ["5"]]]}, ALLOW))
    assert not numbers.passes([5])


def test_a_policy_is_ascii_if_both_of_its_parts_are():
    foreign = {"action": "deny", "tool": ["é"]}
    assert [made(ALLOW).is_ascii, made(ALLOW, narrow=[DENY]).is_ascii] == [True, True]
    assert [made(foreign).is_ascii, made(ALLOW, narrow=[foreign]).is_ascii] == [False, False]


def test_calls_that_a_guard_only_counts_have_an_open_shape():
    in_force = under_counter(Counter(), ALLOW)
    found = {tool: shape(in_force, tool) for tool in ("echo", "read", "query")}
    assert {tool: one.open for tool, one in found.items()} == {"echo": True, "read": True, "query": False}
    assert {tool: one.counted_by for tool, one in found.items()} == {
        "echo": None,
        "read": in_force.guards,
        "query": None,
    }
