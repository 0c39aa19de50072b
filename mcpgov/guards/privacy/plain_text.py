"""A text as it is searched: colours of a terminal are blanks, odd blanks and dashes in a number are plain ones.

Laws: place for place the same text, so what is found is found in the text itself. Where this changes anything, the
gate matches in every JSON text of it. An escape of a text within a text, `\\u003c`, `\\x3c`, `\\n`, is never part of a
value.
"""

from __future__ import annotations

from mcpgov.guards.privacy import colours

BLANKS = "\u00a0\u2007\u2008\u2009\u200a\u202f"
DASHES = "\u2010\u2011\u2012\u2013"
# Digits as wide as letters of Chinese and Japanese, and what stands between them.
_WIDE = "".join(chr(0xFF10 + digit) for digit in range(10))
_WIDE_DIGITS = frozenset(_WIDE)
_WIDE_SIGNS = str.maketrans({**{sign: str(digit) for digit, sign in enumerate(_WIDE)}, "\uff0b": "+", "\uff0d": "-",
                             "\uff08": "(", "\uff09": ")", "\uff0e": ".", "\u3000": " "})  # fmt: skip
_BEFORE = frozenset("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ)")
_BEHIND = frozenset("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ(")
_HEX = frozenset("0123456789abcdefABCDEF")
_OCTAL = frozenset("01234567")
_HEX_SIGNS = {"x": 2, "u": 4, "U": 8}
_LETTERS = "nrt"  # others begin the name of a user behind that of a domain as often, `CORP\bob`


def plain(text: str) -> str:
    text = colours.blanked(text)
    return text if text.isascii() else plain_numbers(_narrow(text))


def _narrow(text: str) -> str:
    """With plain digits where two wide ones stand side by side."""
    for sign in _WIDE:
        at = text.find(sign)
        while at >= 0:
            if text[at + 1 : at + 2] in _WIDE_DIGITS:
                return text.translate(_WIDE_SIGNS)
            at = text.find(sign, at + 1)
    return text


def plain_numbers(text: str) -> str:
    """With plain blanks and dashes between digits and capitals, which is how numbers of all kinds go on."""
    places = []
    for signs, plain_sign in ((BLANKS, " "), (DASHES, "-")):
        for sign in signs:
            at = text.find(sign)
            while at >= 0:
                if text[at - 1 : at] in _BEFORE and text[at + 1 : at + 2] in _BEHIND:
                    places.append((at, at + 1, plain_sign))
                at = text.find(sign, at + 1)
    return colours.replaced(text, sorted(places)) if places else text


def escape_end(text: str, at: int) -> int:
    """Behind the escape that begins with the backslash at `at`; behind that alone where it begins none."""
    sign = text[at + 1 : at + 2]
    if not sign:
        return at + 1
    count = _HEX_SIGNS.get(sign)
    if count is not None:
        digits = text[at + 2 : at + 2 + count]
        return at + 2 + count if len(digits) == count and _HEX.issuperset(digits) else at + 1
    if sign in _OCTAL:
        return at + 4 if _OCTAL.issuperset(text[at + 1 : at + 4]) and text[at + 3 : at + 4] else at + 2
    return at + 2 if sign in _LETTERS else at + 1


def ends_escape(text: str, at: int) -> bool:
    """Does an escape end right before `at`?"""
    if at > 1 and text[at - 2] == "\\" and text[at - 1] in "nrtbf":
        return True
    if text[at - 3 : at - 2] == "%" and _HEX.issuperset(text[at - 2 : at]):  # a sign in a URL
        return True
    begin = text.rfind("\\", max(0, at - 10), at)
    return begin >= 0 and escape_end(text, begin) == at


def without_escapes(text: str, start: int, end: int) -> tuple[int, int] | None:
    """What of a value is no part of an escape that its beginning or its end would cut in two."""
    if start and text[start - 1] == "\\":
        start = escape_end(text, start - 1)
    while end > start and text[end - 1] == "\\":
        end -= 1
    return (start, end) if start < end else None
