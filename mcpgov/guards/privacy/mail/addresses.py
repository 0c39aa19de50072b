"""Addresses of mail in a text, whole: in letters of any script, and without the escape or the quote beside them."""

from __future__ import annotations

from mcpgov.guards.privacy.mail.domains import is_domain
from mcpgov.guards.privacy.plain_text import escape_end
from mcpgov.guards.privacy.shape import ALNUM

_LOCAL = ALNUM + "._%+-"
ENCODED = "%40"  # the sign in a URL
_LABELS = ALNUM + ".-"
_LETTERS = frozenset(ALNUM)
_HEX = frozenset("0123456789ABCDEFabcdef")
_LONGEST_NAME = 64
_APOSTROPHES = "'\u2019"
_MOST_FIRST = 5  # letters and the apostrophe of `o'`, `d'`, `dell'`
_ENDS_URL = " \t\r\n\"'<>`?/"
Span = tuple[int, int]


def email(text: str, sign: int) -> Span | None:
    """An address around this `@`, or what stands for it in a URL."""
    start = _local_start(text, sign)
    behind = sign + (1 if text[sign] == "@" else len(ENCODED))
    domain = _domain(text, behind)
    if start >= sign or text[sign - 1] == "." or ".." in text[start:sign] or not domain:
        return None
    end = behind + len(domain)
    if text[start:sign] == "git" or text[end : end + 1] in ("@", "_"):
        return None
    if text[start - 1 : start] in (":", "/") and _names_user(text, start):
        return None
    return _with_first_letters(text, start, end), end


def _local_start(text: str, sign: int) -> int:
    """Where the name before this `@` begins: with letters of any script, behind an escape of a text or a URL."""
    start = begin = max(0, sign - _LONGEST_NAME)
    window = text[begin:sign]
    start += len(window.rstrip(_LOCAL))
    while (
        start > begin and _is_letter(text[start - 1]) and (text[start] not in _LETTERS or _is_spaced(text[start - 1]))
    ):
        while start > begin and _is_letter(text[start - 1]):
            start -= 1
        window = text[begin:start]
        start = begin + len(window.rstrip(_LOCAL))
    if text[start - 1 : start] == "\\":
        start = escape_end(text, start - 1)
    mark = text.rfind("%", start, sign - 2)
    if mark >= 0 and _HEX.issuperset(text[mark + 1 : mark + 3]):
        start = mark + 3
    while start < sign and text[start] in ".-%+":
        start += 1
    return start


def _with_first_letters(text: str, start: int, end: int) -> int:
    """Where `o'brien@…` begins; a quote before a word that another closes behind the address is a text's."""
    quote = text[start - 1 : start]
    if not quote or quote not in _APOSTROPHES or text[end : end + 1] == quote or not text[start].isalpha():
        return start
    first = start - 1
    while first > 0 and start - first <= _MOST_FIRST and text[first - 1].isalpha():
        first -= 1
    mark = text.rfind("%", max(0, first - 2), start)
    if mark >= 0 and _HEX.issuperset(text[mark + 1 : mark + 3]):
        first = mark + 3
    elif text[first - 1 : first] == "\\":
        first = escape_end(text, first - 1)
    elif text[first - 1 : first].isalnum() or text[first - 1 : first] in ("_", *_APOSTROPHES):
        return start
    return first if 0 < start - 1 - first < _MOST_FIRST else start


def _domain(text: str, at: int) -> str:
    """In letters of any script, or as much as is one in those of ASCII: text without blanks may follow."""
    window = text[at : at + 255]
    plain = window[: len(window) - len(window.lstrip(_LABELS))]
    behind = window[len(plain) : len(plain) + 1]
    if behind and _is_letter(behind):
        end = len(plain)
        while end < len(window) and (window[end] in _LABELS or _is_letter(window[end])):
            end += 1
        if is_domain(whole := window[:end].rstrip(".-")):
            return whole
    plain = plain.rstrip(".-")
    return plain if is_domain(plain) else ""


def _is_letter(sign: str) -> bool:
    """A letter beyond ASCII, or a sign that stands on one."""
    return not sign.isascii() and (sign.isalpha() or "\u0300" <= sign <= "\u036f")


def _is_spaced(sign: str) -> bool:
    """Is the script of this letter one that puts blanks between words?"""
    return not ("\u0e00" <= sign <= "\u109f" or "\u1780" <= sign <= "\u17ff" or sign >= "\u2e80")


def _names_user(text: str, at: int) -> bool:
    """Is it the user in `scheme://user@host`? Behind the host's slash an address is one."""
    before = text[max(0, at - 96) : at]
    _, slashes, host = before.rpartition("://")
    return bool(slashes) and not any(sign in host for sign in _ENDS_URL)
