"""Could a generator have made a text, and no person? By how its digits, capitals and small letters take turns. Pure."""

from __future__ import annotations

from _operator import ne

_PLACEHOLDERS = ("xxxx", "your", "placeholder", "redacted", "changeme", "dummy")
LONG = 512  # characters of one piece that are looked at
_BEGINNING = 18  # characters of a key that is a document's if they say so
DENSE = 16  # characters of one piece that no person writes
_KINDS = bytes(9 if chr(code).isdigit() else 65 if chr(code).isupper() else 97 for code in range(128)) + bytes(128)
_CAPITAL = bytes(chr(code).isupper() for code in range(128)) + bytes(128)


def turns(kinds: bytes) -> int:
    """How often a byte follows another."""
    return sum(map(ne, kinds, kinds[1:]))


def is_random(text: str, start: int, end: int, strict: bool) -> bool:
    """Could a generator have made this? Words, placeholders and repetitions are none; `strict` wants digits too."""
    body = text[start:end]
    lower = body.lower()
    if lower.endswith("example") or ("example" in lower[:_BEGINNING] and "/" not in lower):
        return False
    for word in _PLACEHOLDERS:
        if word in lower:
            return False
    few = min(5, len(body) // 3 + 1)
    if len(set(body[:DENSE])) < few and len(set(body)) < few:
        return False
    if len(body) < 100 and body[-1] * 8 == body[-8:]:
        return False
    if not strict:
        return True
    return digits(body) > 0 or (len(body) >= 20 and is_mixed(body))


def digits(body: str) -> int:
    return sum(map(body.count, "0123456789"))


def is_dense(piece: str) -> bool:
    """Letters and digits that take turns as in no name, and no sequence of a keyboard; the beginning tells."""
    piece = piece[:LONG]
    if len(piece) < DENSE or len(set(piece)) < 9 or digits(piece) < 2 or piece.isdigit():
        return False
    kinds = piece.encode("ascii", "replace").translate(_KINDS)
    return turns(kinds) * 4 >= len(piece)


def is_joined_words(piece: str) -> bool:
    """`xF86GetClientDriverName`, `PKCS12SafeContents`: words with a capital each, and digits at two places at most. Of
    what a generator makes one in a thousand looks so."""
    words = "".join(sign if sign.islower() else f" {sign}" if sign.isupper() else " " for sign in piece).split()
    size = sum(len(word) for word in words if len(word) > 2 and word[0].isupper())
    return size * 10 >= len(piece) * 7 and len("".join(sign if sign.isdigit() else " " for sign in piece).split()) < 3


def is_mixed(body: str) -> bool:
    """Small letters and capitals in a mixture that no name has."""
    if "_" in body or "-" in body:
        return False
    capitals = body.encode("ascii", "replace").translate(_CAPITAL)
    return turns(capitals) * 4 > len(body)
