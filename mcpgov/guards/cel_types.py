"""Types of an expression as far as its text tells, to check Go field names and the getters' calls at load.

Law: a key or a default is refused only where it is certainly wrong; an unknown type is ANY and is checked when the
expression runs. A getter must certainly be called on a request.
"""

from difflib import get_close_matches
from itertools import pairwise
from typing import NoReturn, Protocol

from mcpgov.guards.cel_names import CONSTANTS, GETTERS
from mcpgov.guards.go_names import STRUCTS, by_go_name

ANY, REQUEST, STRING, INT, FLOAT, BOOL = "any", "MCPRequest", "string", "int", "double", "bool"
KINDS = {"String": STRING, "Int": INT, "Float": FLOAT, "Bool": BOOL}
EXAMPLES = {STRING: '""', INT: "0", FLOAT: "0.0", BOOL: "false"}
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=", "in", "&&", "||")
ARITHMETIC = ("+", "-", "*", "/", "%")
WORDS = {"true": BOOL, "false": BOOL, "null": "null", "server": STRING, "client": STRING, "service": STRING,
         "operation": STRING, "mcpRequest": REQUEST, "args": "map"}  # fmt: skip
RESULTS = {
    **dict.fromkeys(("contains", "startsWith", "endsWith", "matches", "has", "bool", "all", "exists"), BOOL),
    **dict.fromkeys(("exists_one", "existsOne"), BOOL),
    **dict.fromkeys(("size", "int", "getFullYear", "getMonth", "getDayOfMonth", "getDayOfWeek", "getDayOfYear"), INT),
    **dict.fromkeys(("getHours", "getMinutes", "getSeconds", "getMilliseconds"), INT),
    "string": STRING, "double": FLOAT, "uint": "uint", "bytes": "bytes", "timestamp": "timestamp",
    "duration": "duration", "Parse": REQUEST,
    **{name: f"list({KINDS[kind]})" if many else KINDS[kind] for name, (kind, many) in GETTERS.items()},
}  # fmt: skip


class Tokens(Protocol):
    """What is needed of an expression: its tokens, and where each bracket is closed."""

    tokens: list[str]
    close: dict[int, int]

    def marks(self, start: int, end: int) -> dict[str, list[int]]: ...

    def wrong(self, at: int, what: str) -> NoReturn: ...


def check_fields(source: Tokens) -> None:
    """Every Go name in `mcpRequest.ToolCall.Name` is a field of its struct. JSON keys (lower case) may be any."""
    tokens = source.tokens
    for at, token in enumerate(tokens):
        if token != "mcpRequest" or tokens[at + 1 : at + 2] != ["."] or tokens[at - 1 : at] == ["."]:
            continue
        fields, dot = STRUCTS.get(tokens[at + 2]), at + 3
        while fields is not None and tokens[dot : dot + 1] == ["."]:
            name, known = tokens[dot + 1], by_go_name(fields)
            if name[0].isupper() and name not in known:
                near = get_close_matches(name, known, 1)
                source.wrong(dot + 1, f"unknown field `{name}`" + (f", did you mean `{near[0]}`?" if near else ""))
            fields = known.get(name) or fields.get(name, ("", None))[1]
            dot += 2


def check_result(source: Tokens) -> None:
    """A condition that is certainly neither true nor false is a mistake: a deny would match every call."""
    kind = type_of(source, 0, len(source.tokens)) if source.tokens else ANY
    if kind not in (ANY, BOOL):
        source.wrong(0, f"a condition must be true or false, not {_type_phrase(kind)}")


def check_getters(source: Tokens) -> None:
    """Every `Get…Argument` is called on a request, with a string as key and a default of its own type."""
    for at, token in enumerate(source.tokens):
        if token in GETTERS and source.tokens[at + 1 : at + 2] == ["("]:
            _check_getter(source, at, token)


def _check_getter(source: Tokens, at: int, name: str) -> None:
    if not _is_request(source, at):
        source.wrong(at, f"`{name}` is asked of `mcpRequest` or of `mcp.Parse(…)`")
    parameters = _parts(source, at + 2, source.close[at + 1], ",")
    if len(parameters) != 2:
        source.wrong(
            at, f"`{name}` needs a key and a default, not {len(parameters)} value{'s' * (len(parameters) != 1)}"
        )
    (kind, many), (key, default) = GETTERS[name], parameters
    actual = type_of(source, *key)
    if actual not in (ANY, STRING):
        source.wrong(key[0], f"the key of `{name}` must be a string, not {_type_phrase(actual)}")
    expected = KINDS[kind]
    actual = type_of(source, *default)
    if many and not _fits(actual, f"list({expected})"):
        source.wrong(default[0], f"the default of `{name}` must be a list of {expected}s, not {_type_phrase(actual)}")
    if not many and not _fits(actual, expected):
        message = (
            f"the default of `{name}` must be a {expected} such as {EXAMPLES[expected]}, not {_type_phrase(actual)}"
        )
        source.wrong(default[0], message.replace("a int", "an int"))


def _fits(actual: str, expected: str) -> bool:
    return actual in (ANY, expected) or (expected.startswith("list(") and actual in ("list()", f"list({ANY})"))


def _type_phrase(kind: str) -> str:
    if kind == "list()":
        return "an empty list"
    if kind.startswith("list("):
        inner = kind[5:-1]
        return "a list" if inner == ANY else f"a list of {inner}s"
    return {"null": "null", INT: "an int", REQUEST: "an MCPRequest"}.get(kind, f"a {kind}")


def _is_request(source: Tokens, at: int) -> bool:
    """Is what stands before `.Get…` a request?"""
    tokens = source.tokens
    if at < 2 or tokens[at - 1] != ".":
        return False
    end = at - 1
    start = end - 1
    if tokens[start] == ")":
        start = next(first for first, last in source.close.items() if last == start)
        if tokens[max(0, start - 3) : start] == ["mcp", ".", "Parse"]:
            start -= 3
        elif tokens[start - 1 : start] and (tokens[start - 1][0].isalnum() or tokens[start - 1] == "_"):
            return False
    if tokens[start - 1 : start] == ["."]:
        return False
    return type_of(source, start, end) == REQUEST


def _parts(source: Tokens, start: int, end: int, sign: str) -> list[tuple[int, int]]:
    """The spans between the signs of this kind, without those in brackets."""
    if start == end:
        return []
    edges = [start - 1, *source.marks(start, end).get(sign, ()), end]
    return [(left + 1, right) for left, right in pairwise(edges)]


def type_of(source: Tokens, start: int, end: int) -> str:
    tokens = source.tokens
    while start < end and tokens[start] == "(" and source.close[start] == end - 1:
        start, end = start + 1, end - 1
    marks = source.marks(start, end)
    if "?" in marks:
        test, other = marks["?"][0], marks[":"][0]
        return _common([type_of(source, test + 1, other), type_of(source, other + 1, end)])
    if tokens[start] == "!" or any(sign in marks for sign in COMPARISONS):
        return BOOL
    joins = sorted(at for sign in ARITHMETIC for at in marks.get(sign, ()) if at > start)
    if joins:
        edges = [start - 1, *joins, end]
        sides = [type_of(source, left + 1, right) for left, right in pairwise(edges) if left + 1 < right]
        return _common(sides) if set(sides) <= {STRING, INT, FLOAT} else ANY
    if tokens[start] == "-":
        return type_of(source, start + 1, end)
    return _atom(source, start, end)


def _common(kinds: list[str]) -> str:
    return kinds[0] if len(set(kinds)) == 1 else ANY


def _atom(source: Tokens, start: int, end: int) -> str:
    tokens = source.tokens
    first, last = tokens[start], tokens[end - 1]
    if end - start == 1:
        return WORDS.get(first) or _literal(first)
    if source.close.get(start) == end - 1 and first == "[":
        kinds = [type_of(source, *part) for part in _parts(source, start + 1, end - 1, ",") if part[0] < part[1]]
        return f"list({_common(kinds) if kinds else ''})"
    if source.close.get(start) == end - 1 and first == "{":
        return "map"
    if last == ")":
        opening = next(at for at, close in source.close.items() if close == end - 1)
        return RESULTS.get(tokens[opening - 1], ANY)
    path = tokens[start:end]
    named = len(path) == 3 and path[1] == "."
    is_method = named and path[0] == "mcpRequest" and path[2] == "Method"
    return STRING if is_method or (named and path[0] == "mcp" and path[2] in CONSTANTS) else ANY


def _literal(token: str) -> str:
    if token[-1] in "\"'":
        return "bytes" if token[0] in "bB" or token[:2].lower() == "rb" else STRING
    if token[0].isdigit() or token[0] == ".":
        if token[-1] in "uU":
            return "uint"
        is_float = token[:2].lower() != "0x" and any(char in token for char in ".eE")
        return FLOAT if is_float else INT
    return ANY
