"""Could a value be a key or a password, by its own look? Asked where a name, a command or a sentence says so."""

from __future__ import annotations

from binascii import Error, a2b_base64

from mcpgov.guards.privacy.shape import is_dense, is_mixed

_DIGITS = "0123456789"
HEX = _DIGITS + "abcdef"
LEAST = 16  # characters of a key; a shorter one must be more random
_SHORTEST = 12
# What stands for a value in documents, and what nobody gives out as a key.
_PLACEHOLDERS = ("example", "xxxx", "your", "placeholder", "redacted", "changeme", "dummy", "insert", "here")
_STAND_INS = (*_PLACEHOLDERS[:-1], "test", "fake", "sample", "secret", "foobar", "passw", "sha256", "sha512", "sha1")
_SEQUENCES = ("123456", "abcdefg")
_ANY_STAND_INS = (*_STAND_INS, *_SEQUENCES)
_SIGNS = " $<>{}()[]*,;|\\^"
# The kind of each sign of ASCII: digit, small letter, capital, other.
_KINDS = {code: "9" if chr(code).isdigit() else "a" if chr(code).islower() else "A" if chr(code).isupper() else "."
          for code in range(128)}  # fmt: skip
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
    lower = value.lower()
    if not _SHORTEST <= len(value) <= 6000 or not value.isascii() or any(sign in value for sign in _SIGNS):
        return False
    words = _PLACEHOLDERS if is_issued else _ANY_STAND_INS
    if any(word in lower for word in words) or "://" in value or value in _DOCUMENTED:
        return False
    if value[:1] in "./@#%" or value[-2:] == "..":
        return False
    digits = sum(map(value.count, _DIGITS))
    if digits < 2 and not (_is_shuffled(value) or (is_issued and len(value) > 19 and changes(value) * 3 >= len(value))):
        return False
    if sum(map(str.isalpha, value)) < 4 or len(set(value)) < (6 if is_issued else 9):
        return False
    if value[-1] == ":" or value[:2] == "0x" or is_uuid(value) or is_version(value) or _is_worded(value):
        return False
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
    if len(parts) < 3 or max(map(len, parts)) > 12 or not any(map(str.isalpha, parts)):
        return False
    return all(part.isdigit() or part.isalpha() or (len(part) < 5 and part == part.lower()) for part in parts)


def is_uuid(value: str) -> bool:
    return len(value) == 36 and value[8] == value[13] == value[18] == value[23] == "-"


def is_signed(value: str) -> bool:
    """As some frameworks make the secret of a site: forty signs or more of all kinds."""
    good = 40 <= len(value) <= 100 and value.isascii() and not any(sign in value for sign in " \"'<>{}[]\\;,`")
    return good and changes(value) * 5 >= len(value) * 2 and any(map(str.isdigit, value)) and not value.isalnum()


def is_private_number(value: str) -> bool:
    """`0x` and 32 bytes: the private key of a wallet, where a name says that it is private."""
    return len(value) == 66 and value[:2] == "0x" and not value[2:].lower().strip(HEX) and len(set(value)) > 8


def changes(value: str) -> int:
    """How often letters, capitals, digits and signs take turns; in words joined by signs rarely."""
    kinds = value.translate(_KINDS)
    return sum(map(str.__ne__, kinds, kinds[1:]))


PASSWORD_SIGNS = "!$#@&*^"


def is_password(value: str, quote: str) -> bool:
    lower = value.lower()
    if quote and _is_app_password(value):
        return True
    if not 8 <= len(value) <= 128 or not value.isascii() or lower[0] in "$%/.":
        return False
    if any(sign in value for sign in " <>{}()[],;\\"):
        return False
    if _is_stand_in(lower) or "://" in value or value[:2] == "0x" or len(set(value)) < 6:
        return False
    if value[:4].isdigit() and value[4:5] == "-" and value[5:7].isdigit():  # a day
        return False
    digits = sum(map(value.count, _DIGITS))
    letters = sum(map(str.isalpha, value))
    if not digits:
        return bool(quote) and _has_sign_inside(value)
    return letters > 1 and changes(value) >= (3 if quote else 4)


def _has_sign_inside(value: str) -> bool:
    """`super$ecret`: one sign between letters that no other text in quotes has there."""
    place = next((at for at, sign in enumerate(value) if not sign.isalpha()), 0)
    if value[place] not in PASSWORD_SIGNS or sum(not sign.isalpha() for sign in value) > 3:
        return False
    return 0 < place < len(value) - 1 and not ("@" in value and "." in value)


def _is_app_password(value: str) -> bool:
    """`abcd efgh ijkl mnop`, as mailboxes give out for programs."""
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


def is_code(value: str) -> bool:
    """A name of a program: its parts begin with letters and have few digits, `Ed25519PrivateKey.from_bytes`."""
    parts = value.replace("_", ".").split(".")
    if not "".join(parts).isalnum():
        return False
    if value.endswith(("PrivateKey", "PublicKey", "SecretKey")):  # a class
        return True
    if any(len(part) >= 24 and is_dense(part) for part in parts):
        return False
    digits = sum(sign in _DIGITS for sign in value)
    if digits > 7 and "." not in value:
        return False
    return all(part[:1].isalpha() for part in parts) and digits * 2 <= len(value) and (len(parts) > 1 or "Key" in value)
