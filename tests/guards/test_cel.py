"""Expressions: what they say of a request, and what nobody can make them do."""

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcpgov.guards.cel import CelRequest, prepare
from tests.helpers.expressions import JSON, ask, judge


@pytest.mark.parametrize(
    "source",
    [
        'mcpRequest.Method == mcp.ToolsCallMethod && mcpRequest.ToolCall.Name == "shell" '
        '&& mcpRequest.GetStringArgument("command", "") in ["kubectl", "docker"]',
        'server == "hub" && client == "claude-code" && service == "github" && operation == "read"',
        "mcpRequest.ID == 7 && args.n == 5 && args.n == 5.0 && args.n < 5.5",
        'args.command.startsWith("d") && args.command.endsWith("r") && args.command.contains("ock")',
        "has(args.command) && !has(args.absent) && args.none == null",
        "has(mcpRequest.ToolCall) && !has(mcpRequest.ResourceRead) && has(mcpRequest.ToolCall.Name)",
        'args.l.all(x, x != "c") && args.l.exists(x, x == "b") && args.l.exists_one(x, x == "a")',
        'args.l.map(x, x + "!") == ["a!", "b!"] && args.l.filter(x, x > "a") == ["b"]',
        'args.l.map(x, x == "a", x + x) == ["aa"] && args.l.all(x, args.l.exists(y, x == y))',
        '"n" in args && !("z" in args) && size(args.l) == 2 && args.l.size() == 2',
        'size("é😀") == 2 && size(b"\\xff") == 1 && size({}) == 0',
        'args.command.matches("^d.*r$") && matches(args.command, "ock") && r"\\d" == "\\\\d"',
        'mcpRequest["ToolCall"].Name == "shell" && mcpRequest.ToolCall["Name"] == "shell"',
        'args.n > 3 ? args.n < 9 : "no"',
        "-9223372036854775808 < 0 && 0x10 == 16 && 1u == 1 && .5 < 1e3 // a remark",
        "'''a\"\n''' == \"a\\\"\\n\" && '\\'' == \"'\" && br'x' == b'x'",
        "[1, 2].map(size, size) == [1, 2]",
        '{"mcp": 1}.mcp == 1 && {"size": 2}.size == 2 && [1].existsOne(x, true)',
        'mcpRequest.ToolCall == mcpRequest["ToolCall"] && mcpRequest.ToolCall.name == "shell"',
        "timestamp('2026-01-02T00:00:00Z').getFullYear() == 2026 && duration('1h') == duration('60m')",
        "!(args.n == 6) && !args.l.exists(x, x == 'z') && (((true)))",
    ],
)
def test_the_language_works_as_the_policy_documents_it(source: str) -> None:
    assert ask(source) == "true"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('mcpRequest.ToolCall.Name == "x"', "null"),
        ('mcpRequest.ToolCall["Name"] == "x"', "null"),
        ('!(mcpRequest.ToolCall.Name == "x")', "null"),
        ('mcpRequest.ToolCall != null && mcpRequest.ToolCall.Name == "x"', "false"),
        ('mcpRequest.ToolCall.Name == "x" && mcpRequest.ToolCall != null', "false"),
        ('mcpRequest.ToolCall == null || mcpRequest.ToolCall.Name == "x"', "true"),
        ('mcpRequest.ToolCall.Name == "x" || true', "true"),
        ('mcpRequest.ToolCall.Name == "x" || false', "null"),
        ('mcpRequest.ToolCall.Name == "x" && true', "null"),
        ('mcpRequest.ToolCall.Name == "x" ? true : true', "null"),
        ('mcpRequest.ToolCall != null ? mcpRequest.ToolCall.Name == "x" : false', "false"),
        ('["a", "b"].exists(n, mcpRequest.ToolCall.Name == n)', "null"),
        ('mcpRequest.ToolCall.Arguments.l.exists(n, n == "a" && n != "b")', "null"),
    ],
)
def test_a_read_through_an_absent_part_is_null_unless_logic_absorbs_it(source: str, expected: str) -> None:
    assert ask(source, "resources/read", {"uri": "u"}) == expected


@pytest.mark.parametrize(
    "source",
    [
        # the null read beside it must not hide a failure that a caller can provoke with bad arguments
        'mcpRequest.PromptGet.Name == "x" || args.n > "5"',
        'args.n > "5" || mcpRequest.PromptGet.Name == "x"',
        'mcpRequest.PromptGet.Name == "x" && args.absent == 1',
        'args.absent ? true : mcpRequest.PromptGet.Name == "x"',
        '[args.n > "5" || mcpRequest.PromptGet.Name == "x"] == [true]',
        # another element could still decide these
        'args.l.exists(x, x == "b" || mcpRequest.PromptGet.Name == x)',
        "[[1], []].exists(x, x.all(y, mcpRequest.PromptGet.Name == y))",
        # absent or null arguments are the caller's choice, not the method's
        "args.absent == 1",
        "args.none.x == 1",
        "mcpRequest.ToolCall.Arguments.absent == 1",
        "mcpRequest.ToolCall.Arguments.none.x == 1",
        "args[args.command] == 1",
        # a part that was not named in the reading is plain null
        '(mcpRequest.PromptGet).Name == "x"',
        'mcpRequest["PromptGet"].Name == "x"',
    ],
)
def test_null_is_said_only_where_the_null_read_alone_was_the_failure(source: str) -> None:
    assert ask(source) == "error"


ATOMS = {
    "true": "args.n == 5",
    "false": "args.n == 6",
    "null": "mcpRequest.PromptGet.Name == 'x'",
    "error": "args.n > 'x'",
}


def joined(parts: Any) -> tuple[str, str]:
    """What the joined expression means, told apart from how it is evaluated."""
    sign, (a, left), (b, right), (c, last) = parts
    turned = {"true": "false", "false": "true"}
    if sign == "!":
        return turned.get(a, a), f"!({left})"
    if sign == "?":
        return {"true": b, "false": c}.get(a, a), f"({left}) ? ({right}) : ({last})"
    order = ["true", "error", "null", "false"] if sign == "||" else ["false", "error", "null", "true"]
    return min(a, b, key=order.index), f"({left}) {sign} ({right})"


LOGIC = st.recursive(
    st.sampled_from(list(ATOMS.items())),
    lambda inner: st.tuples(st.sampled_from(["!", "&&", "||", "?"]), inner, inner, inner).map(joined),
    max_leaves=8,
)


@given(LOGIC)
def test_logic_weighs_true_and_false_then_error_then_null_whatever_the_order(case: tuple[str, str]) -> None:
    expected, source = case
    assert ask(source) == expected


def test_a_call_without_arguments_reads_as_one_with_none_so_a_deny_still_matches() -> None:
    for params in ({"name": "x"}, {"name": "x", "arguments": None}):
        assert ask('mcpRequest.ToolCall.Arguments.mode == "safe"', params=params) == "error"
        assert ask("mcpRequest.ToolCall.Arguments == {}", params=params) == "true"


@pytest.mark.parametrize(
    "source",
    [
        "args.n",
        "args.command && true",
        "1 / 0 == 1",
        'args.n < "a"',
        "args.l[9] == 1",
        "args.l[-1] == 'b'",
        "9223372036854775807 + args.n > 0",
        "size(args.n) == 1",
        "args.command.size(1) == 1",
        'args.n.matches("x")',
        'matches("x") || false',
        "args.command.matches(args.command + '(')",
        "args.command.matches(args.command, args.command)",
        'mcp.Parse("{") == null',
        'mcp.Parse("[]") == null',
        "mcp.Parse(args.n) == null",
        'mcp.Parse("{\\"method\\": \\"tools/call\\", \\"params\\": [1]}") == null',
        'mcpRequest.GetStringArgument(args.n, "") == ""',
        "Thing{a: 1} == 1",
        "args.l.exists(x, true) && x",
        "args.l.exists(x, 1 / 0 == 1 || x == 'b')",
    ],
)
def test_whatever_else_fails_is_an_error(source: str) -> None:
    assert ask(f"args.l.exists(x, true) && ({source})" if source.endswith("&& x") else source) == "error"


def test_an_error_or_a_null_is_absorbed_on_either_side_as_the_language_says() -> None:
    assert ask("1 / 0 == 1 || args.n == 5") == "true"
    assert ask("args.n == 6 && 1 / 0 == 1") == "false"
    assert ask("1 / 0 == 1 && args.n == 6") == "false"


def test_a_failed_function_inside_a_term_is_not_absorbed_there() -> None:
    assert ask('[mcp.Parse("{") == null || true] == [true]') == "error"


def test_parse_gives_a_request_of_the_text() -> None:
    text = json.dumps({"method": "tools/call", "id": 1, "params": {"name": "q", "arguments": {"k": ["1", "x"]}}})
    assert judge('mcp.Parse(args.t).ToolCall.Name == "q" && mcp.Parse(args.t).ID == 1', {"t": text}) == "true"
    assert judge('mcp.Parse(args.t).getIntSliceArgument("k", []) == [1]', {"t": text}) == "true"
    assert judge("mcp.Parse(args.t).ResourceRead == null", {"t": text}) == "true"
    assert judge('mcp.Parse(args.t).GetStringArgument("k", "d") == "d"', {"t": '{"method": "ping"}'}) == "true"


PROBES = [
    prepare(source)
    for source in (
        'args.k == "x" || mcpRequest.ToolCall.Name == "t"',
        "args.k.x.y > 1 && args.k[0] < 2",
        'mcpRequest.GetIntArgument("k", 0) > 1 || mcpRequest.GetFloatSliceArgument("k", []).size() > 1',
        "args.k.exists(x, x == 1) || args.k.map(x, x + x).size() == 2 || args.k.matches(args.k)",
        "mcp.Parse(string(args.k)).Method == '' || size(args.k) > 2 || mcpRequest.ResourceRead.URI == args.k",
    )
]


@given(JSON, st.sampled_from(["tools/call", "resources/read", "ping"]))
@settings(max_examples=200)
def test_no_json_makes_an_evaluation_raise(value: Any, method: str) -> None:
    params: dict[str, Any] = {"name": "t", "arguments": {"k": value}}
    request = CelRequest(method, value, params, "s", "c", "s", "read", params["arguments"])
    assert {probe.evaluate(request) for probe in PROBES} <= {"true", "false", "null", "error"}


def test_a_failing_function_writes_nothing_to_standard_error(capfd: pytest.CaptureFixture[str]) -> None:
    assert judge("mcp.Parse(args.t) == null || args.t.matches(args.t)", {"t": "("}) == "error"
    assert capfd.readouterr() == ("", "")


def test_one_request_serves_many_expressions_and_params_need_not_hold_the_arguments() -> None:
    request = CelRequest("tools/call", None, {"name": "t"}, "s", "c", "s", "read", {"a": 1})
    assert [prepare(s).evaluate(request) for s in ("args.a == 1", "args.a == 2", "args.a > 0")] == [
        "true", "false", "true",
    ]  # fmt: skip


LONG = list(range(20_000))


TEXT = "x" * 900_000


@pytest.mark.parametrize(
    ("source", "args"),
    [
        ("args.l.all(x, args.l.all(y, x + y >= 0))", {"l": LONG}),
        ("args.l.exists(x, args.l.exists(y, args.s.contains('q')))", {"l": LONG, "s": TEXT}),
        ("args.l.map(x, args.l.map(y, y)).size() == 1", {"l": LONG}),
        ("args.l.map(x, args.s + 'a').size() == 1", {"l": LONG, "s": TEXT}),
        ("[args.s].map(x, x + x + x + x).map(x, x + x + x + x) == []", {"s": TEXT}),
        ("args.l.exists(x, " + " + ".join(["args.s"] * 33) + " == 'x')", {"l": LONG, "s": TEXT}),
        ("args.l.map(x, args.l).exists(y, args.l.map(z, y) == args.l)", {"l": LONG}),
        ("args.l.exists(p, args.s.matches(p))", {"l": [f"(x{{1,{n}}})*y" for n in range(1, 900)], "s": TEXT}),
        (
            "args.l.all(x, mcp.Parse(args.s).Method == 'x')",
            {"l": LONG, "s": '{"method":"x","a":"' + TEXT + '"}'},
        ),
    ],
)
def test_a_hostile_evaluation_ends_soon_as_an_error(source: str, args: dict[str, Any]) -> None:
    expression = prepare(source)
    before = time.thread_time()
    assert expression.evaluate(CelRequest("x", 1, {}, "s", "c", "s", "read", args)) == "error"
    assert time.thread_time() - before < 3


def test_a_modest_map_of_a_modest_list_is_no_error() -> None:
    assert judge("args.l.map(x, x + 1).size() == 500", {"l": LONG[:500]}) == "true"


def test_an_interrupt_passes_and_a_panic_of_the_library_is_an_error() -> None:
    class Program:
        def __init__(self, error: BaseException) -> None:
            self.error = error

        def execute(self, context: object) -> None:
            raise self.error

    class Panic(BaseException):
        pass

    request = CelRequest("ping", 1, {}, "s", "c", "s", "read", {})
    assert request.run(Program(Panic("Undefined"))) == "error"
    with pytest.raises(KeyboardInterrupt):
        request.run(Program(KeyboardInterrupt()))
