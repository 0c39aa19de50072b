"""Locate and splice values in JSON, JSONC and TOML texts: the one entrance for all dialects. Pure.

`find` -> spans -> `splice` -> `verify`: the new text is parsed completely, and only the intended entries may differ.
The dialects are in json_text, json_edit, toml_text and toml_edit; the types in spans.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, zip_longest

from mcpgov.configs.text import json_edit, json_text, spans, toml_edit, toml_text
from mcpgov.configs.text.spans import DuplicateKey, Edit, Entry, InvalidText, Member, Place, Span, raw, splice

__all__ = [
    "GONE",
    "JSON",
    "JSONC",
    "TOML",
    "DuplicateKey",
    "Edit",
    "Entry",
    "InvalidText",
    "Member",
    "Place",
    "Span",
    "Survey",
    "UnintendedChange",
    "comma",
    "elements",
    "find",
    "insert_after",
    "insert_entry",
    "keys",
    "members",
    "only_difference",
    "parse",
    "quote",
    "raw",
    "remove",
    "splice",
    "survey",
    "verify",
]  # fmt: skip

JSON, JSONC, TOML = "json", "jsonc", "toml"
GONE = object()  # as an intended value: the entry is removed
_STEP = 1 << 20
Group = Entry | Sequence[Member]


@dataclass(frozen=True, slots=True)
class Survey:
    """The entries, the objects that contain them (also empty ones), and other values where such objects belong."""

    entries: list[Entry]
    containers: tuple[Place, ...]
    faults: tuple[tuple[Place, str], ...]


class UnintendedChange(ValueError):
    """The new text differs from the old one in more than the intended entries."""


def parse(text: str, dialect: str) -> object:
    """The value of the whole text."""
    return toml_text.parse(text) if dialect == TOML else json_text.read(text, dialect == JSONC, json_text.value)


def quote(dialect: str, text: str) -> str:
    """A string literal that is valid in JSON and TOML."""
    return toml_edit.toml_string(text) if dialect == TOML else spans.quote(text)


def find(text: str, dialect: str, patterns: Sequence[Place]) -> list[Entry]:
    """All entries that match a pattern, in text order; the whole text is parsed."""
    return survey(text, dialect, patterns).entries


def survey(text: str, dialect: str, patterns: Sequence[Place]) -> Survey:
    if dialect == TOML:
        entries = toml_text.find(text, patterns)
        containers = tuple(dict.fromkeys(entry.place[:-1] for entry in entries))
        return Survey(entries, containers, tuple(toml_text.faults(text, patterns)))
    walk = _walk(text, dialect, patterns, False)
    return Survey(walk.entries, tuple(walk.containers), tuple(walk.faults))


def keys(text: str, dialect: str, place: Place) -> list[str]:
    """The keys of the object at a place; none without an object."""
    if dialect == TOML:
        return [member.key for entry in toml_text.find(text, [place]) for member in entry.members]
    levels = json_text.read(text, dialect == JSONC, lambda view: json_edit.levels_to(view, place))
    return [member.key for member in levels[-1].members] if len(levels) > len(place) else []


def _walk(text: str, dialect: str, patterns: Sequence[Place], outline: bool) -> json_text.Walk:
    def job(view: str) -> json_text.Walk:
        walk = json_text.Walk(view, [] if outline else None)
        walk.run(patterns)
        return walk

    return json_text.read(text, dialect == JSONC, job)


def members(text: str, dialect: str, start: int, end: int) -> tuple[Member, ...]:
    """The members of the object (in TOML: inline table) at [start:end]; () for any other value."""
    if dialect == TOML:
        return toml_text.members(text, start)

    def job(view: str) -> tuple[Member, ...]:
        found = json_text.members(view, start)[0]
        json_text.check_unique(view, found)
        return found

    return json_text.read(text, dialect == JSONC, job) if text[start:end].startswith("{") else ()


def elements(text: str, dialect: str, start: int, end: int) -> tuple[Span, ...]:
    """Spans of the elements of the array at [start:end]; () for any other value."""
    if dialect == TOML:
        return toml_text.elements(text, start)

    def job(view: str) -> tuple[Span, ...]:
        return json_text.elements(view, start)

    return json_text.read(text, dialect == JSONC, job) if text[start:end].startswith("[") else ()


def comma(text: str, dialect: str, end: int) -> int | None:
    """Offset of the comma behind an element that ends here, after blanks and comments; None without one."""
    return toml_text.comma(text, end) if dialect == TOML else json_text.comma(text, end)


def _members(group: Group) -> Sequence[Member]:
    return group.members if isinstance(group, Entry) else group


def insert_after(text: str, dialect: str, group: Group, key: str, new_key: str, raw: str) -> Edit:
    """Insert a member directly after member `key`, in the layout of its neighbours."""
    insert = toml_edit.insert_after if dialect == TOML else json_edit.insert_after
    return insert(text, _members(group), key, new_key, raw)


def remove(text: str, dialect: str, group: Group, key: str) -> Edit:
    """Remove a member with its comma or line: the exact inverse of `insert_after`."""
    take = toml_edit.remove if dialect == TOML else json_edit.remove
    return take(text, _members(group), key)


def insert_entry(text: str, dialect: str, container: Place, name: str, raw: str) -> list[Edit]:
    """Add an entry at the end of the container, which is created if missing.

    `raw`: in JSON the value's text; in TOML the body of its table, lines of `key = value` without headers.
    """
    if dialect == TOML:
        return toml_edit.insert_entry(text, container, name, raw)
    return json_text.read(text, dialect == JSONC, lambda view: json_edit.insert_entry(text, view, container, name, raw))


def only_difference(before: object, after: object, allowed: Sequence[Place]) -> bool:
    """Are both equal, including the order of keys, except at the allowed places?"""
    return _same(before, after, allowed, True)


def _same(before: object, after: object, allowed: Sequence[Place], ordered: bool) -> bool:
    stack: list[tuple[object, object, Sequence[Place]]] = [(before, after, allowed)]
    while stack:
        one, other, free = stack.pop()
        if () in free:
            continue
        if type(one) is not type(other):
            return False
        if isinstance(one, dict) and isinstance(other, dict):
            if ordered and _keys(one, free) != _keys(other, free):
                return False
            for key in one.keys() | other.keys():
                rest = [place[1:] for place in free if place[0] == key]
                # A parent created on the path to an allowed place counts as empty.
                absent: object = {} if rest else GONE
                stack.append((one.get(key, absent), other.get(key, absent), rest))
        elif isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                return False
            stack += [(left, right, ()) for left, right in zip(one, other, strict=True)]
        # Floats and dates are compared by repr: 0.0 == -0.0, and so are equal moments in two time zones.
        elif one != other if isinstance(one, str | int) else repr(one) != repr(other):
            return False
    return True


def _keys(value: dict[str, object], free: Sequence[Place]) -> list[str]:
    ways = {place[0] for place in free}
    return [key for key in value if key not in ways]


def verify(
    before: str,
    after: str,
    dialect: str,
    patterns: Sequence[Place],
    intended: Mapping[Place, object],
    entries: Sequence[Entry] | None = None,
) -> None:
    """Raise UnintendedChange unless exactly the intended entries have changed, into the given values.

    `after` is parsed completely. `entries`: the result of `find` for `before`, to avoid parsing it again.
    """
    was = {entry.place: entry for entry in (find(before, dialect, patterns) if entries is None else entries)}
    now = {entry.place: entry for entry in find(after, dialect, patterns)}
    for place, value in intended.items():
        entry = now.get(place)
        if not (entry is None if value is GONE else entry is not None and _same(entry.value, value, (), False)):
            raise UnintendedChange(f"`{'.'.join(place)}` did not become what was meant")
    changed = intended.keys() & now.keys()
    if was.keys() == now.keys():
        same = _same_outside((before, [was[place] for place in changed]), (after, [now[place] for place in changed]))
    elif dialect == TOML:
        same = only_difference(toml_text.parse(before), toml_text.parse(after), list(intended))
    else:
        stretches = [_outline(text, dialect, patterns, intended) for text in (before, after)]
        same = all(one == other for one, other in zip_longest(*stretches))
    if not same:
        raise UnintendedChange("more than the intended entries has changed")


def _same_outside(one: tuple[str, list[Entry]], other: tuple[str, list[Entry]]) -> bool:
    """Is the text around the entries equal? Compared in steps: a slice of a large text would copy it."""
    left, right = _gaps(*one), _gaps(*other)
    if [end - start for start, end in left] != [end - start for start, end in right]:
        return False
    return all(
        one[0][a : min(a + _STEP, end)] == other[0][b : min(b + _STEP, end - start + begin)]
        for (start, end), (begin, _) in zip(left, right, strict=True)
        for a, b in zip(range(start, end, _STEP), count(begin, _STEP), strict=False)
    )


def _gaps(text: str, entries: Sequence[Entry]) -> list[Span]:
    pieces = sorted(piece for entry in entries for piece in entry.pieces)
    starts = [0, *(end for _, end in pieces)]
    return list(zip(starts, [*(start for start, _ in pieces), len(text)], strict=True))


def _outline(
    text: str, dialect: str, patterns: Sequence[Place], intended: Mapping[Place, object]
) -> Iterator[tuple[Place, str]]:
    """Every value on the path to the entries with its text, in order, except intended ones and their parents."""
    parents = {place[:depth] for place in intended for depth in range(len(place))}
    for place, start, end in _walk(text, dialect, patterns, True).stops or ():
        inside = any(place[:depth] in intended for depth in range(len(place) + 1))
        if not inside and not (end < 0 and place in parents):
            yield place, text[start : max(start, end)]
