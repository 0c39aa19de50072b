"""What is done to a finding: rules, kinds, layers."""

import pytest

from mcpgov.core.rules.call import call_of
from mcpgov.guards.screening.rows import PrivacyLayer, Treatment, layers_of
from tests.helpers.compiled import NoHooks, world


def layer(patterns=None, **data):
    return PrivacyLayer({"name": "privacy", **data}, patterns or {}, "/home/u", NoHooks())


def rule(name, match, **more):
    return {"name": name, "match": match, **more}


def tool(name, **more):
    return call_of("tools/call", {"name": name, "arguments": more.pop("args", {})}, "crm", "cursor", "/home/u/x")


def done(layers, call, kind, direction="params", value="v", **more):
    return Treatment(layers, call, direction, world(), **more).of(kind, value)


def test_the_first_rule_that_names_direction_and_kind_decides():
    one = layer(
        params="deny",
        results="redact",
        rules=[
            rule("a", {"tool": ["x*"]}, kinds=["email"], results="log"),
            rule("b", {"server": ["crm"]}, params="off"),
            rule("c", {"method": ["notifications/message"]}, results="deny"),
        ],
    )
    assert done([one], tool("xy"), "email", "results") == ("log", "a")
    assert done([one], tool("xy"), "ssn", "results") == ("redact", "privacy")
    assert done([one], tool("y"), "email", "results") == ("redact", "privacy")
    assert done([one], tool("y"), "email") == ("off", "b") or done([one], tool("y"), "email") == ("off", "")
    message = call_of("notifications/message", {}, "crm")
    assert done([one], message, "email", "results") == ("deny", "c")
    assert done([one], call_of("ping", {}, "other"), "email") == ("deny", "privacy")


@pytest.mark.parametrize(
    ("match", "matches"),
    [
        ({"client": ["cursor"]}, True),
        ({"client": ["vim"]}, False),
        ({"project": ["/home/u/**"]}, True),
        ({"project": ["/srv/**"]}, False),
        ({"operation": ["read"]}, True),
        ({"operation": ["delete"]}, False),
    ],
)
def test_every_matcher_counts(match, matches):
    one = layer(rules=[rule("a", match, params="deny")])
    assert done([one], tool("read_file"), "email") == (("deny", "a") if matches else ("off", ""))


def test_a_call_of_several_operations_is_let_pass_only_as_all_of_them():
    call = tool("delete_rows", args={"command": "ls"})
    assert len({call.operation, *call.other_operations}) > 1
    for mode, expected in (("deny", ("deny", "a")), ("log", ("off", ""))):
        one = layer(rules=[rule("a", {"operation": ["delete"]}, params=mode)])
        assert done([one], call, "email") == expected


def test_the_strictest_of_the_layers_holds_and_allowed_values_are_each_layer_s_own():
    log, cut = layer(params="log"), layer(params="redact", allow=["*@x.com"])
    assert done([log, cut], tool("a"), "email", value="B@X.com") == ("log", "privacy")
    assert done([log, cut], tool("a"), "email", value="b@y.com") == ("redact", "privacy")
    assert done([layer(params="deny")], tool("a"), "email", softened=True) == ("redact", "privacy")


def test_patterns_are_always_looked_for_and_two_of_one_name_are_two_kinds():
    heads = [
        {"privacy": [{"name": "m", "kinds": ["ssn"], "params": "deny", "patterns": {"emp": "re:a"}}]},
        {"privacy": [{"name": "u", "params": "log", "patterns": {"emp": "re:b", "same": "re:c"}}]},
        {"privacy": [{"name": "w", "params": "log", "kinds": ["emp"], "patterns": {"emp": "re:a"}}]},
        {},
    ]
    layers, texts = layers_of(heads, "/home/u", NoHooks())
    assert texts == {"emp": "re:a", "emp_2": "re:b", "same": "re:c"}
    assert layers[0].kinds == {"ssn", "emp"}
    assert {"emp_2", "same", "email"} <= layers[1].kinds
    assert "emp" not in layers[1].kinds
    assert layers[2].kinds == {"emp"}


def test_what_is_off_everywhere_is_not_looked_for():
    assert layer(params="off").kinds == frozenset()
    one = layer(rules=[rule("a", {"tool": ["x"]}, kinds=["email"], results="log")])
    assert one.kinds == {"email"}
    assert (one.uses_operation, one.restore) == (False, None)
    assert layer(rules=[rule("a", {"operation": ["read"]}, params="log")], restore=True).uses_operation
