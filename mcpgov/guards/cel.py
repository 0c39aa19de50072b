"""Judge a `when` expression. Law: an error never opens a door, and no policy and no message makes us hang.

Four outcomes: "true", "false", "null" (a read through an absent part of mcpRequest: no rule matches) and
"error" (no match for allow and log, a match for deny, prompt and redact).
The library evaluates the terms; the `!`, `&&`, `||`, `?:` that join them are ours, because only so a null
read stays apart from an error in the term beside it. Only this file loads the library, past its package's
`__init__` (a command line, ten times the cost). It can neither count steps nor tell why a read failed, so the
source is rewritten: each comprehension body asks our meter first, and `mcpRequest.ToolCall.x` reads a
variable that exists only if ToolCall does.
"""

import re
import time
from functools import partial
from importlib.machinery import ExtensionFileLoader, PathFinder
from itertools import pairwise
from math import isfinite, prod
from typing import Any, NoReturn

MAX_SOURCE, MAX_TOKENS, MAX_BRACKETS, MAX_NESTED = 16_384, 2_000, 24, 2
MAX_COUNT = {"+": 32, "?": 32, "map": 2}  # in one expression
MAX_TEXT, MAX_NODES, MAX_DEPTH = 1 << 20, 50_000, 64  # of one request
MAX_CPU, MAX_GROWTH = 0.25, 64 << 20  # of one evaluation: seconds in loops, characters built by map()

METHODS = {
    "Initialize": "initialize", "Ping": "ping", "ResourcesList": "resources/list",
    "ResourcesTemplatesList": "resources/templates/list", "ResourcesRead": "resources/read",
    "PromptsList": "prompts/list", "PromptsGet": "prompts/get", "ToolsList": "tools/list",
    "ToolsCall": "tools/call", "SetLogLevel": "logging/setLevel", "ElicitationCreate": "elicitation/create",
}  # fmt: skip
CONSTANTS = {f"{name}Method": f'"{value}"' for name, value in METHODS.items()}
PARTS = {
    "tools/call": "ToolCall", "resources/read": "ResourceRead", "resources/subscribe": "ResourceSubscribe",
    "resources/unsubscribe": "ResourceUnsubscribe", "prompts/get": "PromptGet", "initialize": "Initialize",
    "sampling/createMessage": "CreateMessage", "elicitation/create": "Elicitation",
    "completion/complete": "Complete", "logging/setLevel": "SetLogLevel", "tools/list": "Paginated",
    "resources/list": "Paginated", "resources/templates/list": "Paginated", "prompts/list": "Paginated",
}  # fmt: skip
FIELDS = {"Method", "ID", *PARTS.values()}
SPELLED = {"name": "Name", "arguments": "Arguments", "uri": "URI", "cursor": "Cursor"}
GETTERS = {
    f"{get}{kind}{many}Argument": (kind, bool(many))
    for get in ("Get", "get") for kind in ("String", "Int", "Float", "Bool") for many in ("", "Slice")
}  # fmt: skip
OWN = {"size": "__size", "matches": "__matches"}  # the library counts bytes, and compiles a pattern per call
MACROS = {"all", "exists", "exists_one", "existsOne", "map", "filter"}
NAMES = {"mcpRequest", "mcp", "server", "client", "service", "operation", "args"}
TYPES = {"int", "uint", "double", "string", "bytes", "bool", "list", "map", "type", "null_type"}
FUNCTIONS = {
    "contains", "startsWith", "endsWith", "int", "uint", "double", "string", "bytes", "type", "dyn",
    "timestamp", "duration", "getFullYear", "getMonth", "getDayOfMonth", "getDayOfWeek", "getDayOfYear",
    "getHours", "getMinutes", "getSeconds", "getMilliseconds", "Parse", *OWN, *GETTERS,
}  # fmt: skip
TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*)
    |[bB]?[rR](?:\"{3}(?s:.*?)\"{3}|'{3}(?s:.*?)'{3}|"[^"\n]*"|'[^'\n]*')
    |[bB]?(?:\"{3}(?s:[^\\]|\\.)*?\"{3}|'{3}(?s:[^\\]|\\.)*?'{3}|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    |0[xX][0-9a-fA-F]+[uU]?|(?:\d+\.\d+|\.\d+|\d+)(?:[eE][+-]?\d+)?[uU]?
    |[A-Za-z_]\w*|&&|\|\||[<>=!]=|[-+*/%<>!?:.,()\[\]{}]""",
    re.VERBOSE | re.ASCII,
)
NUMBER = re.compile(r"[+-]?\d{1,400}(\.\d{1,400})?([eE][+-]?\d{1,4})?", re.ASCII)
SURROGATES = dict.fromkeys(range(0xD800, 0xE000), 0xFFFD)  # as most servers decode them


def load() -> Any:
    package = PathFinder.find_spec("cel")
    spec = package and PathFinder.find_spec("cel", package.submodule_search_locations)
    if not spec or not isinstance(spec.loader, ExtensionFileLoader):
        raise ImportError("common-expression-language is not installed")
    module = spec.loader.create_module(spec)
    spec.loader.exec_module(module)
    return module


library = load()


class CelError(ValueError):
    """The expression is broken or too costly: what, and where if known."""


def refuse(name: str, known: set[str], what: str) -> NoReturn:
    import difflib

    near = difflib.get_close_matches(name, known, 1)
    raise CelError(f"unknown {what} `{name}`" + (f", did you mean `{near[0]}`?" if near else ""))


def compiled(source: str) -> Any:
    try:
        return library.compile(source)
    except UnicodeEncodeError:
        raise CelError("the expression holds a lone surrogate") from None
    except ValueError as error:
        where = re.search(r"ERROR: <input>:(\d+):(\d+): ([^\n]*)", str(error))
        line, column, told = where.groups() if where else ("1", "1", "not understood")
        raise CelError(f"line {line}, column {column}: {told.split(' expecting {')[0][:160]}") from None


def check_pattern(literal: str) -> None:
    from mcpgov.guards.patterns import PatternError, compile_pattern

    if literal[-1] not in "\"'":
        return
    try:
        compile_pattern(str(compiled(literal).execute()))
    except PatternError as error:
        raise CelError(f"matches: {error}") from None


class Source:
    """The tokens of one valid expression: what joins what, and how it reads to the library."""

    def __init__(self, text: str) -> None:
        program = compiled(text)
        self.tokens = [m.group() for m in TOKEN.finditer(text) if m.lastgroup != "skip"]
        if len(self.tokens) > MAX_TOKENS:
            raise CelError(f"more than {MAX_TOKENS} words and signs")
        for token, most in MAX_COUNT.items():
            if self.tokens.count(token) > most:
                raise CelError(f"more than {most} `{token}`")
        self.close = self.pair()
        self.bodies = {  # a macro's bracket: its name, where its body begins and ends
            at: (self.tokens[at - 1], at + 3, end)
            for at, end in self.close.items()
            if at > 1 and self.tokens[at - 1] in MACROS and self.tokens[at - 2] == "."
        }
        self.inside = [
            [start for start, (_, first, end) in self.bodies.items() if first <= at < end]
            for at in range(len(self.tokens))
        ]
        if any(len(inside) > MAX_NESTED for inside in self.inside):
            raise CelError(f"comprehensions nest deeper than {MAX_NESTED}")
        self.check_names(program)

    def check_names(self, program: Any) -> None:
        declared = {self.tokens[start + 1] for start in self.bodies}
        for name in declared:
            if name in NAMES or name.startswith("__"):
                raise CelError(f"`{name}` cannot name an element")
        for name in program.variables():
            if name not in NAMES | TYPES | declared:
                refuse(name, NAMES, "name")
        for name in program.functions():
            if name.isidentifier() and name not in FUNCTIONS:
                refuse(name, FUNCTIONS, "function")
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
            if len(stack) > MAX_BRACKETS:
                raise CelError(f"brackets nest deeper than {MAX_BRACKETS}")
        return close

    def marks(self, start: int, end: int) -> dict[str, list[int]]:
        """Where each token stands, those in brackets left out."""
        found: dict[str, list[int]] = {}
        while start < end:
            found.setdefault(self.tokens[start], []).append(start)
            start = self.close.get(start, start) + 1
        return found

    def growth(self) -> int:
        """By how much map() can multiply what it reads: each name in its body may be one copy."""
        spans = [(first, end) for name, first, end in self.bodies.values() if name == "map"]
        names = (sum(token[0].isalpha() for token in self.tokens[first:end]) for first, end in spans)
        return prod(1 + count for count in names) * (1 + self.tokens.count("+"))

    def tree(self, start: int, end: int) -> "Tree":
        """The logic that joins terms; a term is compiled and has its own outcome."""
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
        """The term as the library shall read it: bodies metered, our names resolved."""
        meter: dict[int, str] = {}
        for name, first, last in self.bodies.values():
            meter[first] = ("__grow" if name == "map" else "__tick") + "() ? ("
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
            return OWN.get(token, token) if after[0] == "(" else token, 1
        if token == "has":
            asked = self.tokens[at + 2 : at + 6]
            whole = asked[:2] == ["mcpRequest", "."] and asked[2] in FIELDS and asked[3] == ")"
            return (f"( __value_{asked[2]} != null )", 6) if whole else (token, 1)
        dot, field, follows = after
        if token == "mcp":
            if dot == "." and (field in CONSTANTS or (field == "Parse" and follows == "(")):
                return CONSTANTS.get(field, field), 3
            refuse(f"mcp.{field}" if dot == "." else "mcp", {f"mcp.{name}" for name in CONSTANTS}, "name")
        if dot != ".":
            return token, 1
        if field in GETTERS and follows == "(":
            return field, 3
        if field not in FIELDS:
            refuse(f"mcpRequest.{field}", {f"mcpRequest.{name}" for name in FIELDS | set(GETTERS)}, "name")
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


Tree = tuple[str, Any]
FLIP = {"true": "false", "false": "true"}


class Expression:
    """A checked expression; evaluate() never raises."""

    __slots__ = ("_growth", "_maps", "_names", "_tree", "source")

    def __init__(self, source: str) -> None:
        parsed = Source(source)
        self.source = source
        self._growth = parsed.growth()
        self._maps = parsed.tokens.count("map")
        self._tree = parsed.tree(0, len(parsed.tokens))
        self._names = names(self._tree)

    def evaluate(self, request: "Request") -> str:
        if not request.ready(self._names, self._growth, self._maps, len(self.source)):
            return "error"
        return outcome(self._tree, request)


def prepare(source: str) -> Expression:
    if len(source) > MAX_SOURCE:
        raise CelError(f"longer than {MAX_SOURCE} characters")
    return Expression(source)


def names(tree: Tree) -> frozenset[str]:
    kind, parts = tree
    return frozenset().union(*map(names, parts)) if kind else frozenset(parts.variables() + parts.functions())


def outcome(tree: Tree, request: "Request") -> str:
    kind, parts = tree
    if not kind:
        return request.run(parts)
    if kind in ("!", "?"):
        test = outcome(parts[0], request)
        if kind == "!" or test not in FLIP:
            return FLIP.get(test, test)
        return outcome(parts[1 if test == "true" else 2], request)
    stop = "true" if kind == "||" else "false"
    seen = set()
    for part in parts:
        seen.add(outcome(part, request))
        if stop in seen:
            return stop
    return "error" if "error" in seen else "null" if "null" in seen else FLIP[stop]


class Request:
    """One message as expressions see it; values are converted once, and only those that are asked for."""

    def __init__(
        self, method: str, ident: object, params: dict[str, Any], server: str, client: str, service: str,
        operation: str, args: dict[str, Any],
    ) -> None:  # fmt: skip
        self._names = {"server": server, "client": client, "service": service, "operation": operation}
        self._message = (method, ident, params, args)
        self._values: dict[str, Any] = {}
        self._context: Any = None
        self._size = Size()
        self._broken = self._failed = False

    def ready(self, names: frozenset[str], growth: int, maps: int, source: int) -> bool:
        """Give the library what the names stand for, and wind up the meter."""
        try:
            if self._context is None and not self._broken:
                self._open()
            for name in names & self._values.keys():
                value = self._values.pop(name)
                add = self._context.add_function if callable(value) else self._context.add_variable
                add(name, value)
        except (ValueError, TypeError, OverflowError, AttributeError):
            self._broken = True
        self._left = MAX_GROWTH
        self._deadline = time.thread_time() + MAX_CPU
        held = self._size.text + self._size.nodes + source
        self._weight = held * growth * (self._size.longest if maps > 1 else 1)
        return not self._broken

    def _open(self) -> None:
        method, ident, params, args = self._message
        values = {name: plain(value, self._size) for name, value in self._names.items()}
        copy = plain(params, self._size)
        same = args is params.get("arguments")
        values["args"] = copy["arguments"] if same else plain(args, self._size)
        self._parts = parts_of(plain(method, self._size), plain(ident, self._size), copy)
        for name, part in self._parts.items():
            values[f"__value_{name}"] = part
            if part is not None:
                values[f"__part_{name}"] = part
        self._values = {**values, "mcpRequest": self._parts}
        self._values |= {name: partial(self._get, *kind) for name, kind in GETTERS.items()}
        self._values |= {"Parse": self._parse, "__size": self._count, "__matches": self._matches}
        self._values |= {"__tick": self._tick, "__grow": self._grow}
        self._context = library.Context()

    def run(self, program: Any) -> str:
        self._failed = False
        try:
            result = program.execute(self._context)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # a panic of the library is no Exception
            missing = str(error).startswith("Undefined variable or function: '__part_")
            return "null" if missing and not self._failed else "error"
        return "error" if self._failed or not isinstance(result, bool) else str(result).lower()

    # INVARIANT: what the library calls never raises (it would log the message's text); failing is a flag.
    def _fail(self) -> Any:
        self._failed = True
        return None

    def _tick(self) -> Any:
        return True if time.thread_time() < self._deadline else self._fail()

    def _grow(self) -> Any:
        self._left -= self._weight
        return self._tick() if self._left >= 0 else self._fail()

    def _count(self, *given: Any) -> Any:
        sized = len(given) == 1 and isinstance(given[0], (str, bytes, list, dict))
        return len(given[0]) if sized else self._fail()

    def _matches(self, *given: Any) -> Any:
        from mcpgov.guards.patterns import PatternError, compile_pattern

        if len(given) != 2 or not all(isinstance(text, str) for text in given) or not self._tick():
            return self._fail()
        try:
            return compile_pattern(given[1]).search(given[0])
        except PatternError:
            return self._fail()

    def _parse(self, *given: Any) -> Any:
        import json

        try:
            message: Any = plain(json.loads(given[-1]), Size()) if self._tick() else None
            return parts_of(message["method"], message.get("id"), message.get("params") or {})
        except (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError):
            return self._fail()

    def _get(self, kind: str, many: bool, *given: Any) -> Any:
        if not 2 <= len(given) <= 3 or not isinstance(given[-2], str):
            return self._fail()
        value = arguments_of(given[0] if len(given) == 3 else self._parts).get(given[-2])
        return argument(kind, many, value, given[-1])


class Size:
    """What one request holds; over the caps it is refused before any evaluation."""

    __slots__ = ("longest", "nodes", "text")

    def __init__(self) -> None:
        self.nodes = self.text = 0
        self.longest = 1

    def add(self, text: int, items: int, depth: int) -> None:
        self.nodes += 1
        self.text += text
        self.longest = max(self.longest, items)
        if self.nodes > MAX_NODES or self.text > MAX_TEXT or depth > MAX_DEPTH:
            raise ValueError("too large")


def plain(value: Any, size: Size, depth: int = 0) -> Any:
    """A copy that the library converts without a loss we did not choose."""
    if isinstance(value, str):
        size.add(len(value), 0, depth)
        return value if value.isascii() else value.translate(SURROGATES)
    if isinstance(value, list):
        size.add(0, len(value), depth)
        return [plain(item, size, depth + 1) for item in value]
    if isinstance(value, dict):
        size.add(0, len(value), depth)
        copy = {plain(key, size, depth): plain(item, size, depth + 1) for key, item in value.items()}
        if len(copy) < len(value):
            raise ValueError("two keys that read alike")
        return copy
    size.add(1, 0, depth)
    if value is None or isinstance(value, bool):
        return value
    return value if isinstance(value, int) and -(2**63) <= value < 2**64 else float(value)


def parts_of(method: str, ident: object, params: dict[str, Any]) -> dict[str, Any]:
    parts: dict[str, Any] = dict.fromkeys(FIELDS) | {"Method": method, "ID": ident}
    if method in PARTS:
        part = {key[:1].upper() + key[1:]: value for key, value in params.items()} | params
        # The Go spellings mean the JSON keys a server reads, never a key that merely looks like them.
        for key, name in SPELLED.items():
            part.pop(name, None)
            if key in params:
                part[name] = params[key]
        if PARTS[method] in ("ToolCall", "PromptGet") and part.get("Arguments") is None:
            part["Arguments"] = {}
        parts[PARTS[method]] = part
    return parts


def arguments_of(parts: Any) -> dict[str, Any]:
    for name in ("ToolCall", "PromptGet"):
        part = parts.get(name) if isinstance(parts, dict) else None
        if isinstance(part, dict) and isinstance(part.get("Arguments"), dict):
            return dict(part["Arguments"])
    return {}


def argument(kind: str, many: bool, value: Any, default: Any) -> Any:
    if not many:
        got = READERS[kind](value)
        return default if got is None else got
    if not isinstance(value, list):
        return default
    return [got for got in map(READERS[kind], value) if got is not None]


def as_string(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def as_float(value: Any) -> float | None:
    """A bool is no number, nor is text like `inf`."""
    if isinstance(value, bool) or not (isinstance(value, (int, float)) or as_number(value)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if isfinite(number) else None


def as_number(value: Any) -> "re.Match[str] | None":
    return NUMBER.fullmatch(value) if isinstance(value, str) else None


def as_int(value: Any) -> int | None:
    text = as_number(value)
    exact = isinstance(value, int) or (text and not any(text.groups()))
    number = None if isinstance(value, bool) else value if exact else as_float(value)
    if number is None:
        return None
    return int(number) if -(2**63) <= int(number) < 2**63 else None


def as_bool(value: Any) -> bool | None:
    if isinstance(value, str):
        return {"true": True, "1": True, "false": False, "0": False}.get(value.lower())
    return bool(value) if isinstance(value, (int, float)) and value in (0, 1) else None


READERS = {"String": as_string, "Int": as_int, "Float": as_float, "Bool": as_bool}
