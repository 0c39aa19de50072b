"""Spans of a JSON text's parts: for lines that cannot be used as a whole, and for removing items. Pure.

Law: nothing is converted and nothing recurses; a span belongs to exactly one place of the text.
"""

from __future__ import annotations

from _json import scanstring

from mcpgov.core.json.values import BLANK, parse, quote, scanner
from mcpgov.core.messages.wire import SCAN_ERRORS, Verbatim, usable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_BLANKS = frozenset(BLANK)
_PAIRS = ("{}", "[]")
# Reading character by character is slow: longer texts are not read so.
MOST_LEXICAL = 1 << 20
MOST_ITEMS = 10_000  # of a batch
LONGEST_BEGINNING = 1 << 12
ANSWER_KEYS = ("result", "error")
_scan = scanner(parse_float=Verbatim, parse_int=Verbatim, pairs=None)  # type: ignore[arg-type]


def outline(text: str) -> tuple[str | int | None, frozenset[str]]:
    """(plain id, top-level keys with case folded) of an object that may hold anything inside; (None, none) of others.

    Plain: one top-level `id`, a string or an integer, and no look-alike of it.
    """
    try:
        spans, end = members(text, skip(text, 0))
    except SCAN_ERRORS:
        return None, frozenset()
    if text[end:].strip(BLANK):
        return None, frozenset()
    idents = [_ident(text[start:stop]) if key == "id" else None for key, start, stop in spans if key.casefold() == "id"]
    return idents[0] if len(idents) == 1 else None, frozenset(key.casefold() for key, _, _ in spans)


def beginning(text: str) -> tuple[str | int | None, frozenset[str]]:
    """outline() of the first LONGEST_BEGINNING characters, up to the first value that does not fit."""
    head = text[:LONGEST_BEGINNING]
    ident: str | int | None = None
    names: list[str] = []
    try:
        at = skip(head, 0)
        while head[at : at + 1] in ("{", ","):
            key, at = scanstring(head, skip(head, at + 1) + 1, True)
            names.append(key.casefold())
            start = skip(head, skip(head, at) + 1)
            at = skip(head, end_of(head, start))
            if names[-1] == "id" and at < len(head):
                ident = _ident(head[start:at])
    except SCAN_ERRORS:
        pass
    return ident if names.count("id") == 1 else None, frozenset(names)


def leading_request_id(text: str) -> str | int | None:
    """The id of a request, if it stands near the beginning. What looks like an answer has the other side's id."""
    ident, names = beginning(text)
    return ident if names.isdisjoint(ANSWER_KEYS) else None


def _ident(text: str) -> str | int | None:
    try:
        return usable(parse(text))
    except (ValueError, RecursionError):
        return None


def skip(text: str, at: int) -> int:
    while text[at : at + 1] in _BLANKS:
        at += 1
    return at


def end_of(text: str, at: int) -> int:
    """Where the value that begins at `at` ends. Raises what scanning raises."""
    try:
        return _scan(text, at)[1]
    except SCAN_ERRORS:
        if len(text) > MOST_LEXICAL:
            raise
        end = _lexical_end(text, at)
        if end == at:
            raise ValueError("not a value") from None
        return end


def _lexical_end(text: str, at: int) -> int:
    """end_of() by strings and brackets alone, where numbers are too large or values too deep for the scanner."""
    opened: list[str] = []
    while at < len(text):
        char = text[at]
        if char == '"':
            at = scanstring(text, at + 1, True)[1] - 1
        elif char in "{[":
            opened.append(char)
        elif char in "}]":
            if not opened:
                return at
            if opened.pop() + char not in _PAIRS:
                break
            if not opened:
                return at + 1
        elif char == "," and not opened:
            return at
        at += 1
    raise ValueError("not a value")


def members(text: str, at: int) -> tuple[list[tuple[str, int, int]], int]:
    """Key, start and end of each value of the object that begins at `at`, and where that ends."""
    out: list[tuple[str, int, int]] = []
    if text[at : at + 1] != "{":
        raise ValueError("not an object")
    at = skip(text, at + 1)
    while text[at : at + 1] == '"':
        key, at = scanstring(text, at + 1, True)
        at = skip(text, at)
        if text[at : at + 1] != ":":
            raise ValueError("not an object")
        start = skip(text, at + 1)
        end = end_of(text, start)
        out.append((key, start, end))
        at = skip(text, end)
        if text[at : at + 1] == ",":
            at = skip(text, at + 1)
    if text[at : at + 1] != "}":
        raise ValueError("not an object")
    return out, at + 1


def elements(text: str, at: int, most: int = -1) -> list[tuple[int, int]]:
    """Start and end of each value of the list that begins at `at`, or of its first `most` values."""
    out: list[tuple[int, int]] = []
    if text[at : at + 1] != "[":
        raise ValueError("not a list")
    at = skip(text, at + 1)
    while text[at : at + 1] not in ("]", "") and len(out) != most:
        end = end_of(text, at)
        out.append((at, end))
        at = skip(text, end)
        if text[at : at + 1] == ",":
            at = skip(text, at + 1)
    return out


def items(text: str) -> list[str]:
    """The texts of a batch's messages, up to MOST_ITEMS; empty: the text is no list."""
    try:
        return [text[start:end] for start, end in elements(text, skip(text, 0), MOST_ITEMS)]
    except SCAN_ERRORS:
        return []


def without_items(text: str, path: tuple[str, ...], removed: frozenset[int]) -> str:
    """The text of a valid object with some items of one of its lists taken out; every other character stays."""
    at = skip(text, 0)
    for key in path:
        at = next(start for name, start, _ in members(text, at)[0] if name == key)
    spans = elements(text, at)
    first, last = spans[0][0], spans[-1][1]
    out: list[str] = []
    for number, (start, end) in enumerate(spans):
        if number not in removed:
            # An item keeps the comma and the blanks before it, except the one that is now the first.
            out.append(text[spans[number - 1][1] : end] if out else text[start:end])
    return text[:first] + "".join(out) + text[last:]


def with_value(text: str, path: tuple[str, ...], value: str) -> str:
    """The text of a valid object with the text of one value replaced; unchanged if there is no such value."""
    at, end = skip(text, 0), len(text)
    for key in path:
        found = [(start, behind) for name, start, behind in members(text, at)[0] if name == key]
        if not found:
            return text
        at, end = found[0]
    return text[:at] + value + text[end:]


def with_texts(text: str, changed: object) -> str:
    """The text of a valid value with its strings replaced by those of `changed`; every other character stays.

    `changed` is the same value with other strings, in the same order. Keys are told by the `:` behind them.
    """
    out: list[str] = []
    new_strings = strings(changed)
    done, at = 0, text.find('"')
    while at >= 0:
        old, end = scanstring(text, at + 1, True)
        if text[skip(text, end) : skip(text, end) + 1] != ":":
            new = next(new_strings)
            if new != old:
                out += (text[done:at], quote(new))
                done = end
        at = text.find('"', end)
    return "".join((*out, text[done:]))


def strings(value: object) -> Iterator[str]:
    """The strings of a value in the order of its text, without keys and numbers."""
    stack = [value]
    while stack:
        node = stack.pop()
        if type(node) is str:
            yield node
        elif isinstance(node, dict):
            stack += reversed(node.values())
        elif isinstance(node, list):
            stack += reversed(node)
