"""Places, spans and edits of a config text. Pure. Law: an edit has a span; every character outside it stays.

Offsets are character offsets in a `str`.
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


class InvalidText(ValueError):
    """The text is not valid, or not yet: empty, half written, or another format."""


class DuplicateKey(ValueError):
    """A key on the path of an edit occurs twice: readers differ in which one counts."""


@dataclass(frozen=True, slots=True)
class Member:
    """One key of an object; [start:end] is the text of its value.

    A TOML value may be spread over tables or dotted keys: then `start` equals `key_start`, [start:end] is its first
    piece, and it cannot be replaced as one text.
    """

    key: str
    key_start: int
    start: int
    end: int
    value: object


@dataclass(frozen=True, slots=True)
class Entry:
    """One server's entry; `pieces`: all of its text, [start:end]: the main piece. `fault`: why it cannot be edited."""

    place: Place
    value: object
    members: tuple[Member, ...]
    start: int
    end: int
    pieces: tuple[Span, ...]
    fault: str = ""


def raw(text: str, entry: Entry) -> str:
    """The whole text of an entry; separate pieces are joined by line ends."""
    return "\n".join(text[start:end] for start, end in entry.pieces)


def splice(text: str, edits: Sequence[Edit]) -> str:
    """Apply the edits; they may touch but not overlap."""
    parts: list[str] = []
    at = 0
    for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
        if not at <= start <= end <= len(text):
            raise ValueError(f"edits overlap or leave the text at {start}")
        parts += (text[at:start], new)
        at = end
    return "".join((*parts, text[at:]))


def member_index(members: Sequence[Member], key: str) -> int:
    """Index of the member with this key."""
    for at, member in enumerate(members):
        if member.key == key:
            return at
    raise KeyError(key)


def check_absent(members: Sequence[Member], key: str) -> None:
    if any(member.key == key for member in members):
        raise DuplicateKey(f"`{key}` is already there")


def quote(text: str) -> str:
    """A readable JSON string literal: only control characters and surrogates are escaped."""
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False))


def line_end(text: str) -> str:
    """The line end used in the text."""
    at = text.find("\n")
    return "\r\n" if at > 0 and text[at - 1] == "\r" else "\n"
