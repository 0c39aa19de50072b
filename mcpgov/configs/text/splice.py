"""Locate values in JSON, JSONC and TOML text, and splice. Pure. Law: every other character stays.

`find` -> spans -> `splice` -> `verify`: what was not meant to change has not changed, and the new text was read
whole. The dialects live in json_text, json_edit, toml_text and toml_edit; the words in spans.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, zip_longest

from mcpgov.configs.text import json_edit, json_text, spans, toml_edit, toml_text
from mcpgov.configs.text.spans import Broken, Edit, Entry, Member, Place, Span, Twice, raw, splice

__all__ = [
    "GONE", "JSON", "JSONC", "TOML", "Broken", "Edit", "Entry", "Member", "Place", "Span", "Survey", "Twice",
    "Unintended", "comma", "elements", "find", "insert_after", "insert_entry", "keys", "members", "only_difference",
    "parse", "quote", "raw", "remove", "splice", "survey", "verify",
]  # fmt: skip

JSON, JSONC, TOML = "json", "jsonc", "toml"
GONE = object()  # in what is intended: the entry is there no more
_STEP = 1 << 20
Group = Entry | Sequence[Member]


@dataclass(frozen=True, slots=True)
class Survey:
    """The entries, the objects that hold them (empty ones too), and what stands where such an object should."""

    entries: list[Entry]
    containers: tuple[Place, ...]
    faults: tuple[tuple[Place, str], ...]


class Unintended(ValueError):
    """The new text differs from the old one in more than what was meant."""


def parse(text: str, dialect: str) -> object:
    """The value of the whole text."""
    return toml_text.parse(text) if dialect == TOML else json_text.read(text, dialect == JSONC, json_text.value)


def quote(dialect: str, text: str) -> str:
    """A string literal; it reads the same in JSON and TOML."""
    if dialect == TOML and any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ValueError("half a character cannot stand in TOML")
    return spans.quote(text)


def find(text: str, dialect: str, patterns: Sequence[Place]) -> list[Entry]:
    """All entries that match a pattern, in text order, in one pass over a text that is read whole."""
    return survey(text, dialect, patterns).entries


def survey(text: str, dialect: str, patterns: Sequence[Place]) -> Survey:
    if dialect == TOML:
        found = toml_text.find(text, patterns)
        boxes = tuple(dict.fromkeys(entry.place[:-1] for entry in found))
        return Survey(found, boxes, tuple(toml_text.faults(text, patterns)))
    walk = _walk(text, dialect, patterns, False)
    return Survey(walk.entries, tuple(walk.containers), tuple(walk.faults))


def keys(text: str, dialect: str, place: Place) -> list[str]:
    """The keys of the object at a place, none where there is no object; its values are not kept."""
    if dialect == TOML:
        return [member.key for entry in toml_text.find(text, [place]) for member in entry.members]
    levels = json_text.read(text, dialect == JSONC, lambda view: json_edit.trail(view, place))
    return [member.key for member in levels[-1].members] if len(levels) > len(place) else []


def _walk(text: str, dialect: str, patterns: Sequence[Place], outline: bool) -> json_text.Walk:
    def job(view: str) -> json_text.Walk:
        walk = json_text.Walk(view, [] if outline else None)
        walk.run(patterns)
        return walk

    return json_text.read(text, dialect == JSONC, job)


def members(text: str, dialect: str, start: int, end: int) -> tuple[Member, ...]:
    """The members of the object (in TOML: the inline table) at [start:end]; of anything else none."""
    if dialect == TOML:
        return toml_text.members(text, start)

    def job(view: str) -> tuple[Member, ...]:
        found = json_text.members(view, start)[0]
        json_text.once(view, found)
        return found

    return json_text.read(text, dialect == JSONC, job) if text[start:end].startswith("{") else ()


def elements(text: str, dialect: str, start: int, end: int) -> tuple[Span, ...]:
    """Where the elements of the array at [start:end] stand; of anything else none."""
    if dialect == TOML:
        return toml_text.elements(text, start)

    def job(view: str) -> tuple[Span, ...]:
        return json_text.elements(view, start)

    return json_text.read(text, dialect == JSONC, job) if text[start:end].startswith("[") else ()


def comma(text: str, dialect: str, end: int) -> int | None:
    """Where the comma behind an element that ends here stands, past blanks and comments; None where there is none."""
    return toml_text.comma(text, end) if dialect == TOML else json_text.comma(text, end)


def _members(group: Group) -> Sequence[Member]:
    return group.members if isinstance(group, Entry) else group


def insert_after(text: str, dialect: str, group: Group, key: str, new_key: str, raw: str) -> Edit:
    """A new member straight after member `key`, in the layout of its neighbours."""
    insert = toml_edit.insert_after if dialect == TOML else json_edit.insert_after
    return insert(text, _members(group), key, new_key, raw)


def remove(text: str, dialect: str, group: Group, key: str) -> Edit:
    """Take out a member and its comma or line: the exact inverse of `insert_after`."""
    take = toml_edit.remove if dialect == TOML else json_edit.remove
    return take(text, _members(group), key)


def insert_entry(text: str, dialect: str, container: Place, name: str, raw: str) -> list[Edit]:
    """Add an entry at the end of the container, made where it is missing.

    `raw` is the value's text in JSON; in TOML the body of its table, lines of `key = value` without headers.
    """
    if dialect == TOML:
        return toml_edit.insert_entry(text, container, name, raw)
    return json_text.read(text, dialect == JSONC, lambda view: json_edit.insert_entry(text, view, container, name, raw))


def only_difference(before: object, after: object, allowed: Sequence[Place]) -> bool:
    """Are both the same but for what stands, or does not stand, at the allowed places? Order of keys counts."""
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
                # A parent that was made on the way to an allowed place is as good as empty.
                absent: object = {} if rest else GONE
                stack.append((one.get(key, absent), other.get(key, absent), rest))
        elif isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                return False
            stack += [(left, right, ()) for left, right in zip(one, other, strict=True)]
        # Floats and dates: equal is not the same (0.0 and -0.0, one moment in two time zones).
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
    found: Sequence[Entry] | None = None,
) -> None:
    """Raise Unintended unless the intended entries, and nothing else, have changed into the values given.

    `after` is read whole. `found` spares reading `before` again: what `find` gave for it with these patterns.
    """
    was = {entry.place: entry for entry in (find(before, dialect, patterns) if found is None else found)}
    now = {entry.place: entry for entry in find(after, dialect, patterns)}
    for place, value in intended.items():
        entry = now.get(place)
        if not (entry is None if value is GONE else entry is not None and _same(entry.value, value, (), False)):
            raise Unintended(f"`{'.'.join(place)}` did not become what was meant")
    changed = intended.keys() & now.keys()
    if was.keys() == now.keys():
        same = _same_outside((before, [was[place] for place in changed]), (after, [now[place] for place in changed]))
    elif dialect == TOML:
        same = only_difference(toml_text.parse(before), toml_text.parse(after), list(intended))
    else:
        stretches = [_outline(text, dialect, patterns, intended) for text in (before, after)]
        same = all(one == other for one, other in zip_longest(*stretches))
    if not same:
        raise Unintended("more than the intended entries has changed")


def _same_outside(one: tuple[str, list[Entry]], other: tuple[str, list[Entry]]) -> bool:
    """Is the text around the entries the same? Compared in steps: a slice of a big text is a copy of it."""
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
    """Every value on the way to the entries with its text, in order, but for what is intended and its parents."""
    parents = {place[:depth] for place in intended for depth in range(len(place))}
    for place, start, end in _walk(text, dialect, patterns, True).stops or ():
        inside = any(place[:depth] in intended for depth in range(len(place) + 1))
        if not inside and not (end < 0 and place in parents):
            yield place, text[start : max(start, end)]
