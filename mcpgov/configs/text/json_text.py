"""Offsets of the values in a JSON or JSONC text. Pure.

Law: `json`'s own decoder reads every value once, at C speed; this module only steps between them. A JSONC text is read
with comments and trailing commas replaced by blanks, so offsets stay those of the original text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NoReturn, TypeVar

from mcpgov.configs.text.spans import DuplicateKey, Entry, InvalidText, Member, Place, Span

T = TypeVar("T")
Fault = tuple[Place, str]  # a place, and what stands there
# A step of the walk: a skipped value, an entry, or (end < 0) an object that was entered.
Stop = tuple[Place, int, int]
Visit = Callable[[str, int, int], int]

_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*"'
# Atomic group: no backtracking into a comment.
COMMENT = r"(?>//[^\r\n]*|/\*.*?\*/)"
_COMMENTS = re.compile(rf"{_STRING}|({COMMENT})", re.S)
# A comma without a value before it is not a trailing comma: it stays, and the decoder rejects it.
_TRAILING = re.compile(rf"{_STRING}|[\[{{:,][ \t\r\n]*,|(,)(?=[ \t\r\n]*[\]}}])", re.S)
_TAIL = re.compile(rf"(?:[ \t\r\n]|{COMMENT})*,", re.S)
_INK = re.compile(r"[^\r\n]")
_SPACE = re.compile(r"[ \t\r\n]*").match
_COLON = re.compile(r"[ \t\r\n]*:[ \t\r\n]*").match
_AFTER = re.compile(r"[ \t\r\n]*(?:,[ \t\r\n]*|(\}))").match
_BOM = "\ufeff"


def kind_of(value: object) -> str:
    """The type of a value, for messages."""
    names = ((bool, "true or false"), (str, "a text"), (list, "a list"), (int | float, "a number"), (dict, "an object"))
    return next((name for kind, name in names if isinstance(value, kind)), "null")


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"`{name}` is not JSON")


decode = json.JSONDecoder(parse_constant=_refuse).raw_decode
_string = json.decoder.scanstring  # type: ignore[attr-defined]


def _blank(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda match: _INK.sub(" ", match[0]) if match[1] else match[0], text)


def without_comments(text: str) -> str:
    """The text with comments and trailing commas replaced by spaces."""
    return _blank(_TRAILING, _blank(_COMMENTS, text))


def skip(text: str, at: int) -> int:
    """The offset after white space."""
    match = _SPACE(text, at)
    return match.end() if match else at


def first(text: str) -> int:
    """Offset of the top-level value."""
    return skip(text, int(text.startswith(_BOM)))


def _broken(text: str, at: int, wanted: str) -> InvalidText:
    line = text.count("\n", 0, at) + 1
    return InvalidText(f"not JSON: {wanted} expected at line {line}")


def read(text: str, comments: bool, job: Callable[[str], T]) -> T:
    """Run a job on the text as strict JSON; with `comments`, if that fails, on the text without comments."""
    try:
        return _read(text, job)
    except InvalidText:
        if not comments:
            raise
    return _read(without_comments(text), job)


def _read(text: str, job: Callable[[str], T]) -> T:
    try:
        return job(text)
    except (InvalidText, DuplicateKey):
        raise
    except json.JSONDecodeError as error:
        raise InvalidText(f"not JSON: {error.msg.lower().removesuffix(' at')} at line {error.lineno}") from None
    except RecursionError:
        raise InvalidText("not JSON that can be read: nested too deeply") from None
    except ValueError as error:  # a constant, or a number longer than Python reads
        raise InvalidText(f"not JSON: {error}") from None


def expect_end(text: str, at: int) -> None:
    """Raise InvalidText unless only white space is left."""
    if skip(text, at) != len(text):
        raise _broken(text, at, "end of text")


def value(text: str) -> object:
    decoded, end = decode(text, first(text))
    expect_end(text, end)
    return decoded


def walk_object(text: str, at: int, visit: Visit) -> int:
    """Walk the object at `at`; visit(key, key start, value start) returns where the value ends."""
    at = skip(text, at + 1)
    if text[at : at + 1] == "}":
        return at + 1
    while True:
        if text[at : at + 1] != '"':
            raise _broken(text, at, "a key")
        key, end = _string(text, at + 1)
        colon = _COLON(text, end)
        if colon is None:
            raise _broken(text, skip(text, end), "`:`")
        end = visit(key, at, colon.end())
        after = _AFTER(text, end)
        if after is None:
            raise _broken(text, skip(text, end), "`,` or `}`")
        at = after.end()
        if after.lastindex:
            return at


def members(text: str, start: int) -> tuple[tuple[Member, ...], int]:
    """The members of the object at `start`, and where it ends."""
    found: list[Member] = []

    def visit(key: str, key_start: int, start: int) -> int:
        value, end = decode(text, start)
        found.append(Member(key, key_start, start, end, value))
        return end

    end = walk_object(text, start, visit)
    return tuple(found), end


def duplicate_key(text: str, key: str, at: int) -> DuplicateKey:
    return DuplicateKey(f"`{key}` stands twice in one object, again at line {text.count(chr(10), 0, at) + 1}")


def check_unique(text: str, members: Sequence[Member], key: str | None = None) -> None:
    """Raise DuplicateKey if a key (or only `key`) occurs twice."""
    seen: set[str] = set()
    for member in members:
        if key in (None, member.key):
            if member.key in seen:
                raise duplicate_key(text, member.key, member.key_start)
            seen.add(member.key)


def elements(text: str, start: int) -> tuple[Span, ...]:
    """Spans of the elements of the array at `start`."""
    spans: list[Span] = []
    at = skip(text, start + 1)
    while text[at : at + 1] != "]":
        end = decode(text, at)[1]
        spans.append((at, end))
        at = skip(text, end)
        if text[at : at + 1] == ",":
            at = skip(text, at + 1)
        elif text[at : at + 1] != "]":
            raise _broken(text, at, "`,` or `]`")
    return tuple(spans)


def comma(text: str, end: int) -> int | None:
    """Offset of the comma behind a value, after blanks and comments; None without one."""
    match = _TAIL.match(text, end)
    return match.end() - 1 if match else None


@dataclass(frozen=True, slots=True)
class Walk:
    """One pass over a text: follows the patterns key by key and skips everything else at the decoder's speed."""

    text: str
    stops: list[Stop] | None = None  # collected only on request: a text may have a million keys
    entries: list[Entry] = field(default_factory=list)
    containers: list[Place] = field(default_factory=list)  # the objects whose members are entries
    index: dict[Place, int] = field(default_factory=dict)  # place -> index in `entries`
    faults: list[Fault] = field(default_factory=list)  # other values where an object is expected

    def run(self, patterns: Sequence[Place]) -> None:
        start = first(self.text)
        if self.text[start : start + 1] == "{":
            end = self._down(start, (), patterns)
        else:
            decoded, end = decode(self.text, start)
            self.faults.append(((), kind_of(decoded)))
        expect_end(self.text, end)

    def _down(self, at: int, place: Place, patterns: Sequence[Place]) -> int:
        seen: set[str] = set()
        named = {pattern[0] for pattern in patterns}
        every = "*" in named

        def visit(key: str, key_start: int, start: int) -> int:
            # INVARIANT: duplicates of a key outside the patterns do not matter.
            if not every and key not in named:
                return self._past(start, place, key)
            rest = [pattern[1:] for pattern in patterns if pattern[0] in ("*", key)]
            if key in seen:
                error = duplicate_key(self.text, key, key_start)
                if any(rest):
                    raise error
                # A duplicate server name must not affect the other entries.
                self._stands_twice((*place, key), str(error))
                return self._past(start, place, key)
            seen.add(key)
            return self._value(start, (*place, key), rest)

        return walk_object(self.text, at, visit)

    def _stands_twice(self, place: Place, why: str) -> None:
        at = self.index[place]
        self.entries[at] = replace(self.entries[at], fault=self.entries[at].fault or why)

    def _past(self, start: int, place: Place, key: str) -> int:
        end = decode(self.text, start)[1]
        if self.stops is not None:
            self.stops.append(((*place, key), start, end))
        return end

    def _value(self, start: int, place: Place, rest: Sequence[Place]) -> int:
        deeper = [pattern for pattern in rest if pattern]
        is_object = self.text[start : start + 1] == "{"
        entered = is_object and bool(deeper)
        end = -1
        if len(deeper) < len(rest):
            end = self._entry(start, place, is_object)
        elif not entered:
            decoded, end = decode(self.text, start)
            if decoded is not None:  # null is as good as nothing
                self.faults.append((place, kind_of(decoded)))
        self._stop(place, start, -1 if entered else end)
        if not entered:
            return end
        if any(len(pattern) == 1 for pattern in deeper):
            self.containers.append(place)
        return self._down(start, place, deeper)

    def _entry(self, start: int, place: Place, is_object: bool) -> int:
        inner: tuple[Member, ...] = ()
        fault = ""
        if is_object:
            inner, end = members(self.text, start)
            value: object = {member.key: member.value for member in inner}
            try:
                check_unique(self.text, inner)
            except DuplicateKey as error:  # must not affect the other entries
                fault = str(error)
        else:
            value, end = decode(self.text, start)
        self.index[place] = len(self.entries)
        self.entries.append(Entry(place, value, inner, start, end, ((start, end),), fault))
        return end

    def _stop(self, place: Place, start: int, end: int) -> None:
        if self.stops is not None:
            self.stops.append((place, start, end))
