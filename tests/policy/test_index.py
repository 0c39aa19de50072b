"""The index only saves work: with it every call meets the same rules as without."""

import itertools

import pytest

from mcpgov.core.rules.call import call_of
from mcpgov.core.rules.path_matching import Reader
from mcpgov.core.rules.rule import Setting
from mcpgov.policy.index import make_index
from tests.helpers.policies import policy

GLOBS = [
    "a", "b_*", "*_b", "*", "**", "?", "a?b", "*a*", "*ab?a*", "b_*_a", "b_a*", "ab**", "**ab",
    ["a", "ab"], ["*_b", "b"],
]  # fmt: skip
TOOLS = ["", *("".join(letters) for size in (1, 2, 3) for letters in itertools.product("ab_/", repeat=size))]


def test_an_indexed_rule_is_found_by_every_name_it_matches(tmp_path):
    lists = [[glob] if isinstance(glob, str) else glob for glob in GLOBS]
    text = "".join(f'[[rule]]\naction = "deny"\ntool = {globs}\nargs.never = "x"\n' for globs in lists)
    rules = policy(tmp_path, text + '[[rule]]\naction = "deny"\nserver = "fs"\n').rules
    setting = Setting(Reader(rules.world), "", "fs")
    for tool in TOOLS:
        call = call_of("tools/call", {"name": tool}, "fs")
        expected = [rule.id for rule in rules if not rule.static_mismatch(call, setting)]
        assert [rule.id for rule in rules.candidates(call, setting)] == expected


def test_shelves_hold_offsets_a_lone_one_as_a_number(tmp_path):
    tools = [["a"], ["a", "b_*"], ["*_c"], ["?"], ["*mid?d*"], None]
    matchers = [f"tool = {globs}" if globs else 'server = "x"' for globs in tools]
    drafts = policy(tmp_path, "".join(f'[[rule]]\naction = "log"\n{each}\n' for each in matchers)).compiled.drafts
    assert make_index(drafts, ["12", "345", "6", "7", "8", "9"]) == {
        "exact": {"a": [0, 4]},
        "prefix": {"b_": 4},
        "prefix_sizes": [2],
        "suffix": {"_c": 9},
        "suffix_sizes": [2],
        "inner": {"mid": 15},
        "wild": [12],
        "untooled": [18],
    }


@pytest.mark.parametrize("method", ["prompts/get", "resources/read"])
def test_a_call_without_a_tool_meets_only_rules_without_one(tmp_path, method):
    rules = policy(tmp_path, '[[rule]]\naction="deny"\ntool="**"\n[[rule]]\nname="m"\naction="log"\nserver="fs"\n')
    assert rules.ask(method, {"name": "p", "uri": "a:b"}) == ("log", "m")
