"""Offsets of keys and values in a TOML text that is known to be valid. Pure. Law: offsets only, never values.

TOML 1.1: inline tables may span several lines, with comments and a trailing comma. A parser has read the text before;
callers compare each value at these offsets with what the parser read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mcpgov.configs.text.spans import InvalidText, Span

INLINE_TABLE, ARRAY, PLAIN = "inline table", "array", "plain"
MOST_DEEP = 64

_SPACE = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BLANK = re.compile(r"[ \t]*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_STRINGS = tuple(
    (opening, re.compile(pattern, re.S))
    for opening, pattern in (
        ('"""', r'"""(?:[^"\\]|\\.|"(?!""))*"{3,5}'),
        ("'''", r"'''(?:[^']|'(?!''))*'{3,5}"),
        ('"', r'"(?:[^"\\\n]|\\.)*"'),
        ("'", r"'[^'\n]*'"),
    )
)
_OTHER = re.compile(r"[^,\]}#\r\n]+")


@dataclass(frozen=True, slots=True)
class Value:
    """The span of a value; an array has elements, an inline table has pairs."""

    kind: str
    start: int
    end: int
    elements: tuple[Value, ...] = ()
    pairs: tuple[Assigned, ...] = ()


@dataclass(frozen=True, slots=True)
class Assigned:
    """`a.b = value`: the spans of the key's parts, and the value."""

    keys: tuple[Span, ...]
    value: Value


@dataclass(frozen=True, slots=True)
class Header:
    """`[a.b]` or `[[a.b]]`; [start:end] is all of it."""

    keys: tuple[Span, ...]
    start: int
    end: int


def statements(text: str, at: int = 0) -> Iterator[Header | Assigned]:
    """The headers and top-level pairs, in order."""
    at = _past(_SPACE, text, at)
    while at < len(text):
        if text[at] == "[":
            keys, end = _keys(text, at + (2 if text.startswith("[[", at) else 1))
            stop = end + (2 if text.startswith("[[", at) else 1)
            yield Header(keys, at, stop)
            at = stop
        else:
            pair = _pair(text, at, 0)
            yield pair
            at = pair.value.end
        at = _past(_SPACE, text, at)


def _past(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


def _lost(text: str, at: int) -> InvalidText:
    return InvalidText(f"not TOML that can be followed at line {text.count(chr(10), 0, at) + 1}")


def _string(text: str, at: int) -> int:
    """End of the string at `at`; 0 if there is none."""
    for opening, pattern in _STRINGS:
        if text.startswith(opening, at):
            match = pattern.match(text, at)
            if match is None:
                raise _lost(text, at)
            return match.end()
    return 0


def _keys(text: str, at: int) -> tuple[tuple[Span, ...], int]:
    """The parts of a dotted key, and the offset behind it."""
    spans: list[Span] = []
    while True:
        at = _past(_BLANK, text, at)
        end = _string(text, at) or _past(_BARE, text, at)
        if end == at:
            raise _lost(text, at)
        spans.append((at, end))
        at = _past(_BLANK, text, end)
        if text[at : at + 1] != ".":
            return tuple(spans), at
        at += 1


def _pair(text: str, at: int, depth: int) -> Assigned:
    keys, at = _keys(text, at)
    if text[at : at + 1] != "=":
        raise _lost(text, at)
    return Assigned(keys, _value(text, _past(_BLANK, text, at + 1), depth))


def _value(text: str, at: int, depth: int) -> Value:
    if depth > MOST_DEEP:
        raise InvalidText("not TOML that can be read: nested too deeply")
    if text[at : at + 1] == "[":
        return _array(text, at, depth + 1)
    if text[at : at + 1] == "{":
        return _inline(text, at, depth + 1)
    end = _string(text, at)
    if not end:
        match = _OTHER.match(text, at)
        if match is None:
            raise _lost(text, at)
        end = at + len(match[0].rstrip(" \t"))
    return Value(PLAIN, at, end)


def _array(text: str, start: int, depth: int) -> Value:
    values: list[Value] = []
    at = _past(_SPACE, text, start + 1)
    while text[at : at + 1] != "]":
        values.append(_value(text, at, depth))
        at = _next(text, values[-1].end, "]")
    return Value(ARRAY, start, at + 1, elements=tuple(values))


def _inline(text: str, start: int, depth: int) -> Value:
    pairs: list[Assigned] = []
    at = _past(_SPACE, text, start + 1)
    while text[at : at + 1] != "}":
        pairs.append(_pair(text, at, depth))
        at = _next(text, pairs[-1].value.end, "}")
    return Value(INLINE_TABLE, start, at + 1, pairs=tuple(pairs))


def _next(text: str, at: int, closing: str) -> int:
    """The offset of the next item, or of the closing bracket, behind an item's comma."""
    at = _past(_SPACE, text, at)
    if text[at : at + 1] == ",":
        return _past(_SPACE, text, at + 1)
    if text[at : at + 1] != closing:
        raise _lost(text, at)
    return at
