"""Values: parts of a request, getters by type, caps."""

from math import inf, nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgov.guards.cel import CelRequest, prepare
from mcpgov.guards.cel_names import GETTERS, MAX_NODES, MAX_TEXT
from mcpgov.guards.cel_values import argument
from tests.helpers.expressions import JSON, Texted, ask, judge


@pytest.mark.parametrize(
    ("method", "params", "source"),
    [
        ("resources/read", {"uri": "file:///x"}, 'mcpRequest.ResourceRead.URI == "file:///x"'),
        ("resources/subscribe", {"uri": "u"}, 'mcpRequest.ResourceSubscribe.URI == "u"'),
        ("resources/unsubscribe", {"uri": "u"}, 'mcpRequest.ResourceUnsubscribe.uri == "u"'),
        (
            "prompts/get",
            {"name": "p", "arguments": {"k": "v"}},
            'mcpRequest.PromptGet.Name == "p" && mcpRequest.GetStringArgument("k", "") == args.k',
        ),
        (
            "initialize",
            {"protocolVersion": "1"},
            'mcpRequest.Initialize.ProtocolVersion == "1" && mcpRequest.Initialize.protocolVersion == "1"',
        ),
        ("sampling/createMessage", {"messages": []}, "mcpRequest.CreateMessage.Messages == []"),
        ("elicitation/create", {"message": "m"}, 'mcpRequest.Elicitation.Message == "m"'),
        ("completion/complete", {"ref": {"type": "t"}}, 'mcpRequest.Complete.Ref.type == "t"'),
        ("logging/setLevel", {"level": "debug"}, 'mcpRequest.SetLogLevel.Level == "debug"'),
        ("tools/list", {"cursor": "c"}, 'mcpRequest.Paginated.Cursor == "c"'),
        ("ping", {}, "mcpRequest.ToolCall == null && mcpRequest.Paginated == null"),
    ],
)
def test_each_method_fills_its_part_of_the_request(method: str, params: Any, source: str) -> None:
    assert ask(source, method, params) == "true"


def test_a_key_that_looks_like_a_go_name_never_stands_for_the_json_key() -> None:
    both = {"name": "rm", "Name": "ls", "arguments": {}}
    assert ask('mcpRequest.ToolCall.Name == "rm"', params=both) == "true"
    assert ask('mcpRequest.ToolCall.Name == "ls"', params={"Name": "ls", "arguments": {}}) == "error"


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("String", "x", "x"), ("String", 1, "default"), ("String", True, "default"),
        ("Int", 3, 3), ("Int", 3.9, 3), ("Int", -3.9, -3), ("Int", "12", 12), ("Int", "-1.5e1", -15),
        ("Int", Texted(1.5), 1), ("Int", True, "default"), ("Int", "x", "default"), ("Int", "nan", "default"),
        ("Int", inf, "default"), ("Int", nan, "default"), ("Int", 2**63, "default"),
        ("Int", -(2**63), -(2**63)), ("Int", [1], "default"), ("Int", " 1", "default"),
        ("Int", "9223372036854775807", 2**63 - 1), ("Int", "9223372036854775808", "default"),
        ("Int", "1" * 5000, "default"), ("Int", "1e400", "default"),
        ("Float", 3, 3.0), ("Float", "1.5", 1.5), ("Float", Texted(1.5), 1.5), ("Float", "inf", "default"),
        ("Float", "NaN", "default"), ("Float", False, "default"), ("Float", 10**400, "default"),
        ("Float", "1e400", "default"), ("Float", "٣", "default"), ("Float", {}, "default"),
        ("Bool", True, True), ("Bool", "true", True), ("Bool", "False", False), ("Bool", 0, False),
        ("Bool", 1, True),
        ("Bool", "0", False), ("Bool", "1", True), ("Bool", 1.0, True), ("Bool", 2, "default"),
        ("Bool", "yes", "default"), ("Bool", None, "default"), ("Bool", [], "default"),
    ],
)  # fmt: skip
def test_a_getter_reads_what_its_type_allows_and_else_gives_the_default(kind: str, value: Any, expected: Any) -> None:
    got = argument(kind, False, value, "default")
    assert (got, type(got)) == (expected, type(expected))


def test_a_list_getter_drops_items_of_the_wrong_type_and_takes_lists_only() -> None:
    mixed = ["a", 1, 2.7, "3", True, None, "false", {}]
    assert argument("String", True, mixed, []) == ["a", "3", "false"]
    assert argument("Int", True, mixed, []) == [1, 2, 3]
    assert argument("Float", True, mixed, []) == [1.0, 2.7, 3.0]
    assert argument("Bool", True, mixed, []) == [True, True, False]
    assert argument("Int", True, "1", [9]) == [9]


def test_every_getter_answers_in_both_spellings_and_defaults_when_absent() -> None:
    for name, (kind, many) in GETTERS.items():
        literal = {"String": '"d"', "Int": "4", "Float": "4.5", "Bool": "true"}[kind]
        default = f"[{literal}]" if many else literal
        assert ask(f'mcpRequest.{name}("absent", {default}) == {default}') == "true"
        assert ask(f'mcpRequest.{name}("k", {default}) == {default}', "ping", {}) == "true"
    assert ask('mcpRequest.getIntArgument("n", 0) + 1 == 6') == "true"


@given(st.sampled_from(["String", "Int", "Float", "Bool"]), st.booleans(), JSON)
def test_no_value_makes_a_getter_raise(kind: str, many: bool, value: Any) -> None:
    argument(kind, many, value, None)


def test_numbers_keep_their_value_up_to_64_bits_and_are_doubles_beyond() -> None:
    assert judge("args.n == 9007199254740993 && args.n != 9007199254740992", {"n": 2**53 + 1}) == "true"
    assert judge("args.n > 9223372036854775807", {"n": 2**63}) == "true"
    assert judge("args.n == 1e30 && args.m == 1.5", {"n": 10**30, "m": Texted(1.5)}) == "true"
    assert judge("args.n > 1", {"n": 10**5000}) == "error"


def test_a_lone_surrogate_reads_as_the_replacement_character() -> None:
    assert judge('args.t == "a\ufffd" && size(args.t) == 2', {"t": "a\ud800"}) == "true"
    alike = {chr(code): 1 for code in (0xD800, 0xD801)}
    assert judge("args.t == 1", {"t": 1, **alike}) == "error"


@pytest.mark.parametrize(
    "params",
    [None, {"arguments": {"t": "x" * (MAX_TEXT + 1)}}, {"a": [0] * MAX_NODES}, {"a": object()}],
)
def test_a_request_over_the_caps_or_not_json_is_an_error_each_time_it_is_asked(params: Any) -> None:
    request = CelRequest("tools/call", 1, params, "s", "c", "s", "read", {})
    assert [prepare("true").evaluate(request), prepare("true").evaluate(request)] == ["error", "error"]


def test_deep_nesting_is_an_error_in_the_request_and_in_parsed_text() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert judge("args.d == 1", {"d": deep}) == "error"
    assert judge("mcp.Parse(args.t) == null", {"t": "[" * 100_000}) == "error"
