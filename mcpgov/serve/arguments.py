"""Arguments of a tool call, checked against the tool's schema and our bounds; texts escaped. Pure.

Laws: what is not in the schema is refused, as are wrong types, texts that are too long and numbers that JSON has not.
No character of a request that acts or hides is in an answer: it is shown by its number.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from mcpgov.core.approvals.question import cut_middle
from mcpgov.serve.tools import LONGEST_WAIT, PERMIT, SHORTEST_WAIT, USUAL_WAIT

LONGEST = {"description": 4096, "reason": 4096, "target": 8192, "justification": 2000, "resource": 2048}
LONGEST_NAME = 256
MOST_BITS = 1023  # of an integer, as of the largest double
MOST_SHOWN = 40  # characters of a name in an error
_TYPES: dict[str, type | tuple[type, ...]] = {"string": str, "integer": int, "object": dict}
_WORDS = {"string": "a text", "integer": "a whole number", "object": "an object"}


class WrongArguments(ValueError):
    """What is wrong with the arguments, for whoever called."""


def checked(tool: Mapping[str, Any], given: Mapping[str, object] | None) -> dict[str, Any]:
    """The arguments as the tool's schema has them. Raises WrongArguments."""
    schema = tool["inputSchema"]
    known: Mapping[str, Any] = schema["properties"]
    arguments: dict[str, Any] = dict(given or {})
    for name in schema.get("required", ()):
        if name not in arguments:
            raise WrongArguments(f"`{name}` is missing")
    for name, value in arguments.items():
        if name not in known:
            raise WrongArguments(f"`{escaped(name[:MOST_SHOWN])}` is no argument of {tool['name']}")
        if known[name]["type"] == "integer" and isinstance(value, float) and value.is_integer():
            arguments[name] = value = int(value)  # 30.0 is a whole number to JSON Schema
        _check(name, value, known[name])
    if tool["name"] == PERMIT:
        wait = arguments.setdefault("timeout_seconds", USUAL_WAIT)
        if not SHORTEST_WAIT <= wait <= LONGEST_WAIT:
            raise WrongArguments(f"`timeout_seconds` goes from {SHORTEST_WAIT} to {LONGEST_WAIT}")
    return arguments


def _check(name: str, value: object, schema: Mapping[str, Any]) -> None:
    kind = schema["type"]
    if not isinstance(value, _TYPES[kind]) or isinstance(value, bool):
        raise WrongArguments(f"`{name}` should be {_WORDS[kind]}")
    if not isinstance(value, str):
        if not all_finite(value):
            raise WrongArguments(f"`{name}` holds a number that is too large, or none")
        return
    if "enum" in schema and value not in schema["enum"]:
        raise WrongArguments(f"`{name}` should be one of {', '.join(schema['enum'])}")
    if len(value) > (most := LONGEST.get(name, LONGEST_NAME)):
        raise WrongArguments(f"`{name}` is longer than {most} characters")
    if any(0xD800 <= ord(char) < 0xE000 for char in value if not char.isascii()):
        raise WrongArguments(f"`{name}` holds half a character")


def all_finite(value: object) -> bool:
    """Is every number in it one that any reader of JSON can read? Not NaN, 1e999 or integers without end."""
    if isinstance(value, dict):
        return all(map(all_finite, value.values()))
    if isinstance(value, list):
        return all(map(all_finite, value))
    if isinstance(value, int):
        return value.bit_length() <= MOST_BITS
    return not isinstance(value, float) or isfinite(value)


def escaped(text: str) -> str:
    """One line of characters that can be seen; the others by their number."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _number(ord(char)) for char in text)


def _number(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def escaped_and_cut(text: str) -> str:
    """The same, cut in the middle where it is long."""
    return escaped(cut_middle(text))
