"""Colours of a terminal in a text, as they are or written: blanks in their place, or the text without them.

Laws: with blanks it is place for place the same text. What a colour splits is found in the text without them, and its
places are those of the text itself.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

_ESCAPE = "\x1b"
# How a colour begins where a text tells of a text.
_WRITTEN = ("\\u001b", "\\u001B", "\\x1b", "\\x1B", "\\033", "\\e[")
_PARAMETERS = "0123456789;:?<=>"
_MOST_PARAMETERS = 64
_SETS = "()*+"  # `ESC ( B`: a set of characters
_LINK = "]8;;"
_WORD = frozenset("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-.@+/")
Span = tuple[int, int]


def blanked(text: str) -> str:
    """The text with blanks for its colours."""
    if _ESCAPE not in text and "\\" not in text:
        return text
    places = colours(text)
    return replaced(text, [(start, end, " " * (end - start)) for start, end in places]) if places else text


class Joined:
    """A text without the colours that split a word of it; `span` tells where a part of it stands in the text itself."""

    __slots__ = ("_cuts", "_lengths", "text")

    def __init__(self, text: str, places: list[Span]) -> None:
        self.text = replaced(text, [(start, end, "") for start, end in places])
        self._lengths = [0, *accumulate(end - start for start, end in places)]
        # Where each was, in the text without them.
        self._cuts = [start - length for (start, _), length in zip(places, self._lengths, strict=False)]

    def span(self, start: int, end: int) -> Span:
        return self._at(start), self._at(end - 1) + 1

    def _at(self, place: int) -> int:
        return place + self._lengths[bisect_right(self._cuts, place)]


def joined(text: str) -> Joined | None:
    """None: no colour stands inside of a word."""
    places = colours(text)
    if not any(text[start - 1 : start] in _WORD and text[end : end + 1] in _WORD for start, end in places):
        return None
    return Joined(text, places)


def colours(text: str) -> list[Span]:
    """Where they are, in order and apart."""
    places: list[Span] = []
    if _ESCAPE in text:
        places = _places(text, _ESCAPE)
    if "\\" in text:
        for mark in _WRITTEN:
            if mark in text:
                places = sorted(places + _places(text, mark))
    return [place for at, place in enumerate(places) if not at or place[0] >= places[at - 1][1]]


def _places(text: str, mark: str) -> list[Span]:
    places = []
    at = text.find(mark)
    while at >= 0:
        end = _colour_end(text, at + len(mark.removesuffix("[")), is_written=mark != _ESCAPE)
        if end:
            places.append((at, end))
        at = text.find(mark, max(end, at + 1))
    return places


def _colour_end(text: str, at: int, *, is_written: bool) -> int:
    """Where a sequence ends whose escape ends at `at`; 0: it is none, and a written escape stays one."""
    sign = text[at : at + 1]
    if sign == "[":
        window = text[at + 1 : at + 1 + _MOST_PARAMETERS]
        end = at + 1 + len(window) - len(window.lstrip(_PARAMETERS))
        return end + ("@" <= text[end : end + 1] <= "~")
    if text.startswith(_LINK, at):
        return at + len(_LINK)
    if sign and sign in _SETS:
        return at + 2 if text[at + 1 : at + 2].isalnum() else at + 1
    return 0 if is_written else at


def replaced(text: str, places: list[tuple[int, int, str]]) -> str:
    out: list[str] = []
    done = 0
    for start, end, new in places:
        out += (text[done:start], new)
        done = end
    return "".join((*out, text[done:]))
