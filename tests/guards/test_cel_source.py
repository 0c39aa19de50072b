"""Sources: what is refused at load, and with which words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgov.guards.cel import CelError, CelRequest, prepare
from mcpgov.guards.cel_names import library
from tests.helpers.expressions import broken


@given(st.text(alphabet="xa.()[]{}!&|?:,+-\"' 1\\r\nmcpRequest", max_size=40))
def test_any_text_is_an_expression_or_refused_with_our_own_error(source: str) -> None:
    try:
        outcome = prepare(source).evaluate(CelRequest("ping", 1, {}, "s", "c", "s", "read", {}))
    except CelError:
        return
    assert outcome in {"true", "false", "null", "error"}


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

    monkeypatch.setattr(library, "compile", confused)
    assert broken("true") == "line 1, column 1: not understood"
