"""Laws of every policy and every call, and a second evaluator that must agree on each decision.

MCPGOV_EXAMPLES raises the number of examples that are compared (10000).
"""

import json
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcpgov.core.json.values import parse
from mcpgov.core.rules.call import call_of
from mcpgov.core.rules.ruleset import RuleSet
from mcpgov.core.world import World
from mcpgov.guards.hooks import LazyHooks
from mcpgov.policy.build import build, read_layer
from tests.helpers import reference
from tests.helpers.reference_values import readings
from tests.helpers.strategies import dice

EXAMPLES = int(os.environ.get("MCPGOV_EXAMPLES", "10000"))
CALLS = 4  # asked of each policy: compiling costs more than deciding
MOST_READINGS = 60  # beyond 64 a deny assumes the worst
TODAY = "2026-06-15"
QUICK = settings(max_examples=200, deadline=None)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    path = tmp_path_factory.mktemp("policy") / "policy.toml"

    def compiled(listed, default, machine):
        path.write_text(toml(listed, default), "utf-8")
        text = build([read_layer(path)]).raise_errors().text
        return RuleSet(text, World(machine.links.get, machine.cwd, machine.home, machine.env), LazyHooks())

    return compiled


def toml(listed, default):
    lines = [f'default = "{default}"'] if default else []
    for rule in listed:
        lines.append("[[rule]]")
        lines += [f"{key} = {quoted(value)}" for key, value in rule.items() if key != "args"]
        lines += [f"args.{'.'.join(map(quoted, path))} = {quoted(wanted)}" for path, wanted in rule.get("args", [])]
    return "\n".join(lines) + "\n"


def quoted(value):
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def verdict(ruleset, text):
    request = parse(text)
    found = ruleset.decide(call_of(request["method"], request["params"], request["server"]), TODAY)
    return found.action, found.rule


def respelled(value, draw):
    """The same JSON value in other characters: escapes, blanks, another order of keys."""
    blank = draw(st.sampled_from(["", " ", "\n\t "]))
    if isinstance(value, dict):
        pairs = draw(st.permutations(list(value.items())))
        inner = [f"{respelled(key, draw)}{blank}:{blank}{respelled(item, draw)}" for key, item in pairs]
        return "{" + blank + f"{blank},{blank}".join(inner) + "}"
    if isinstance(value, list):
        return "[" + blank + ",".join(respelled(item, draw) for item in value) + blank + "]"
    if isinstance(value, reference.Number) or not isinstance(value, str):
        return value if isinstance(value, reference.Number) else json.dumps(value)
    escaped = [f"\\u{unit:04x}" for unit in units(value)]
    return '"' + "".join(escaped) + '"' if draw(st.booleans()) else json.dumps(value, ensure_ascii=draw(st.booleans()))


def units(text):
    raw = text.encode("utf-16-be", "surrogatepass")
    return [int.from_bytes(raw[at : at + 2], "big") for at in range(0, len(raw), 2)]


@QUICK
@given(dice())
def test_nothing_is_allowed_by_an_empty_policy(compiled, made):
    assert verdict(compiled([], "", made.machine()), made.request()) == ("deny", None)


@QUICK
@given(dice())
def test_a_deny_in_front_never_allows_more(compiled, made):
    (listed, default), machine = made.policy(), made.machine()
    front = {**made.rule("front"), "action": "deny"}
    before, after = compiled(listed, default, machine), compiled([front, *listed], default, machine)
    for text in made.some(made.request, 8):
        assert verdict(after, text) in (("deny", "front"), verdict(before, text))


@QUICK
@given(dice(), st.data())
def test_another_spelling_of_the_same_json_never_changes_a_verdict(compiled, made, data):
    ruleset, text = compiled(*made.policy(), made.machine()), made.request()
    assert verdict(ruleset, respelled(reference.load(text), data.draw)) == verdict(ruleset, text)


@settings(max_examples=EXAMPLES, deadline=None)
@given(dice())
def test_every_decision_is_that_of_the_reference(compiled, made):
    policy, machine = made.policy(), made.machine()
    ruleset = compiled(*policy, machine)
    for text in [made.request() for _ in range(CALLS)]:
        request = reference.load(text)
        if all(len(readings(each, machine)) <= MOST_READINGS for each in reference.all_text(request)):
            assert (text, *verdict(ruleset, text)) == (text, *reference.judge(*policy, request, machine, TODAY))
