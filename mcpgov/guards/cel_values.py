"""A message's values as expressions see them, and the getters that read arguments by type.

Law: sizes are capped before anything is evaluated; no JSON value makes a getter raise.
"""

import re
from math import isfinite
from typing import Any

from mcpgov.guards.cel_names import FIELDS, MAX_DEPTH, MAX_NODES, MAX_TEXT, PARTS
from mcpgov.guards.go_names import STRUCTS, go_view

NUMBER = re.compile(r"[+-]?\d{1,400}(\.\d{1,400})?([eE][+-]?\d{1,4})?", re.ASCII)
SURROGATES = dict.fromkeys(range(0xD800, 0xE000), 0xFFFD)  # as most servers decode them


class Size:
    """The size of one request; above the caps it is refused before any evaluation."""

    __slots__ = ("largest", "longest", "nodes", "text", "widest")

    def __init__(self) -> None:
        self.nodes = self.text = 0
        self.longest = 1
        self.widest = 0  # characters of one text
        self.largest = 0  # nodes of one element of a list

    def add(self, text: int, items: int, depth: int) -> None:
        self.nodes += 1
        self.text += text
        self.longest = max(self.longest, items)
        self.widest = max(self.widest, text)
        if self.nodes > MAX_NODES or self.text > MAX_TEXT or depth > MAX_DEPTH:
            raise ValueError("too large")


def plain(value: Any, size: Size, depth: int = 0) -> Any:
    """A copy of a value that the library can convert."""
    if isinstance(value, str):
        size.add(len(value), 0, depth)
        return value if value.isascii() else value.translate(SURROGATES)
    if isinstance(value, list):
        size.add(0, len(value), depth)
        items = []
        for item in value:
            before = size.nodes
            items.append(plain(item, size, depth + 1))
            size.largest = max(size.largest, size.nodes - before)
        return items
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
        part = go_view(params, STRUCTS[PARTS[method]])
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
