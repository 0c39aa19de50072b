"""Edits of TOML texts in their existing layout. Pure. Law: `remove` exactly reverses `insert_after`.

A pair of a table has its own line; pairs of an inline table are separated by commas.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mcpgov.configs.text.spans import (
    DuplicateKey,
    Edit,
    InvalidText,
    Member,
    Place,
    check_absent,
    line_end,
    member_index,
    quote,
)
from mcpgov.configs.text.toml_scan import INLINE_TABLE
from mcpgov.configs.text.toml_text import BOM, Pair, line_stop, pair_at, pairs, parse, tables

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_COMMA = re.compile(r"[ \t]*,[ \t]*")


def toml_string(text: str) -> str:
    """A string literal. Raises ValueError for a lone surrogate, which TOML does not allow."""
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ValueError("half a character cannot stand in TOML")
    return quote(text)


def toml_key(name: str) -> str:
    return name if _BARE.fullmatch(name) else toml_string(name)


def dotted_key(place: Sequence[str]) -> str:
    return ".".join(map(toml_key, place))


def _pair(text: str, members: Sequence[Member], key: str) -> Pair:
    pair = pair_at(text, members[member_index(members, key)].start)
    if pair is None:
        raise ValueError(f"`{key}` is not one value but a table of its own")
    return pair


def _line(text: str, pair: Pair) -> tuple[int, int, str]:
    """Start and end of a pair's lines without the line end, and that line end ("" at the end of the text)."""
    stop = line_stop(text, pair.end)
    ends = text[stop : stop + 2]
    start = text.rfind("\n", 0, pair.start) + 1 or int(text.startswith(BOM))
    return start, stop, ends if ends == "\r\n" else ends[:1]


def insert_after(text: str, members: Sequence[Member], key: str, new_key: str, raw: str) -> Edit:
    check_absent(members, new_key)
    pair = _pair(text, members, key)
    last, key_end = pair.keys[-1]
    new = text[pair.start : last] + toml_key(new_key) + text[key_end : pair.value.start] + raw
    if pair.inline:
        return pair.end, pair.end, f", {new}"
    start, stop, ends = _line(text, pair)
    new = text[start : pair.start] + new
    return (stop + len(ends),) * 2 + (new + ends if ends else line_end(text) + new,)


def remove(text: str, members: Sequence[Member], key: str) -> Edit:
    """A comment on the line stays."""
    pair = _pair(text, members, key)
    if pair.inline:
        return _remove_inline(text, pair)
    start, stop, ends = _line(text, pair)
    rest = text[pair.end : stop].strip(" \t")
    if rest:
        return pair.start, stop, rest
    above = text[:start].endswith("\n")
    return line_stop(text, start - 1) if above and not ends else start, stop + len(ends), ""


def _remove_inline(text: str, pair: Pair) -> Edit:
    """Between the pairs of an inline table there are only blanks and a comma."""
    head = text[: pair.start].rstrip(" \t")
    if head.endswith(","):
        return len(head[:-1].rstrip(" \t")), pair.end, ""
    comma = _COMMA.match(text, pair.end)
    return pair.start, comma.end() if comma else pair.end, ""


def insert_entry(text: str, container: Place, name: str, raw: str) -> list[Edit]:
    """Add a table at the end of the text; `raw`: its body, lines of `key = value` without headers.

    If the container is an inline table, the pairs of `raw` become one more value in it.
    """
    value = parse(text)
    for at, key in enumerate(container):
        inner = value.get(key, {})
        if not isinstance(inner, dict):
            raise InvalidText(f"`{'.'.join(container[: at + 1])}` is not a table")
        value = inner
    if name in value:
        raise DuplicateKey(f"`{name}` is already there")
    parse(raw)
    body, *headers = tables(raw)
    if headers:
        raise ValueError("the body of a table has no headers")
    place = (*container, name)
    outer = _inline(text, container)
    return [_append(text, place, raw) if outer is None else _into(text, outer, place, raw, body.pairs)]


def _inline(text: str, container: Place) -> Pair | None:
    """The innermost inline table that is the container or contains it."""
    table = None
    waiting = [pair for table in tables(text) for pair in table.pairs]
    while waiting:
        pair = waiting.pop()
        if pair.value.kind == INLINE_TABLE and container[: len(pair.place)] == pair.place:
            table = pair
            waiting = list(pairs(text, pair.value, pair.place))
    return table


def _into(text: str, outer: Pair, place: Place, raw: str, body: Sequence[Pair]) -> Edit:
    inner = ", ".join(raw[pair.start : pair.end] for pair in body)
    new = f"{dotted_key(place[len(outer.place) :])} = {{ {inner} }}"
    beside = list(pairs(text, outer.value, ()))
    if beside:
        return beside[-1].end, beside[-1].end, f", {new}"
    return outer.value.start + 1, outer.end - 1, f" {new} "


def _append(text: str, place: Place, raw: str) -> Edit:
    ends = line_end(text)
    apart = "" if text.endswith(ends * 2) else ends if text.endswith("\n") else ends * 2
    lines = [f"[{dotted_key(place)}]", *raw.replace("\r\n", "\n").strip("\n").split("\n"), ""]
    return len(text), len(text), apart + ends.join(lines)
