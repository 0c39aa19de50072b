import json
import subprocess
import sys
import time
from math import inf, nan
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcpgov.guards import cel
from mcpgov.guards.cel import CelError, Request, argument, prepare

CALL = {"name": "shell", "arguments": {"command": "docker", "n": 5, "l": ["a", "b"], "none": None}}


class Texted(float):
    """A number that remembers its text, as the wire reader gives them."""

    text = "1.50"


def ask(source: str, method: str = "tools/call", params: Any = None) -> str:
    params = CALL if params is None else params
    args = params.get("arguments", {}) if isinstance(params, dict) else {}
    request = Request(method, 7, params, "hub", "claude-code", "github", "read", args)
    return prepare(source).evaluate(request)


def judge(source: str, args: dict[str, Any]) -> str:
    return ask(source, params={"name": "t", "arguments": args})


def broken(source: str) -> str:
    with pytest.raises(CelError) as caught:
        prepare(source)
    return str(caught.value)


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


def test_the_constants_are_the_eleven_methods() -> None:
    for name, value in cel.METHODS.items():
        assert ask(f'mcp.{name}Method == "{value}"') == "true"
    assert len(cel.METHODS) == 11


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
        'mcpRequest.GetStringArgument("command") == ""',
        'mcpRequest.GetStringArgument(1, "") == ""',
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
    text = json.dumps(
        {"method": "tools/call", "id": 1, "params": {"name": "q", "arguments": {"k": ["1", "x"]}}}
    )
    assert judge('mcp.Parse(args.t).ToolCall.Name == "q" && mcp.Parse(args.t).ID == 1', {"t": text}) == "true"
    assert judge('mcp.Parse(args.t).getIntSliceArgument("k", []) == [1]', {"t": text}) == "true"
    assert judge("mcp.Parse(args.t).ResourceRead == null", {"t": text}) == "true"
    assert (
        judge('mcp.Parse(args.t).GetStringArgument("k", "d") == "d"', {"t": '{"method": "ping"}'}) == "true"
    )
    assert judge('args.n.GetStringArgument("k", "d") == "d"', {"n": 1}) == "true"


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
def test_a_getter_reads_what_its_type_allows_and_else_gives_the_default(
    kind: str, value: Any, expected: Any
) -> None:
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
    for name, (kind, many) in cel.GETTERS.items():
        literal = {"String": '"d"', "Int": "4", "Float": "4.5", "Bool": "true"}[kind]
        default = f"[{literal}]" if many else literal
        assert ask(f'mcpRequest.{name}("absent", {default}) == {default}') == "true"
        assert ask(f'mcpRequest.{name}("k", {default}) == {default}', "ping", {}) == "true"
    assert ask('mcpRequest.getIntArgument("n", 0) + 1 == 6') == "true"


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.floats().map(Texted)
    | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@given(st.sampled_from(["String", "Int", "Float", "Bool"]), st.booleans(), JSON)
def test_no_value_makes_a_getter_raise(kind: str, many: bool, value: Any) -> None:
    argument(kind, many, value, None)


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
    request = Request(method, value, params, "s", "c", "s", "read", params["arguments"])
    assert {probe.evaluate(request) for probe in PROBES} <= {"true", "false", "null", "error"}


@given(st.text(alphabet="xa.()[]{}!&|?:,+-\"' 1\\r\nmcpRequest", max_size=40))
def test_any_text_is_an_expression_or_refused_with_our_own_error(source: str) -> None:
    try:
        outcome = prepare(source).evaluate(Request("ping", 1, {}, "s", "c", "s", "read", {}))
    except CelError:
        return
    assert outcome in {"true", "false", "null", "error"}


def test_a_failing_function_writes_nothing_to_standard_error(capfd: pytest.CaptureFixture[str]) -> None:
    assert judge("mcp.Parse(args.t) == null || args.t.matches(args.t)", {"t": "("}) == "error"
    assert capfd.readouterr() == ("", "")


def test_numbers_keep_their_value_up_to_64_bits_and_are_doubles_beyond() -> None:
    assert judge("args.n == 9007199254740993 && args.n != 9007199254740992", {"n": 2**53 + 1}) == "true"
    assert judge("args.n > 9223372036854775807", {"n": 2**63}) == "true"
    assert judge("args.n == 1e30 && args.m == 1.5", {"n": 10**30, "m": Texted(1.5)}) == "true"
    assert judge("args.n > 1", {"n": 10**5000}) == "error"


def test_a_lone_surrogate_reads_as_the_replacement_character() -> None:
    assert judge('args.t == "a\ufffd" && size(args.t) == 2', {"t": "a\ud800"}) == "true"
    alike = {chr(code): 1 for code in (0xD800, 0xD801)}
    assert judge("args.t == 1", {"t": 1, **alike}) == "error"


def test_one_request_serves_many_expressions_and_params_need_not_hold_the_arguments() -> None:
    request = Request("tools/call", None, {"name": "t"}, "s", "c", "s", "read", {"a": 1})
    assert [prepare(s).evaluate(request) for s in ("args.a == 1", "args.a == 2", "args.a > 0")] == [
        "true", "false", "true",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "params",
    [None, {"arguments": {"t": "x" * (cel.MAX_TEXT + 1)}}, {"a": [0] * cel.MAX_NODES}, {"a": object()}],
)
def test_a_request_over_the_caps_or_not_json_is_an_error_each_time_it_is_asked(params: Any) -> None:
    request = Request("tools/call", 1, params, "s", "c", "s", "read", {})
    assert [prepare("true").evaluate(request), prepare("true").evaluate(request)] == ["error", "error"]


def test_deep_nesting_is_an_error_in_the_request_and_in_parsed_text() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert judge("args.d == 1", {"d": deep}) == "error"
    assert judge("mcp.Parse(args.t) == null", {"t": "[" * 100_000}) == "error"


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("args.n ==", "line 1, column 10: Syntax error: mismatched input '<EOF>'"),
        ("\n args @ 1", "line 2, column 7: Syntax error: token recognition error at: '@'"),
        ('"\ud800"', "the expression holds a lone surrogate"),
        ("mcpRequst.Method == 1", "unknown name `mcpRequst`, did you mean `mcpRequest`?"),
        (
            "mcpRequest.Toolcall == 1",
            "unknown name `mcpRequest.Toolcall`, did you mean `mcpRequest.ToolCall`?",
        ),
        ("mcp.ToolCallMethod == 1", "unknown name `mcp.ToolCallMethod`, did you mean `mcp.ToolsCallMethod`?"),
        ("mcp == 1", "unknown name `mcp`"),
        (".args.n == 1", "unknown name `.args`, did you mean `args`?"),
        ('"a".startWith("b")', "unknown function `startWith`, did you mean `startsWith`?"),
        ("args.l.all(x)", "unknown function `all`"),
        ("args.l.all(args, true)", "`args` cannot name an element"),
        ("args.l.all(__tick, true)", "`__tick` cannot name an element"),
        ("args.l.all(a, args.l.all(b, args.l.all(c, true)))", "comprehensions nest deeper than 2"),
        ("[" * 25 + "]" * 25 + " == []", "brackets nest deeper than 24"),
        ("1" + " + 1" * 33 + " == 1", "more than 32 `+`"),
        ("true ? true : " * 33 + "true", "more than 32 `?`"),
        ("args.l.map(x, x).map(x, x).map(x, x) == []", "more than 2 `map`"),
        ("!" * 2000 + "true", "more than 2000 words and signs"),
        ("'" + "a" * 16_384 + "'", "longer than 16384 characters"),
        ("args.s.matches('(?=a)')", "matches: pattern `(?=a)`: look-around is not supported"),
    ],
)
def test_a_broken_expression_is_refused_at_load_with_what_and_where(source: str, told: str) -> None:
    assert broken(source) == told


def test_a_refusal_the_library_does_not_place_still_names_a_place(monkeypatch: pytest.MonkeyPatch) -> None:
    def confused(source: str) -> None:
        raise ValueError("internal: " + source)

    monkeypatch.setattr(cel.library, "compile", confused)
    assert broken("true") == "line 1, column 1: not understood"


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
    assert expression.evaluate(Request("x", 1, {}, "s", "c", "s", "read", args)) == "error"
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

    request = Request("ping", 1, {}, "s", "c", "s", "read", {})
    assert request.run(Program(Panic("Undefined"))) == "error"
    with pytest.raises(KeyboardInterrupt):
        request.run(Program(KeyboardInterrupt()))


def test_loading_takes_the_extension_alone_and_not_the_command_line_of_its_package() -> None:
    root = Path(cel.__file__).parents[2]
    code = f"import sys; sys.path.insert(0, {str(root)!r}); import mcpgov.guards.cel; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert not {"typer", "rich", "prompt_toolkit", "cel", "cel.cli", "re2"} & set(done.stdout.split())


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(ImportError, match="common-expression-language is not installed"):
        cel.load()
