"""Judge a `when` expression. Law: an error never opens a door, and nothing a policy or a message holds can hang.

Four outcomes: "true", "false", "null" (a read through an absent part of mcpRequest: no match for any rule) and
"error" (no match for allow and log, a match for deny, prompt and redact).
The library evaluates the terms; the `!`, `&&`, `||`, `?:` that join them are ours, because only so a null read
stays apart from an error in the term beside it.
"""

import time
from functools import partial
from typing import Any

from mcpgov.guards.cel_names import GETTERS, MAX_CPU, MAX_GROWTH, MAX_SOURCE, CelError, library
from mcpgov.guards.cel_source import Source, Tree
from mcpgov.guards.cel_values import Size, argument, arguments_of, parts_of, plain

__all__ = ["CelError", "Expression", "Request", "prepare"]

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
