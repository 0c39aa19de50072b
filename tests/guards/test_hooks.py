"""Hooks: core reaches expressions and patterns, and nothing is loaded before it is asked for."""

import subprocess
import sys
from pathlib import Path

import pytest

from mcpgov.core.rules.call import call_of
from mcpgov.core.session.session import Policy
from mcpgov.guards import hooks
from mcpgov.guards.hooks import LazyHooks
from tests.helpers.compiled import world
from tests.helpers.playbook import ALLOW_ALL, Forward, Playbook, call, client, policy, request


def test_an_expression_sees_call_service_and_operation():
    verdict = LazyHooks().when('service == "gh" && operation == "read" && args.a == 1 && server == "s"')
    call = call_of("tools/call", {"name": "t", "arguments": {"a": 1}}, server="s")
    assert verdict(call, "gh", "read") == "true"
    assert verdict(call, "gh", "write") == "false"


def test_an_expression_on_a_request_without_arguments_sees_none():
    assert LazyHooks().when("size(args) == 0")(call_of("ping", {}), "", "") == "true"


def test_two_expressions_of_one_call_share_its_converted_values():
    lazy = LazyHooks()
    call = call_of("tools/call", {"name": "t", "arguments": {"a": 1}})
    first, second = lazy.when("args.a == 1"), lazy.when("args.a == 2")
    assert (first(call, "s", "read"), second(call, "s", "read")) == ("true", "false")
    kept = lazy._last
    assert first(call, "s", "read") == "true"
    assert lazy._last is kept


def test_a_pattern_searches():
    pattern = LazyHooks().pattern("(?i)ignore .* instructions")
    assert pattern.search("please IGNORE all instructions")
    assert not pattern.search("nothing")


def test_importing_the_hooks_loads_neither_library():
    code = "import sys, mcpgov.guards.hooks; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {"re2", "mcpgov.guards.cel", "mcpgov.guards.patterns"} & set(done.stdout.split()) == set()


# --- guards


def test_a_policy_loads_the_guards_that_its_head_needs(monkeypatch):
    monkeypatch.setitem(hooks.GUARDS, "quota", "tests.helpers.small_guard")
    talk = Playbook(ALLOW_ALL, hooks=LazyHooks(), needs=["cel", "quota"], quota=2, deny_as="error")
    talk >> client(call(1)) << Forward(call(1))
    talk >> client(call(2)) << Forward(call(2))
    talk >> client(call(3))
    assert talk.reply["error"]["message"].startswith("Blocked by mcpgov policy: the quota is used up")


def test_user_and_project_share_one_guard(monkeypatch):
    monkeypatch.setitem(hooks.GUARDS, "quota", "tests.helpers.small_guard")
    own, project = (policy(ALLOW_ALL, hooks=LazyHooks(), needs=["quota"], quota=most) for most in (5, 1))
    talk = Playbook(none=True)
    talk.session.policy = Policy(own, project)
    talk >> client(call(1)) << Forward(call(1))
    talk >> client(call(2))
    assert talk.reply["result"]["isError"] is True


def test_guards_stand_in_the_order_of_their_table(monkeypatch):
    for name in ("b", "a"):
        monkeypatch.setitem(hooks.GUARDS, name, "tests.helpers.small_guard")
    made = LazyHooks().guards(["a", "b"], [{"quota": 1}], world())
    assert [type(guard).__name__ for guard in made._guards] == ["Quota", "Quota"]


@pytest.mark.parametrize(
    ("module", "why"), [("", "this version has none"), ("tests.helpers.no_such_guard", "ModuleNotFoundError")]
)
def test_a_guard_that_cannot_be_loaded_denies_and_the_session_goes_on(monkeypatch, module, why):
    if module:
        monkeypatch.setitem(hooks.GUARDS, "quota", module)
    talk = Playbook(ALLOW_ALL, hooks=LazyHooks(), needs=["quota"], deny_as="error") >> client(call(1))
    assert f"the guard `quota` cannot be loaded: {why}" in talk.reply["error"]["message"]
    talk >> client(request(2, "ping")) << Forward(request(2, "ping"))


def test_a_policy_that_needs_no_guard_loads_none():
    code = (
        "import sys; sys.path.insert(0, '.');"
        "from tests.helpers.compiled import ruleset; from mcpgov.core.session.session import Policy;"
        "from mcpgov.guards.hooks import LazyHooks;"
        "Policy(ruleset({'action': 'allow', 'tool': ['**']}, hooks=LazyHooks(), needs=['re', 'cel', 'contains']));"
        "print(*sys.modules)"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert {"mcpgov.core.session.guard", "mcpgov.core.approvals.held_requests"} & set(done.stdout.split()) == set()
