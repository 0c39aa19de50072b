"""Getters are checked when a policy loads."""

import pytest

from mcpgov.guards.cel_names import CelError
from mcpgov.guards.cel_source import CelSource
from mcpgov.guards.cel_types import type_of
from tests.helpers.expressions import broken, judge

GETTERS = [
    ("String", '""', "0", 'a string such as "", not an int'),
    ("Int", "0", "0.0", "an int such as 0, not a double"),
    ("Float", "0.0", "0", "a double such as 0.0, not an int"),
    ("Bool", "false", '"false"', "a bool such as false, not a string"),
    ("StringSlice", "[]", '""', "a list of strings, not a string"),
    ("IntSlice", "[0]", '["0"]', "a list of ints, not a list of strings"),
    ("FloatSlice", "[0.0, 1.5]", "[0]", "a list of doubles, not a list of ints"),
    ("BoolSlice", "[true]", "[1.5]", "a list of bools, not a list of doubles"),
]


@pytest.mark.parametrize("get", ["Get", "get"])
@pytest.mark.parametrize(("kind", "right", "wrong", "told"), GETTERS)
def test_the_default_of_a_getter_is_of_its_type(get, kind, right, wrong, told):
    name = f"{get}{kind}Argument"
    assert judge(f'mcpRequest.{name}("none", {right}) == {right}', {}) == "true"
    assert broken(f'mcpRequest.{name}("k", {wrong}) == {right}').endswith(f": the default of `{name}` must be {told}")


@pytest.mark.parametrize(
    ("key", "told"),
    [
        ("1", "an int"),
        ("1u", "a uint"),
        ("-1.5", "a double"),
        ("true", "a bool"),
        ("null", "null"),
        ("[]", "an empty list"),
        ('["k"]', "a list of strings"),
        ('["k", 1]', "a list"),
        ('{"k": 1}', "a map"),
        ('b"k"', "a bytes"),
        ("args", "a map"),
        ("mcpRequest", "an MCPRequest"),
        ("size(args.k)", "an int"),
        ('server == "k"', "a bool"),
        ("!args.k", "a bool"),
        ("1 + 2", "an int"),
        ("(args.k ? 1 : 2)", "an int"),
        ('mcpRequest.GetIntArgument("k", 0)', "an int"),
        ("args.l.exists(x, x == 1)", "a bool"),
        ("0x1F", "an int"),
        ("1e5", "a double"),
        ('duration("1s")', "a duration"),
    ],
)
def test_the_key_of_a_getter_is_a_string(key, told):
    assert broken(f'mcpRequest.GetStringArgument({key}, "") == ""') == (
        f"line 1, column 30: the key of `GetStringArgument` must be a string, not {told}"
    )


@pytest.mark.parametrize(
    "key",
    ['"k"', "'k'", 'r"k"', "args.k", 'args["k"]', "server", "mcpRequest.Method", "mcp.ToolsCallMethod", '"a" + "b"',
     "string(1)", '("k")', '(1 == 1 ? "k" : "l")', 'args.k + "x"', "dyn(1)", 'mcpRequest.GetStringArgument("k", "")',
     "mcpRequest.ToolCall.Name", '(args.k ? 1 : "x")', '"""k"""'],
)  # fmt: skip
def test_what_is_or_may_be_a_string_is_a_key(key):
    judge(f'mcpRequest.GetStringArgument({key}, "") == ""', {"k": "k"})


@pytest.mark.parametrize(
    "receiver", ["mcpRequest", "(mcpRequest)", "mcp.Parse(args.t)", "(mcp.Parse(args.t))",
                 "(server == \"x\" ? mcpRequest : mcp.Parse(args.t))"],
)  # fmt: skip
def test_a_getter_is_asked_of_a_request(receiver):
    text = '{"method": "tools/call", "params": {"name": "t", "arguments": {"k": "v"}}}'
    assert judge(f'{receiver}.GetStringArgument("k", "") == "v"', {"t": text, "k": "v"}) == "true"


@pytest.mark.parametrize(
    "receiver",
    ["args", "args.n", "args.mcpRequest", "server", '"x"', "mcpRequest.ToolCall", "mcpRequest.ToolCall.Arguments",
     "[1]", "{}", "string(1)", "args[mcpRequest.Method]", "(args)", "args.Parse(server)", "(true ? mcpRequest : args)"],
)  # fmt: skip
def test_a_getter_of_anything_else_is_refused(receiver):
    assert broken(f'{receiver}.GetStringArgument("k", "") == ""').endswith(
        "`GetStringArgument` is asked of `mcpRequest` or of `mcp.Parse(…)`"
    )


@pytest.mark.parametrize(
    "source",
    ['GetStringArgument("k", "") == ""', '[args].exists(r, r.GetStringArgument("k", "") == "")',
     'true && GetStringArgument("k", "") == ""'],
)  # fmt: skip
def test_a_getter_of_nothing_or_of_an_element_is_refused(source):
    assert "is asked of `mcpRequest`" in broken(source)


@pytest.mark.parametrize(
    ("given", "told"), [("", "0 values"), ('"k"', "1 value"), ('"k", "", 1', "3 values"), ('["k", ""]', "1 value")]
)
def test_a_getter_needs_two_values(given, told):
    assert broken(f'mcpRequest.GetStringArgument({given}) == ""') == (
        f"line 1, column 12: `GetStringArgument` needs a key and a default, not {told}"
    )


def test_the_line_in_a_long_expression_is_told():
    source = 'true &&\n  server == "x" &&\n  mcpRequest.GetIntArgument("k", "x") == 1'
    assert broken(source).startswith("line 3, column 34: the default of `GetIntArgument`")


@pytest.mark.parametrize(
    ("source", "expected"),
    [("args.a + 1", "any"), ("1 - 2", "int"), ("-1", "int"), ("1.5 * 2.0", "double"), ("[]", "list()"),
     (".5", "double"), ("'a' + 'b'", "string"), ("-args.a", "any"), ("args.l.filter(x, x == 1)", "any"),
     ("true ? 1 : 2", "int"), ("1 in [1]", "bool"), ("[1, 2][0]", "any")],
)  # fmt: skip
def test_types_are_told_as_far_as_the_text_tells(source, expected):
    parsed = CelSource(source)
    assert type_of(parsed, 0, len(parsed.tokens)) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('mcpRequest.ToolCall.Naem == "x"', "line 1, column 21: unknown field `Naem`, did you mean `Name`?"),
        ("has(mcpRequest.ToolCall.Xyzzy)", "line 1, column 25: unknown field `Xyzzy`"),
        ('mcpRequest.Initialize\n.ClientInfo.Nmae == "x"', "line 2, column 13: unknown field `Nmae`, did you mean"),
        ('mcpRequest.Initialize.clientInfo.Nmae == "x"', "unknown field `Nmae`"),
    ],
)
def test_a_go_field_that_its_struct_does_not_have_is_refused_with_its_line(text, message):
    with pytest.raises(CelError) as error:
        CelSource(text)
    assert message in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        'mcpRequest.ToolCall.Arguments.Naem == "x"', 'mcpRequest.ToolCall.naem == "x"',
        'mcpRequest.ToolCall.Name.contains("x")', "mcpRequest.ToolCall.Meta.ProgressToken == 1",
        'mcpRequest.CreateMessage.Messages[0].Whatever == "x"', 'args.mcpRequest.ToolCall.Naem == "x"',
        'mcpRequest["ToolCall"].Naem == "x"',
    ],
)  # fmt: skip
def test_keys_that_users_fill_in_and_json_keys_may_be_any(text):
    CelSource(text)


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("1", "an int"),
        ('"deny"', "a string"),
        ("mcpRequest", "an MCPRequest"),
        ("[true]", "a list of bools"),
        ("server", "a string"),
        ('mcpRequest.GetStringArgument("k", "")', "a string"),
        ("null", "null"),
    ],
)
def test_a_condition_that_is_neither_true_nor_false_is_an_error_at_load(source, told):
    assert broken(source).endswith(f"a condition must be true or false, not {told}")


def test_a_condition_whose_type_only_the_call_tells_loads():
    assert judge("args.ready", {"ready": True}) == "true"
    assert judge("true ? args.ready : false", {"ready": True}) == "true"
