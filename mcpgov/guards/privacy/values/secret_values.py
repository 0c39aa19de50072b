"""Could a value be a key or a password, by its own look? Asked where a name, a command or a sentence says so."""

from __future__ import annotations

from binascii import Error, a2b_base64
from itertools import pairwise

from mcpgov.guards.privacy.values.randomness import is_mixed, turns

HEX = "0123456789abcdef"
_DIGITS = b"0123456789"
_LETTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
LEAST = 16  # characters of a key; a shorter one must be more random
_SHORTEST = 12
# What stands for a value in documents, and what nobody gives out as a key.
_PLACEHOLDERS = ("example", "xxxx", "your", "placeholder", "redacted", "changeme", "dummy", "insert", "here")
_STAND_INS = (*_PLACEHOLDERS[:-1], "test", "fake", "sample", "secret", "foobar", "passw", "sha256", "sha512", "sha1")
_NAMES = ("_key", "_token", "_secret", "_password")  # what ends so in small letters is itself a name of a secret
# Parts of the names of algorithms, without their numbers.
_ALGORITHMS = frozenset((
    "aes", "argon", "b", "bcrypt", "blake", "camellia", "cbc", "ccm", "cfb", "chacha", "cmac", "crypt", "ctr",
    "curve", "d", "des", "dh", "dhe", "dsa", "ec", "ecb", "ecdh", "ecdhe", "ecdsa", "ed", "eddsa", "eax",
    "edwards", "es", "fips", "gcm", "gmac", "group", "hkdf", "hmac", "hs", "i", "id", "k", "kw", "md", "mgf",
    "mode", "nistp", "none", "nopadding", "oaep", "ofb", "padding", "pbkdf", "pkcs", "plain", "plus", "poly",
    "ps", "pss", "r", "rc", "ripemd", "rs", "rsa", "s", "salsa", "scram", "scrypt", "secp", "sha", "siv",
    "ssha", "tls", "v", "with", "x", "xchacha", "xts",
))  # fmt: skip
_JOINTS = str.maketrans(dict.fromkeys("-_/.:0123456789", " "))
_SEQUENCES = ("123456", "abcdefg")
_ANY_STAND_INS = (*_STAND_INS, *_SEQUENCES)
_SIGNS = b" $<>{}()[]*,;|\\^"
_NOT_IN_PASSWORDS = b" <>{}()[],;\\"
# The kind of each sign of ASCII: digit, small letter, capital, other.
_KINDS = bytes(
    ord("9" if chr(code).isdigit() else "a" if chr(code).islower() else "A" if chr(code).isupper() else ".")
    for code in range(128)
) + bytes(128)
# What the standards of OAuth write in their examples, and documents after them.
_DOCUMENTED = frozenset((
    "2YotnFZFEjr1zCsicMWpAA", "tGzv3JOkF0XG5Qx2TlKWIA", "czZCaGRSa3F0MzpnWDFmQmF0M2JW", "ad180jjd733klru7",
    "dpf43f3p2l4k3l03", "hh5s93j4hdidpola", "hdhd0244k9j7ao03", "nnch734d00sl2jdk", "pfkkdhi9sl3r4s00",
    "0685bd9184jfhq22", "kkk9d7dh3k39sjv7", "SplxlOBeZQQYbYS6WxSbIA", "7Fjfp0ZBr1KtDRbnfVdmIw", "mF_9.B5f-4.1JqM",
))  # fmt: skip


def is_secret(value: str, is_issued: bool = False, least_hex: int = 32) -> bool:
    """No blanks, and put together as by no person: digits among letters.

    `is_issued`: an issuer is named, so a sequence of a keyboard is a key that somebody has made up; `least_hex`:
    digits of a hexadecimal number that is one where none is.
    """
    if not _SHORTEST <= len(value) <= 6000 or not value.isascii() or value[0] in "./@#%":
        return False
    raw = value.encode()
    if len(raw.translate(None, _SIGNS)) < len(raw) or value[-1] == ":" or value[-2:] == ".." or value[:2] == "0x":
        return False
    digits = len(raw) - len(raw.translate(None, _DIGITS))
    if len(set(raw)) < (6 if is_issued else 9) or len(raw) - len(raw.translate(None, _LETTERS)) < 4:
        return False
    if digits < 2 and not (_is_shuffled(value) or (is_issued and len(value) > 19 and changes(value) * 3 >= len(value))):
        return False
    lower = value.lower()
    for word in _PLACEHOLDERS if is_issued else _ANY_STAND_INS:
        if word in lower:
            return False
    if "://" in value or value in _DOCUMENTED or is_uuid(value) or is_version(value):
        return False
    return _is_mixed_up(value, lower, digits, is_issued, least_hex) and not (
        _is_worded(value) or _is_qualified(value) or (lower.endswith(_NAMES) and value == lower)
    )


def _is_mixed_up(value: str, lower: str, digits: int, is_issued: bool, least_hex: int) -> bool:
    if not lower.strip(HEX):
        return len(value) >= (20 if is_issued else least_hex)
    if len(value) < LEAST:
        return digits > 2 and value != lower and value.isalnum() and changes(value) * 2 >= len(value)
    if is_issued and len(value) > 19 and value.isalnum():
        return True
    # In a long value fewer turns will do: words joined by signs are rarely that long.
    is_long = len(value) >= 32 or (is_issued and value != lower)
    return changes(value) * (6 if is_long else 4) >= len(value) or is_mixed(value)


def _is_shuffled(value: str) -> bool:
    """Small letters and capitals as by chance, more than in `namesWrittenLikeThis`."""
    return len(value) > 23 and value.isalnum() and changes(value) * 5 >= len(value) * 2


def is_version(value: str) -> bool:
    """`v1.2.3-…`, `1.4`: numbers with dots begin it."""
    head = value.lstrip("v").split("-")[0]
    return "." in head and head.replace(".", "").isdigit()


def _is_worded(value: str) -> bool:
    """`a-name-of-12-words`, `app2-prod-1208358310`: small words and numbers, joined."""
    parts = value.replace("_", "-").replace(".", "-").split("-")
    if len(parts) < 3 or max(map(len, parts), default=0) > 12 or not any(map(str.isalpha, parts)):
        return False
    return all(part.isdigit() or part.isalpha() or (len(part) < 5 and part == part.lower()) for part in parts)


def _is_qualified(value: str) -> bool:
    """`ns42:NameOfAnElement`: the name of a schema, and behind it one of words."""
    schema, colon, name = value.partition(":")
    if not colon or len(schema) > 11 or len(name) < 12 or not name.isalpha():
        return False
    return not any(one.isupper() and other.isupper() for one, other in pairwise(name))


def is_uuid(value: str) -> bool:
    return len(value) == 36 and value[8] == value[13] == value[18] == value[23] == "-"


def is_signed(value: str) -> bool:
    """As some frameworks make the secret of a site: forty signs or more of all kinds."""
    good = 40 <= len(value) <= 100 and value.isascii() and not any(sign in value for sign in " \"'<>{}[]\\;,`")
    good = good and changes(value) * 5 >= len(value) * 2 and any(map(str.isdigit, value)) and not value.isalnum()
    return good and not _is_worded(value)


def is_private_number(value: str) -> bool:
    """`0x` and 32 bytes: the private key of a wallet, where a name says that it is private."""
    return len(value) == 66 and value[:2] == "0x" and not value[2:].lower().strip(HEX) and len(set(value)) > 8


def changes(value: str) -> int:
    """How often letters, capitals, digits and signs take turns; in words joined by signs rarely."""
    kinds = value.encode("ascii", "replace").translate(_KINDS)
    return turns(kinds)


PASSWORD_SIGNS = "!$#@&*^"


def is_password(value: str, quote: str) -> bool:
    if quote and _is_app_password(value):
        return True
    if not 8 <= len(value) <= 128 or not value.isascii() or value[0] in "$%/." or value[:2] == "0x":
        return False
    raw = value.encode()
    if len(raw.translate(None, _NOT_IN_PASSWORDS)) < len(raw) or len(set(raw)) < 6 or "://" in value:
        return False
    if value[:4].isdigit() and value[4:5] == "-" and value[5:7].isdigit():  # a day
        return False
    if len(raw.translate(None, _DIGITS)) == len(raw):
        good = bool(quote) and _has_sign_inside(value)
    else:
        good = changes(value) >= (1 if quote else 3) and len(raw) - len(raw.translate(None, _LETTERS)) > 1
    return good and not _is_stand_in(value.lower()) and not _is_algorithm(value)


def _is_algorithm(value: str) -> bool:
    """`scram-sha-256`, `AES/CBC/PKCS5Padding`: one of the words that programs choose how to sign or encrypt by."""
    parts = value.lower().translate(_JOINTS).split()
    return _ALGORITHMS.issuperset(parts) and max(map(len, parts), default=0) > 1


def _has_sign_inside(value: str) -> bool:
    """`super$ecret`: one sign between letters that no other text in quotes has there."""
    place = next((at for at, sign in enumerate(value) if not sign.isalpha()), 0)
    if value[place] not in PASSWORD_SIGNS or sum(not sign.isalpha() for sign in value) > 3:
        return False
    return 0 < place < len(value) - 1 and not ("@" in value and "." in value)


def _is_app_password(value: str) -> bool:
    """`abcd efgh ijkl mnop`, as mailboxes give out for programs."""
    if len(value) != 19:
        return False
    parts = value.split(" ")
    return [len(part) for part in parts] == [4] * 4 and "".join(parts).islower() and len(set(value)) > 7


def _is_stand_in(lower: str) -> bool:
    """Is nothing left of a password but the words that documents write there?"""
    words = [word for word in _ANY_STAND_INS if word in lower and not _is_within_word(word, lower)]
    for word in words:
        lower = lower.replace(word, "")
    return bool(words) and changes(lower) < 4


def _is_within_word(word: str, lower: str) -> bool:
    """`test` of `haltestelle`: a short word with letters on both sides of it."""
    at = lower.index(word)
    return len(word) == 4 and lower[max(0, at - 1) : at].isalpha() and lower[at + 4 : at + 5].isalpha()


def is_pair(value: str) -> bool:
    """`user:password` in base64, as `Basic` sends it."""
    if value in _DOCUMENTED:
        return False
    try:
        pair = a2b_base64(value.encode("ascii"))
    except (Error, ValueError):
        return False
    user, colon, password = pair.partition(b":")
    return bool(colon and user and len(password) > 2 and pair.isascii() and pair.decode().isprintable())
