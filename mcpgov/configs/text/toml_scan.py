"""Where keys and values stand in a TOML text that is known to be valid. Pure. Law: this says where, never what.

TOML 1.1: inline tables may stand on several lines, with comments and a trailing comma. The text has been read by a
parser before; whoever asks compares each value found here with what that parser read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mcpgov.configs.text.spans import Broken, Span

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
    """A value's text. An array has elements, an inline table has keys."""

    kind: str
    start: int
    end: int
    elements: tuple[Value, ...] = ()
    pairs: tuple[Assigned, ...] = ()


@dataclass(frozen=True, slots=True)
class Assigned:
    """`a.b = value`: where each part of the key stands, and the value."""

    keys: tuple[Span, ...]
    value: Value


@dataclass(frozen=True, slots=True)
class Header:
    """`[a.b]` or `[[a.b]]`; [start:end] is all of it."""

    keys: tuple[Span, ...]
    start: int
    end: int


def statements(text: str, at: int = 0) -> Iterator[Header | Assigned]:
    """The headers and the pairs outside of values, in order."""
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
    found = pattern.match(text, at)
    return found.end() if found else at


def _lost(text: str, at: int) -> Broken:
    return Broken(f"not TOML that can be followed at line {text.count(chr(10), 0, at) + 1}")


def _string(text: str, at: int) -> int:
    """Where the string at `at` ends; 0: there is none."""
    for opening, pattern in _STRINGS:
        if text.startswith(opening, at):
            found = pattern.match(text, at)
            if found is None:
                raise _lost(text, at)
            return found.end()
    return 0


def _keys(text: str, at: int) -> tuple[tuple[Span, ...], int]:
    """The parts of a dotted key, and where what follows it begins."""
    found: list[Span] = []
    while True:
        at = _past(_BLANK, text, at)
        end = _string(text, at) or _past(_BARE, text, at)
        if end == at:
            raise _lost(text, at)
        found.append((at, end))
        at = _past(_BLANK, text, end)
        if text[at : at + 1] != ".":
            return tuple(found), at
        at += 1


def _pair(text: str, at: int, depth: int) -> Assigned:
    keys, at = _keys(text, at)
    if text[at : at + 1] != "=":
        raise _lost(text, at)
    return Assigned(keys, _value(text, _past(_BLANK, text, at + 1), depth))


def _value(text: str, at: int, depth: int) -> Value:
    if depth > MOST_DEEP:
        raise Broken("not TOML that can be read: nested too deeply")
    if text[at : at + 1] == "[":
        return _array(text, at, depth + 1)
    if text[at : at + 1] == "{":
        return _inline(text, at, depth + 1)
    end = _string(text, at)
    if not end:
        found = _OTHER.match(text, at)
        if found is None:
            raise _lost(text, at)
        end = at + len(found[0].rstrip(" \t"))
    return Value(PLAIN, at, end)


def _array(text: str, start: int, depth: int) -> Value:
    held: list[Value] = []
    at = _past(_SPACE, text, start + 1)
    while text[at : at + 1] != "]":
        held.append(_value(text, at, depth))
        at = _next(text, held[-1].end, "]")
    return Value(ARRAY, start, at + 1, elements=tuple(held))


def _inline(text: str, start: int, depth: int) -> Value:
    held: list[Assigned] = []
    at = _past(_SPACE, text, start + 1)
    while text[at : at + 1] != "}":
        held.append(_pair(text, at, depth))
        at = _next(text, held[-1].value.end, "}")
    return Value(INLINE_TABLE, start, at + 1, pairs=tuple(held))


def _next(text: str, at: int, closing: str) -> int:
    """Past the comma behind an item, to the next item or to what closes them all."""
    at = _past(_SPACE, text, at)
    if text[at : at + 1] == ",":
        return _past(_SPACE, text, at + 1)
    if text[at : at + 1] != closing:
        raise _lost(text, at)
    return at
