"""Large calls judged part by part get the verdict of the whole, or none."""

import json

import pytest

from mcpgov.core.large import large_messages
from mcpgov.core.rules.call import call_of
from mcpgov.core.rules.ruleset import UNDECIDED, RuleSet
from mcpgov.core.world import World
from tests.helpers.compiled import FakeHooks, compiled_text, ruleset

FILLING = [f"name number {at}" for at in range(5000)]
DENY = {"action": "deny", "args": [[["*"], ["/keys/**"]]]}
ALLOW = {"action": "allow", "tool": ["**"]}


def verdict(args, *rules, tool="write_rows", **head):
    message = {"id": 1, "params": {"name": tool, "arguments": args}}
    found = large_messages.read(bytearray(json.dumps(message).encode()), judged=True)
    decided = ruleset(*rules, hooks=FakeHooks(), **head).decide(call_of("tools/call", found["params"], "s"))
    return decided.rule or decided.message


@pytest.mark.parametrize("at", [0, 2500, 5000])
def test_a_deny_is_found_in_whatever_part_its_value_stands(at):
    assert verdict({"items": [*FILLING[:at], "/keys/a", *FILLING[at:]]}, DENY, ALLOW) == "r1"
    assert verdict({"rows": [{"n": 1, "p": text} for text in [*FILLING[:at], "/keys/a"]] * 2}, DENY, ALLOW) == "r1"
    assert verdict({"content": json.dumps([*FILLING[:at], "/keys/a", *FILLING[at:]])}, DENY, ALLOW) == "r1"


def test_what_no_deny_sees_passes():
    assert verdict({"items": FILLING, "path": "x"}, DENY, ALLOW) == "r2"
    assert verdict({"content": "[" + "x" * 40_000}, DENY, ALLOW) == "r2"
    assert verdict({"content": "x" * 40_000}, DENY, ALLOW) == "r2"
    assert verdict({"a": [*FILLING, "y" * 40_000, {"k": "y" * 40_000}]}, DENY, ALLOW) == "r2"


@pytest.mark.parametrize(
    "rule",
    [
        {"action": "deny", "when": "false"},
        {"action": "deny", "args": [[["a"], ["x"]], [["items"], ["y"]]]},
        {"action": "allow", "args": [[["items"], ["name*"]]]},
        {"action": "allow", "paths": ["name*"]},
    ],
)
def test_a_rule_that_has_to_see_all_values_leaves_it_undecided(rule):
    assert verdict({"items": FILLING}, rule, ALLOW) == UNDECIDED


def test_a_value_that_changes_the_operation_leaves_it_undecided():
    rows = [*({"a": text} for text in FILLING), {"sql": "drop table x"}]
    assert verdict({"rows": rows}, {"action": "allow", "operation": ["write"]}) == UNDECIDED


def test_a_directory_and_a_name_far_apart_are_still_taken_together():
    protect = ["/home/u/.claude.json"]
    assert verdict({"items": ["/home/u", *FILLING, ".claude.json"]}, ALLOW, protect=protect) == "mcpgov:protect"
    assert verdict({"items": FILLING}, ALLOW, protect=protect) == "r1"
    many = [f"/home/u/{at}" for at in range(5000)]
    assert verdict({"items": many}, ALLOW, protect=protect) == UNDECIDED
    assert verdict({"items": FILLING}, ALLOW, tool="run_command", protect=protect) == UNDECIDED


@pytest.mark.parametrize("size", [1_000, 9_000, 15_000])
@pytest.mark.parametrize("front", ["", " " * 5000, "\ufeff"])
def test_json_in_a_text_of_any_length_is_judged(size, front):
    text = front + json.dumps({"p": "/keys/a", "pad": "x" * size})
    assert verdict({"items": [*FILLING, text, *FILLING]}, DENY, ALLOW) == "r1"
    assert verdict({"items": FILLING * 2, "blob": text}, DENY, ALLOW) == "r1"


@pytest.mark.parametrize("front", ["", " " * 5000, "\ufeff"])
def test_json_in_a_text_longer_than_a_window_is_judged(front):
    text = front + json.dumps([*FILLING, "/keys/a"], ensure_ascii=False)
    assert verdict({"items": FILLING, "blob": text}, DENY, ALLOW) == "r1"
    assert verdict({"items": [*FILLING * 9, text]}, DENY, ALLOW) == "r1"


PROTECT = ["/home/u/.claude.json"]


def nested(text, times):
    for _ in range(times):
        text = json.dumps([text])
    return text


def test_a_few_directories_are_put_to_every_part_and_the_call_may_pass():
    assert verdict({"items": ["/home/u", *FILLING]}, ALLOW, protect=PROTECT) == "r1"
    assert verdict({"items": ["https://x/y", *FILLING]}, ALLOW, tool="read_pages", protect=PROTECT) == "r1"


def test_the_content_of_a_file_does_not_change_the_operation():
    content = json.dumps([*({"a": text} for text in FILLING), {"sql": "drop table x"}])
    rule = {"action": "allow", "operation": ["write"]}
    assert verdict({"path": "x", "content": content}, rule, tool="write_file") == "r1"
    assert verdict({"path": "x", "body": content}, rule, tool="write_file") == UNDECIDED


def test_brackets_without_values_are_nothing_to_judge():
    assert verdict({"items": [[] for _ in range(20_000)] + FILLING}, DENY, ALLOW) == "r2"


@pytest.mark.parametrize(
    "args",
    [
        {"blob": json.dumps([*FILLING, "z" * 40_000])},
        {"items": [*FILLING, nested("x", 6)]},
        {"rows": [*({"tool": "bash", "n": text} for text in FILLING)]},
    ],
)
def test_what_cannot_be_judged_part_by_part_is_undecided(args):
    assert verdict(args, ALLOW, protect=PROTECT) == UNDECIDED


def test_a_text_with_too_many_spellings_is_put_to_every_part():
    env = {"X": "$X" * 8}
    assert verdict({"items": ["a$X", *FILLING]}, ALLOW, protect=PROTECT, env=env) == "mcpgov:protect"


def test_plain_names_of_no_file_concern_no_other_part():
    text = compiled_text([ALLOW], protect=PROTECT)
    rules = RuleSet(text, World(lambda path: "", "/work", "/home/u", {}, absent=lambda name: True), FakeHooks())
    message = {"id": 1, "params": {"name": "write_rows", "arguments": {"items": FILLING}}}
    params = large_messages.read(bytearray(json.dumps(message).encode()), judged=True)["params"]
    assert rules.decide(call_of("tools/call", params, "s")).rule == "r1"
