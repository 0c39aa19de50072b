"""Names and values in a URL, `access_token%3D…%26`, `%22api_key%22%3A%22…%22`: what stands for a sign ends a value."""

from __future__ import annotations

_QUOTES = ("%22", "%27")
_ASSIGNS = ("%3a", "%3d")
_BLANKS = ("%20", "+")
# What ends a value: a blank, a new line, a quote, `&`, `)`, `,`, `;`, `<`, `>`, `]`, `}`. Others are signs of its own.
_ENDS = frozenset(("%20", "%09", "%0a", "%0d", "%22", "%27", "%26", "%29", "%2c", "%3b", "%3c", "%3e", "%5d", "%7d"))
_LONGEST = 400


def value_start(text: str, at: int) -> int:
    """Behind what assigns to the name that ends at `at`; -1: nothing does."""
    at = _behind(text, at, _QUOTES)
    if text[at : at + 3].lower() not in _ASSIGNS:
        return -1
    return _behind(text, _behind(text, at + 3, _BLANKS), _QUOTES)


def value_end(text: str, at: int, end: int) -> int:
    """Where a value ends that begins at `at` and reaches `end` at most."""
    place = text.find("%", at, min(end, at + _LONGEST))
    while place >= 0 and text[place : place + 3].lower() not in _ENDS:
        place = text.find("%", place + 3, min(end, at + _LONGEST))
    return place if place >= 0 else end


def _behind(text: str, at: int, signs: tuple[str, ...]) -> int:
    sign = next((sign for sign in signs if text.startswith(sign, at)), "")
    return at + len(sign)
