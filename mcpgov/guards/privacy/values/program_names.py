"""Names that programs give their own things, and templates their places: classes, constants, types. Pure."""

from __future__ import annotations

from mcpgov.guards.privacy.values.randomness import is_dense
from mcpgov.guards.privacy.values.secret_values import HEX, changes

_WORD = 4  # small letters in a row that make a word of what a generator hardly has
_SHARE = 6  # tenths of a name that its words make
_MOST_DIGITS = 4
_LETTERS = bytes(code if chr(code).islower() else 32 for code in range(128)) + b" " * 128


def is_code(value: str) -> bool:
    """A name of a program: its parts begin with letters and have few digits, `Ed25519PrivateKey.from_bytes`."""
    if "." not in value and "_" not in value and "Key" not in value:
        return False
    parts = value.replace("_", ".").split(".")
    if not "".join(parts).isalnum() or changes(value) * 2 >= len(value):
        return False
    if value.endswith(("PrivateKey", "PublicKey", "SecretKey")):  # a class
        return True
    if any(len(part) >= 24 and is_dense(part) for part in parts):
        return False
    digits = sum(map(value.count, HEX[:10]))
    if digits > 7 and "." not in value:
        return False
    return all(part[:1].isalpha() for part in parts) and digits * 2 <= len(value) and (len(parts) > 1 or "Key" in value)


def is_worded_name(value: str) -> bool:
    """`FtpV11Credentials`, `exports.ApiV2010AccountTokenIceServers`: words and few digits, joined as in programs."""
    plain = value.replace(".", "").replace("_", "")
    if not plain.isalnum() or not plain.isascii() or sum(map(plain.count, HEX[:10])) > _MOST_DIGITS:
        return False
    words = plain.encode().translate(_LETTERS).split()
    # A word has one capital more, but the first of a name perhaps.
    size = sum(len(word) + 1 for word in words if len(word) >= _WORD)
    return size * 10 >= len(plain) * _SHARE


def is_constant(value: str) -> bool:
    """`GRANT_TYPE_SAML1_1`, `@ESXI1_PASSWORD`: capitals in parts, a number behind some of them."""
    parts = value.lstrip("@").split("_")
    if len(parts) < 2 or not value.isupper():
        return False
    return all(part.isdigit() or (part.rstrip(HEX[:10]).isalpha() and len(part) < 12) for part in parts)
