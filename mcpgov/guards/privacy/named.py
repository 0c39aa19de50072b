"""Keys and passwords that the name before them tells: `api_key = "…"`, `"password": "…"`, `Authorization: Bearer …`."""

from __future__ import annotations

from itertools import pairwise

from mcpgov.guards.privacy.shape import ALNUM, is_mixed

_NAME = ALNUM + "_-."
_QUOTES = "\"'`"
_ENDS = " \t\r\n\"'`,;<>()[]{}\\"
_DIGITS = "0123456789"
_HEX = _DIGITS + "abcdef"
Span = tuple[int, int]
MOST_NAMES = 512
PASSWORDS = ("passw", "passphrase", "pwd", "_pw")
# Parts of the names of secrets, as the gate has them.
NAMES = (
    *PASSWORDS, "secret", "token", "credential", "authorization", "apikey", "api_key", "api-key", "accesskey",
    "access_key", "access-key", "privatekey", "private_key", "authkey", "auth_key", "accountkey", "account_key",
)  # fmt: skip
# Names that end alike, of what is no secret: pages of lists, forms, languages' tokens, public halves.
_HARMLESS = (
    "page", "next", "cursor", "continu", "sync", "csrf", "xsrf", "token_type", "tokenizer", "public", "max_", "num",
    "count", "limit", "cache", "hash", "digest", "checksum", "sha", "md5", "_id", "-id", "keyid", "url", "uri", "path",
    "file", "dir", "name", "field", "header", "length", "size", "expir", "version", "tokens", "integrity",
    "fingerprint", "arn", "test", "fake", "mock", "sample", "dummy", "idempot", "partition", "placeholder",
)  # fmt: skip
_STAND_INS = ("example", "xxxx", "your", "placeholder", "redacted", "changeme", "dummy", "test", "fake", "sample",
              "123456", "abcdefg", "insert", "secret", "foobar", "passw", "sha256", "sha512", "sha1")  # fmt: skip


_known: dict[str, bool] = {}


def is_name(name: str) -> bool:
    """Is it the name of a secret? Keys repeat in every row of a result, so what was asked is kept."""
    known = _known.get(name)
    if known is None:
        if len(_known) >= MOST_NAMES:
            _known.clear()
        low = name.lower()
        known = any(word in low for word in NAMES) and not any(word in low for word in _HARMLESS)
        _known[name] = known
    return known


def is_named_secret(name: str, value: str) -> bool:
    """Is a value secret because the key of the object that holds it says so?"""
    if not is_name(name):
        return False
    return _is_password(value, '"') if any(word in name.lower() for word in PASSWORDS) else is_secret(value)


def named_value(text: str, start: int, end: int) -> Span | None:
    """The value of a name that begins at `start`; the gate has seen it up to `end`."""
    sign = start
    while sign < end and text[sign] in _NAME:
        sign += 1
    before = text[max(0, start - 40) : start]
    name = (before[len(before.rstrip(_NAME)) :] + text[start:sign]).lower()
    at = _value_start(text, sign, name)
    if at < 0:
        return None
    quote = text[at - 1] if text[at - 1] in _QUOTES else ""
    stop = _value_end(text, at, quote)
    value = text[at:stop]
    if not quote and (text[stop : stop + 1] == "(" or _is_code(value)):
        return None
    if any(word in name for word in _HARMLESS):
        return None
    is_password = any(word in name for word in PASSWORDS)
    good = _is_password(value, quote) if is_password else is_secret(value)
    return (at, stop) if good else None


def _is_code(value: str) -> bool:
    """A name of a program: its parts begin with letters and have few digits, `Ed25519PrivateKey.from_bytes`."""
    parts = value.replace("_", ".").split(".")
    if not "".join(parts).isalnum():
        return False
    digits = sum(sign in _DIGITS for sign in value)
    return all(part[:1].isalpha() for part in parts) and digits * 2 <= len(value) and (len(parts) > 1 or "Key" in value)


def _value_start(text: str, at: int, name: str) -> int:
    while text[at : at + 1] and text[at] in "\\\"'`])":
        at += 1
    closed = at > 0 and text[at - 1] in _QUOTES
    begin = at
    at = _behind_blanks(text, at)
    sign = text[at : at + 1]
    if sign in (":", "=", "?") or (sign == "," and closed):
        while text[at : at + 1] and text[at] in ":=?,>":
            at += 1
    elif not (name.startswith("--") and at > begin):
        return -1
    at = _behind_blanks(text, at)
    while text[at : at + 1] and text[at] in "\\\"'`(":
        at += 1
    return _behind_scheme(text, at)


def _behind_blanks(text: str, at: int) -> int:
    while text[at : at + 1] in (" ", "\t") or text.startswith("\\t", at):
        at += 1 if text[at] != "\\" else 2
    return at


def _behind_scheme(text: str, at: int) -> int:
    """Behind `Bearer `, `Basic `, `Token `, which name how a key is sent."""
    word, blank, _ = text[at : at + 8].partition(" ")
    return at + len(word) + 1 if blank and word.lower() in ("bearer", "basic", "token", "ntlm", "digest") else at


def _value_end(text: str, at: int, quote: str) -> int:
    if quote:
        end = text.find(quote, at, at + 400)
        if end >= 0:
            return end - (text[end - 1] == "\\")
    end = at
    while end < len(text) and end - at < 6000 and text[end] not in _ENDS and text[end] != "&":
        end += 1
    return end


def bearer(text: str, at: int) -> Span | None:
    """`Bearer X`, wherever it stands."""
    start = _behind_scheme(text, at)
    end = _value_end(text, start, "")
    value = text[start:end].rstrip(".,")
    return (start, start + len(value)) if start > at and is_secret(value) else None


def is_secret(value: str) -> bool:
    """At least 16 characters without blanks that no person would have put together: digits among letters."""
    lower = value.lower()
    if not 16 <= len(value) <= 6000 or not value.isascii() or any(sign in value for sign in " $<>{}()[]*,;|\\^"):
        return False
    if any(word in lower for word in _STAND_INS) or "://" in value or value[:1] in "./@#%":
        return False
    digits = sum(sign in _DIGITS for sign in value)
    letters = sum(sign.isalpha() for sign in value)
    if digits < 2 or letters < 4 or len(set(value)) < 9 or value[-1] == ":" or value[:2] == "0x" or _is_uuid(value):
        return False
    if not lower.strip(_HEX):
        return len(value) >= 32
    return _changes(value) * 4 >= len(value) or is_mixed(value)


def _is_uuid(value: str) -> bool:
    return len(value) == 36 and value[8] == value[13] == value[18] == value[23] == "-"


def _changes(value: str) -> int:
    """How often letters, capitals, digits and signs take turns; in words joined by signs rarely."""
    kinds = [_kind(sign) for sign in value]
    return sum(one != other for one, other in pairwise(kinds))


def _kind(sign: str) -> int:
    if sign in _DIGITS:
        return 0
    return 1 if sign.islower() else 2 if sign.isupper() else 3


def _is_password(value: str, quote: str) -> bool:
    lower = value.lower()
    if not 8 <= len(value) <= 128 or not value.isascii() or lower[0] in "$%/.":
        return False
    if any(sign in value for sign in " <>{}()[],;\\"):
        return False
    if any(word in lower for word in _STAND_INS) or "://" in value or value[:2] == "0x" or len(set(value)) < 6:
        return False
    digits = sum(sign in _DIGITS for sign in value)
    letters = sum(sign.isalpha() for sign in value)
    if not digits or letters < 2:
        return False
    return _changes(value) >= (3 if quote else 4)
