"""Evaluate a `when` expression. Law: an error never makes an allow match, and no policy or message makes us hang.

Four outcomes: "true", "false", "null" (a read through an absent part of mcpRequest: no match for any rule) and
"error" (no match for allow and log, a match for deny, prompt and redact).
The library evaluates the terms; we evaluate `!`, `&&`, `||` and `?:` between them, so that a null read in one term is
not mixed up with an error in another.
"""

from functools import partial
from typing import Any

from mcpgov.guards.cel_names import GETTERS, MAX_GROWTH, MAX_SOURCE, MAX_STEPS, CelError, library
from mcpgov.guards.cel_source import CelSource, Load, Tree
from mcpgov.guards.cel_types import check_result
from mcpgov.guards.cel_values import Size, argument, arguments_of, parts_of, plain

__all__ = ["CelError", "CelRequest", "Expression", "prepare"]

MOST_PATTERNS = 64
FLIP = {"true": "false", "false": "true"}


class Expression:
    """A checked expression; evaluate() never raises."""

    __slots__ = ("_growth", "_loads", "_maps", "_names", "_tree", "source")

    def __init__(self, source: str) -> None:
        parsed = CelSource(source)
        check_result(parsed)
        self.source = source
        self._growth = parsed.growth()
        self._loads = parsed.loads()
        self._maps = parsed.tokens.count("map")
        self._tree = parsed.tree(0, len(parsed.tokens))
        self._names = names(self._tree)

    def evaluate(self, request: "CelRequest") -> str:
        if not request.ready(self._names, self._growth, self._maps, len(self.source)):
            return "error"
        if not request.begin(self._loads):
            return "error"
        return outcome(self._tree, request)


def prepare(source: str) -> Expression:
    if len(source) > MAX_SOURCE:
        raise CelError(f"longer than {MAX_SOURCE} characters")
    return Expression(source)


def names(tree: Tree) -> frozenset[str]:
    kind, parts = tree
    return frozenset().union(*map(names, parts)) if kind else frozenset(parts.variables() + parts.functions())


def outcome(tree: Tree, request: "CelRequest") -> str:
    kind, parts = tree
    if not kind:
        return request.run(parts)
    if kind in ("!", "?"):
        test = outcome(parts[0], request)
        if kind == "!" or test not in FLIP:
            return FLIP.get(test, test)
        return outcome(parts[1 if test == "true" else 2], request)
    stop = "true" if kind == "||" else "false"
    outcomes = set()
    for part in parts:
        outcomes.add(outcome(part, request))
        if stop in outcomes:
            return stop
    return "error" if "error" in outcomes else "null" if "null" in outcomes else FLIP[stop]


class CelRequest:
    """One message as expressions see it; values are converted once, and only when they are used."""

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
        self._steps = MAX_STEPS
        self._weights: list[int] = []
        self._patterns: dict[str, Any] = {}

    @property
    def exhausted(self) -> bool:
        """Have the expressions of this policy used up the steps of a request? Then nothing is decided."""
        return self._steps < 0

    def ready(self, names: frozenset[str], growth: int, maps: int, source: int) -> bool:
        """Add the values of the names to the library's context, and reset the meter."""
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
        size = self._size.text + self._size.nodes + source
        self._weight = size * growth * (self._size.longest if maps > 1 else 1)
        return not self._broken

    def begin(self, loads: list[Load]) -> bool:
        """Compute what each part of the expression costs with this message; spend the part outside all loops."""
        size = self._size
        copy = (size.nodes >> 5) + (size.text >> 15)
        element = (size.largest >> 5) + (min(size.text, size.largest * size.widest) >> 15)
        self._weights = [
            2 + (load.tokens >> 3) + load.reads * copy + load.elements * element + load.scans * (size.widest >> 13)
            + load.joins * load.joins * (size.widest >> 10)
            for load in loads
        ]  # fmt: skip
        return self._spend(self._weights[0])

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

    # INVARIANT: functions that the library calls never raise (it would log the message's text); they set a flag.
    def _fail(self) -> Any:
        self._failed = True
        return None

    def _spend(self, steps: int) -> bool:
        """INVARIANT: steps are counted, not timed: a verdict is the same on a fast and on a busy machine."""
        self._steps -= steps
        return self._steps >= 0

    def _tick(self, number: Any) -> Any:
        return True if self._spend(self._weights[number]) else self._fail()

    def _grow(self, number: Any) -> Any:
        self._left -= self._weight
        return self._tick(number) if self._left >= 0 else self._fail()

    def _weigh(self, value: Any) -> bool:
        """Spend steps for a value from the library: it is a copy of everything in it."""
        if isinstance(value, (str, bytes)):
            return self._spend(1 + (len(value) >> 9))
        items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        nested = any(isinstance(item, (list, dict, str)) for item in items)
        return self._spend(1 + (len(items) >> 3) + ((self._size.nodes >> 3) + (self._size.text >> 9) if nested else 0))

    def _count(self, *values: Any) -> Any:
        sized = len(values) == 1 and isinstance(values[0], (str, bytes, list, dict))
        return len(values[0]) if sized and self._weigh(values[0]) else self._fail()

    def _matches(self, *values: Any) -> Any:
        from mcpgov.guards.patterns import PatternError, compile_pattern

        if len(values) != 2 or not all(isinstance(text, str) for text in values):
            return self._fail()
        text, source = values
        pattern = self._patterns.get(source)
        if not self._spend(2 + (len(text) >> 4) + (0 if pattern else 50 + 8 * len(source))):
            return self._fail()
        try:
            if pattern is None:
                if len(self._patterns) >= MOST_PATTERNS:
                    self._patterns.clear()
                pattern = self._patterns[source] = compile_pattern(source)
            return pattern.search(text)
        except PatternError:
            return self._fail()

    def _parse(self, *values: Any) -> Any:
        import json

        try:
            paid = self._spend(20 + (len(values[-1]) >> 3))
            message: Any = plain(json.loads(values[-1]), Size()) if paid else None
            return parts_of(message["method"], message.get("id"), message.get("params") or {})
        except (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError):
            return self._fail()

    def _get(self, kind: str, many: bool, *values: Any) -> Any:
        if not 2 <= len(values) <= 3 or not isinstance(values[-2], str):
            return self._fail()
        if not all(map(self._weigh, values)):
            return self._fail()
        value = arguments_of(values[0] if len(values) == 3 else self._parts).get(values[-2])
        result = argument(kind, many, value, values[-1])
        return result if self._weigh(result) else self._fail()
