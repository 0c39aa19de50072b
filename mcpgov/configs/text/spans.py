"""Places, spans and edits of a config text. Pure. Law: an edit names what it replaces; every other character stays.

Offsets count characters of a `str`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

Place = tuple[str, ...]  # keys from the root; in a pattern "*" is any key
Span = tuple[int, int]
Edit = tuple[int, int, str]

_UNSAFE = re.compile(r"[\x7f-\x9f\ud800-\udfff]")


class Broken(ValueError):
    """The text is not valid, or not yet: empty, half written, another language."""


class Twice(ValueError):
    """A key stands twice where we would edit, or on the way there: which one counts is the reader's guess."""


@dataclass(frozen=True, slots=True)
class Member:
    """One key of an object; [start:end] is its value's text.

    In TOML a value may be spread over tables or dotted keys: then it cannot be replaced as a text, `start` is
    `key_start` and [start:end] its first piece.
    """

    key: str
    key_start: int
    start: int
    end: int
    value: object


@dataclass(frozen=True, slots=True)
class Entry:
    """One server's stanza; `pieces` is all of its text, [start:end] the main piece. `fault`: why it is not edited."""

    place: Place
    value: object
    members: tuple[Member, ...]
    start: int
    end: int
    pieces: tuple[Span, ...]
    fault: str = ""


def raw(text: str, entry: Entry) -> str:
    """The whole text of an entry; pieces that stand apart are joined by line ends."""
    return "\n".join(text[start:end] for start, end in entry.pieces)


def splice(text: str, edits: Sequence[Edit]) -> str:
    """The text with each span replaced; two edits may touch, never overlap."""
    parts: list[str] = []
    at = 0
    for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
        if not at <= start <= end <= len(text):
            raise ValueError(f"edits overlap or leave the text at {start}")
        parts += (text[at:start], new)
        at = end
    return "".join((*parts, text[at:]))


def pick(members: Sequence[Member], key: str) -> int:
    """Which member has this key."""
    for at, member in enumerate(members):
        if member.key == key:
            return at
    raise KeyError(key)


def no_second(members: Sequence[Member], key: str) -> None:
    if any(member.key == key for member in members):
        raise Twice(f"`{key}` is already there")


def quote(text: str) -> str:
    """A JSON string literal, readable: only what cannot stand in a file or on a screen is escaped."""
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))


def line_end(text: str) -> str:
    """How the text ends its lines."""
    at = text.find("\n")
    return "\r\n" if at > 0 and text[at - 1] == "\r" else "\n"
