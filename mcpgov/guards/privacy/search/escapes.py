"""A text that tells of a text, read as that one: lines of JSON, JSON in a fence. Pure.

Law: what is found in it has its place in the text itself, each escape whole.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate

MARK = "\\u00"
_HEX = frozenset("0123456789abcdefABCDEF")
_SIGNS = range(0x20, 0x7F)
_LENGTH = len("\\u0040")


class Unescaped:
    """`text`: the signs in place of their escapes; `span` tells where a part of it stands in the text itself."""

    __slots__ = ("_lengths", "_places", "text")

    def __init__(self, text: str, escapes: list[tuple[int, int, str]]) -> None:
        out: list[str] = []
        done = 0
        for start, end, sign in escapes:
            out += (text[done:start], sign)
            done = end
        self.text = "".join((*out, text[done:]))
        self._lengths = [0, *accumulate(end - start - 1 for start, end, _ in escapes)]
        # Where the signs are.
        self._places = [start - gone for (start, _, _), gone in zip(escapes, self._lengths, strict=False)]

    def span(self, start: int, end: int) -> tuple[int, int]:
        return self._at(start), self._at(end)

    def _at(self, place: int) -> int:
        return place + self._lengths[bisect_left(self._places, place)]


def unescaped(text: str) -> Unescaped | None:
    """None: it has no escape of a sign of ASCII. Each may be one of a text within such a text, `\\\\u0040`."""
    escapes: list[tuple[int, int, str]] = []
    done = 0
    at = text.find(MARK)
    while at >= 0:
        code = text[at + len(MARK) : at + _LENGTH]
        if len(code) == 2 and _HEX.issuperset(code) and int(code, 16) in _SIGNS:
            start = at
            while start > done and text[start - 1] == "\\":
                start -= 1
            done = at + _LENGTH
            escapes.append((start, done, chr(int(code, 16))))
        at = text.find(MARK, at + 1)
    return Unescaped(text, escapes) if escapes else None


def as_meant(value: str) -> str:
    """A value that may be written with escapes."""
    read = unescaped(value) if MARK in value else None
    return value if read is None else read.text
