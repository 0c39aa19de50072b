"""An expression's text, checked and split into terms at load.

The library can neither count steps nor say why a read failed, so the source is rewritten: each comprehension body
calls our meter first, and `mcpRequest.ToolCall.x` reads a variable that exists only if ToolCall does.
"""

import re
from itertools import pairwise
from math import prod
from typing import Any, NamedTuple, NoReturn

from mcpgov.guards import cel_names as cel
from mcpgov.guards.cel_types import check_fields, check_getters

TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*)
    |[bB]?[rR](?:\"{3}(?s:.*?)\"{3}|'{3}(?s:.*?)'{3}|"[^"\n]*"|'[^'\n]*')
    |[bB]?(?:\"{3}(?s:[^\\]|\\.)*?\"{3}|'{3}(?s:[^\\]|\\.)*?'{3}|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    |0[xX][0-9a-fA-F]+[uU]?|(?:\d+\.\d+|\.\d+|\d+)(?:[eE][+-]?\d+)?[uU]?
    |[A-Za-z_]\w*|&&|\|\||[<>=!]=|[-+*/%<>!?:.,()\[\]{}]""",
    re.VERBOSE | re.ASCII,
)

Tree = tuple[str, Any]


class Load(NamedTuple):
    """What one pass over a part of an expression costs: its tokens, and how often it copies, searches and joins."""

    tokens: int
    reads: int
    elements: int
    scans: int
    joins: int


def refuse(name: str, known: set[str], what: str) -> NoReturn:
    import difflib

    near = difflib.get_close_matches(name, known, 1)
    raise cel.CelError(f"unknown {what} `{name}`" + (f", did you mean `{near[0]}`?" if near else ""))


def compiled(source: str) -> Any:
    try:
        return cel.library.compile(source)
    except UnicodeEncodeError:
        raise cel.CelError("the expression holds a lone surrogate") from None
    except ValueError as error:
        where = re.search(r"ERROR: <input>:(\d+):(\d+): ([^\n]*)", str(error))
        line, column, message = where.groups() if where else ("1", "1", "not understood")
        raise cel.CelError(f"line {line}, column {column}: {message.split(' expecting {')[0][:160]}") from None


def check_pattern(literal: str) -> None:
    from mcpgov.guards.patterns import PatternError, compile_pattern

    if literal[-1] not in "\"'":
        return
    try:
        compile_pattern(str(compiled(literal).execute()))
    except PatternError as error:
        raise cel.CelError(f"matches: {error}") from None


class CelSource:
    """The tokens of one valid expression: its structure, and its text for the library."""

    def __init__(self, text: str) -> None:
        program = compiled(text)
        matches = [m for m in TOKEN.finditer(text) if m.lastgroup != "skip"]
        self.text = text
        self.places = [m.start() for m in matches]
        self.tokens = [m.group() for m in matches]
        if len(self.tokens) > cel.MAX_TOKENS:
            raise cel.CelError(f"more than {cel.MAX_TOKENS} words and signs")
        for token, most in cel.MAX_COUNT.items():
            if self.tokens.count(token) > most:
                raise cel.CelError(f"more than {most} `{token}`")
        self.close = self.pair()
        self.bodies = {  # a macro's bracket: its name, where its body begins and ends
            at: (self.tokens[at - 1], at + 3, end)
            for at, end in self.close.items()
            if at > 1 and self.tokens[at - 1] in cel.MACROS and self.tokens[at - 2] == "."
        }
        self.inside = [
            [start for start, (_, first, end) in self.bodies.items() if first <= at < end]
            for at in range(len(self.tokens))
        ]
        if any(len(inside) > cel.MAX_NESTED for inside in self.inside):
            raise cel.CelError(f"comprehensions nest deeper than {cel.MAX_NESTED}")
        self.check_names(program)
        check_getters(self)
        check_fields(self)

    def wrong(self, at: int, what: str) -> NoReturn:
        """Refuse the expression because of the token at this place."""
        before = self.text[: self.places[at]]
        raise cel.CelError(f"line {before.count(chr(10)) + 1}, column {len(before) - before.rfind(chr(10))}: {what}")

    def check_names(self, program: Any) -> None:
        declared = {self.tokens[start + 1] for start in self.bodies}
        for name in declared:
            if name in cel.NAMES or name.startswith("__"):
                raise cel.CelError(f"`{name}` cannot name an element")
        for name in program.variables():
            if name not in cel.NAMES | cel.TYPES | declared:
                refuse(name, cel.NAMES, "name")
        for name in program.functions():
            if name.isidentifier() and name not in cel.FUNCTIONS:
                refuse(name, cel.FUNCTIONS, "function")
        for at, token in enumerate(self.tokens):
            if token == "matches" and self.tokens[at + 1 : at + 4 : 2] == ["(", ")"]:
                check_pattern(self.tokens[at + 2])

    def pair(self) -> dict[int, int]:
        stack: list[int] = []
        close: dict[int, int] = {}
        for at, token in enumerate(self.tokens):
            if token in "([{":
                stack.append(at)
            elif token in ")]}":
                close[stack.pop()] = at
            if len(stack) > cel.MAX_BRACKETS:
                raise cel.CelError(f"brackets nest deeper than {cel.MAX_BRACKETS}")
        return close

    def marks(self, start: int, end: int) -> dict[str, list[int]]:
        """The places of each token, without those in brackets."""
        marks: dict[str, list[int]] = {}
        while start < end:
            marks.setdefault(self.tokens[start], []).append(start)
            start = self.close.get(start, start) + 1
        return marks

    def loads(self) -> list[Load]:
        """The loads of the text outside all comprehension bodies, then of each body without those inside it."""
        numbers = {start: number for number, start in enumerate(self.bodies, 1)}
        declared = {self.tokens[start + 1] for start in self.bodies}
        parts: list[list[str]] = [[] for _ in range(len(numbers) + 1)]
        copies = [0] * len(parts)
        for at, token in enumerate(self.tokens):
            inside = self.inside[at]
            number = numbers[max(inside)] if inside else 0
            parts[number].append(token)
            # In one loop all elements together are one copy; inside two, each is copied again and again.
            copies[number] += len(inside) > 1 and token in declared
        whole = self.makes_lists()
        return [
            Load(
                len(part), sum(token in cel.READS for token in part) + (many if whole else 0), 0 if whole else many,
                sum(token in cel.SCANS for token in part), part.count("+"),
            )
            for part, many in zip(parts, copies, strict=True)
        ]  # fmt: skip

    def makes_lists(self) -> bool:
        """Does the expression build lists, whose elements may be as large as the whole message?"""
        if "{" in self.tokens or not {"map", "filter", "Parse", *cel.GETTERS}.isdisjoint(self.tokens):
            return True
        opens = [at for at, token in enumerate(self.tokens) if token == "["]
        return any(not at or not (self.tokens[at - 1][-1].isalnum() or self.tokens[at - 1] in ")]_") for at in opens)

    def growth(self) -> int:
        """By how much map() can multiply its input: each name in its body may be one copy."""
        spans = [(first, end) for name, first, end in self.bodies.values() if name == "map"]
        names = (sum(token[0].isalpha() for token in self.tokens[first:end]) for first, end in spans)
        return prod(1 + count for count in names) * (1 + self.tokens.count("+"))

    def tree(self, start: int, end: int) -> "Tree":
        """The logic between terms; each term is compiled by itself."""
        while self.tokens[start] == "(" and self.close[start] == end - 1:
            start, end = start + 1, end - 1
        marks = self.marks(start, end)
        if "?" in marks:
            test, other = marks["?"][0], marks[":"][0]
            return "?", [self.tree(start, test), self.tree(test + 1, other), self.tree(other + 1, end)]
        for join in ("||", "&&"):
            if join in marks:
                edges = [start - 1, *marks[join], end]
                return join, [self.tree(left + 1, right) for left, right in pairwise(edges)]
        if self.tokens[start] == "!" and self.tokens[start + 1] == "(" and self.close[start + 1] == end - 1:
            return "!", [self.tree(start + 1, end)]
        return "", compiled(self.term(start, end))

    def term(self, start: int, end: int) -> str:
        """The term's text for the library: meter calls in bodies, our names resolved."""
        meter: dict[int, str] = {}
        for number, (name, first, last) in enumerate(self.bodies.values(), 1):
            meter[first] = f"{'__grow' if name == 'map' else '__tick'}({number}) ? ("
            meter[self.marks(first, last).get(",", [last])[0]] = ") : false"
        words: list[str] = []
        at = start
        while at < end:
            words.append(meter.get(at, ""))
            word, width = self.word(at, start, end)
            words.append(word)
            at += width
        return " ".join(words)

    def word(self, at: int, start: int, end: int) -> tuple[str, int]:
        token, *after = [*self.tokens[at : at + 4], "", "", ""][:4]
        if self.tokens[at - 1 : at] == ["."] or token not in ("mcp", "mcpRequest", "has"):
            return cel.OWN.get(token, token) if after[0] == "(" else token, 1
        if token == "has":
            inner = self.tokens[at + 2 : at + 6]
            whole = inner[:2] == ["mcpRequest", "."] and inner[2] in cel.FIELDS and inner[3] == ")"
            return (f"( __value_{inner[2]} != null )", 6) if whole else (token, 1)
        dot, field, follows = after
        if token == "mcp":
            if dot == "." and (field in cel.CONSTANTS or (field == "Parse" and follows == "(")):
                return cel.CONSTANTS.get(field, field), 3
            refuse(f"mcp.{field}" if dot == "." else "mcp", {f"mcp.{name}" for name in cel.CONSTANTS}, "name")
        if dot != ".":
            return token, 1
        if field in cel.GETTERS and follows == "(":
            return field, 3
        if field not in cel.FIELDS:
            refuse(f"mcpRequest.{field}", {f"mcpRequest.{name}" for name in cel.FIELDS | set(cel.GETTERS)}, "name")
        kind = "part" if follows in (".", "[") and self.strict(at, start, end) else "value"
        return f"__{kind}_{field}", 3

    def strict(self, at: int, start: int, end: int) -> bool:
        # INVARIANT: "null" only where the failed read alone decides the term. Beside a logic operator, or in
        # a body that other elements could outvote, the read yields plain null, and reading on is an error.
        inside = self.inside[at]
        if inside:
            _, start, end = self.bodies[inside[0]]
        level = [self.inside[i] == inside for i in range(start, end)]
        joined = any(same and self.tokens[start + i] in ("?", "||", "&&") for i, same in enumerate(level))
        return not joined and (not inside or (len(inside) == 1 and all(level)))
