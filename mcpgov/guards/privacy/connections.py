"""Passwords of connection strings, `Server=h;User Id=u;Password=…`, and tokens that stand for a user in a URL.

Law: what is around a password says that something connects with it, so a weak one is told as well; a variable, or the
word that documents write there, is none.
"""

from __future__ import annotations

from mcpgov.guards.privacy.shape import ALNUM
from mcpgov.guards.privacy.values.randomness import is_dense

Span = tuple[int, int]
_AROUND = 120
_FIELDS = ("server=", "data source=", "datasource=", "user id=", "userid=", "uid=", "user=", "username=", "database=",
           "dbname=", "initial catalog=", "host=", "provider=", "driver=", "jdbc:")  # fmt: skip
_ENDS = " \t\r\n\"'`,;<>&\\"
_TO_END_OF_FIELD = bytes(0 if chr(code) in _ENDS else 65 for code in range(256))
_TO_END = bytes(0 if chr(code) in _ENDS.replace("&", "") else 65 for code in range(256))
_STAND_INS = frozenset(("password", "passwd", "yourpassword", "your_password", "your-password", "pass", "pwd", "none",
                        "null", "string", "changeme", "redacted", "hidden", "secretpassword"))  # fmt: skip
_VARIABLE = b"${}<>()[]%*="
_USER = ALNUM + "_-"
TOKEN = 20  # characters of a user's name, from which on it is a token


def connects(text: str, start: int, end: int) -> bool:
    """Do other fields of a connection stand around this place, in its line?"""
    before = text[max(0, start - _AROUND) : start].rpartition("\n")[2].lower()
    behind = text[end : end + _AROUND].partition("\n")[0].lower()
    known = sum(field in before or field in behind for field in _FIELDS)
    return known > 1 or (known == 1 and "://" in before and before.rfind("?") > before.rfind("://"))


def connection_password(text: str, start: int) -> Span | None:
    """The password of a connection string; `start` is its name, or the sign before it."""
    at = text.find("=", start, start + 24) + 1
    if not at:
        return None
    at += text[at : at + 1] == " "
    is_field = text[start : start + 1] in ("&", "?")
    window = text[at : at + 128]
    end = window.encode("ascii", "replace").translate(_TO_END_OF_FIELD if is_field else _TO_END).find(0)
    end = at + (len(window) if end < 0 else end)
    return (at, end) if is_weak_password(text[at:end]) and connects(text, start, end) else None


def is_weak_password(value: str) -> bool:
    """Could somebody have this as a password, however simple? No variable, no placeholder."""
    if not 5 <= len(value) <= 128 or not value.isascii() or len(value.encode().translate(None, _VARIABLE)) < len(value):
        return False
    low = value.lower()
    return low not in _STAND_INS and "xxx" not in low and "..." not in low and len(set(low)) > 2


def url_token(text: str, at: int) -> Span | None:
    """`://TOKEN@host`, `://TOKEN:@host`, with `at` at the colon: a token instead of a user's name."""
    start = at + 1
    while text[start : start + 1] and text[start] in "/\\":
        start += 1
    window = text[start : start + 101]
    token = window[: len(window) - len(window.lstrip(_USER))]
    behind = text[start + len(token) : start + len(token) + 2]
    if not TOKEN <= len(token) <= 100 or not (behind[:1] == "@" or behind == ":@"):
        return None
    return (start, start + len(token)) if any(map(is_dense, token.replace("-", "_").split("_"))) else None
