"""One shape of a key: its beginning, and the alphabet and length of what follows; does a text have it here."""

from __future__ import annotations

from itertools import pairwise

from mcpgov.guards.privacy.key_shapes import CLOUD, CODE, SERVICES

_DIGITS = "0123456789"
_SMALL = "abcdefghijklmnopqrstuvwxyz"
_CAPITALS = _SMALL.upper()
ALNUM = _DIGITS + _SMALL + _CAPITALS
ALPHABETS = {
    "N": _DIGITS,
    "H": _DIGITS + "abcdef",
    "X": _DIGITS + "abcdefABCDEF",
    "U": _DIGITS + _CAPITALS,
    "L": _DIGITS + _SMALL,
    "A": ALNUM,
    "W": ALNUM + "_-",
    "D": ALNUM + "_-.",
    "E": ALNUM + "_-=",
    "B": ALNUM + "+/=",
    "P": ALNUM + "_-.+/=%",
    "@": ALNUM + "_-.+/=%@",
}
UNBOUNDED = 4000
# A part of a shape: the characters it may have, how many at least and at most; a literal text has no alphabet.
Part = tuple[str, int, int, str]


class KeyShape:
    """`worded`: the beginning is a common word, so what follows must look random."""

    __slots__ = ("issuer", "parts", "plain", "prefix", "worded", "year")

    def __init__(self, issuer: str, prefix: str, body: str, year: int) -> None:
        self.issuer = issuer
        self.prefix = prefix
        self.plain = prefix.isalnum()  # base64 could begin so
        self.worded = body[-1:] == "~"
        self.parts = parsed(body.rstrip("~"))
        self.year = year

    def end(self, text: str, at: int) -> int:
        """Where a key of this shape ends that begins at `at`; -1: there is none."""
        if self.plain and at and text[at - 1] in "/+":
            return -1
        end = parts_end(self.parts, text, at + len(self.prefix))
        start = at + len(self.prefix)
        if end < 0 or not is_random(text, start, end, self.worded or not self._is_exact()):
            return -1
        return end if not self.worded or _digits(text[start:end]) > 1 else -1

    def _is_exact(self) -> bool:
        """Is the length fixed, and long enough that no words have it by chance?"""
        return sum(least for _, least, _, _ in self.parts) >= 16 and self.parts[0][1] == self.parts[0][2]


def parsed(body: str) -> tuple[Part, ...]:
    parts: list[Part] = []
    at = 0
    while at < len(body):
        sign = body[at]
        if sign == "'":
            close = body.index("'", at + 1)
            parts.append(("", 0, 0, body[at + 1 : close]))
            at = close + 1
        elif sign in ALPHABETS and body[at + 1 : at + 2].isdigit():
            stop = _number_end(body, at + 1)
            least = most = int(body[at + 1 : stop])
            if body[stop : stop + 1] == ":":
                last = _number_end(body, stop + 1)
                most = int(body[stop + 1 : last] or UNBOUNDED)
                stop = last
            parts.append((ALPHABETS[sign], least, most, ""))
            at = stop
        else:
            parts.append(("", 0, 0, sign))
            at += 1
    return tuple(parts)


def _number_end(body: str, at: int) -> int:
    while body[at : at + 1].isdigit():
        at += 1
    return at


def parts_end(parts: tuple[Part, ...], text: str, at: int) -> int:
    """Where the parts end that begin at `at`; -1: the text has them not, or goes on behind them."""
    last = ALNUM
    for alphabet, least, most, literal in parts:
        if literal:
            if not text.startswith(literal, at):
                return -1
            at += len(literal)
            last = ALNUM
            continue
        window = text[at : at + most]
        count = len(window) - len(window.lstrip(alphabet))
        if count < least:
            return -1
        at += count
        last = alphabet
    behind = text[at : at + 1]
    if behind and (behind in ALNUM or (behind in last and behind not in ".=-%/")):
        return -1
    if behind == "." and text[at + 1 : at + 2] in _SMALL and text[at + 1 : at + 2]:  # a file's name
        return -1
    while text[at - 1] in ".%-" and last is not ALPHABETS["W"]:  # the end of a sentence is not the key's
        at -= 1
    return at


_PLACEHOLDERS = ("xxxx", "your", "placeholder", "redacted", "changeme", "dummy")


def is_random(text: str, start: int, end: int, strict: bool) -> bool:
    """Could a generator have made this? Words, placeholders and repetitions are none; `strict` wants digits too."""
    body = text[start:end]
    lower = body.lower()
    if lower.endswith("example") or any(word in lower for word in _PLACEHOLDERS):
        return False
    if len(set(body)) < min(5, len(body) // 3 + 1):
        return False
    if not strict:
        return True
    return _digits(body) > 0 or (len(body) >= 20 and is_mixed(body))


def _digits(body: str) -> int:
    return sum(sign in _DIGITS for sign in body)


def is_mixed(body: str) -> bool:
    """Small letters and capitals in a mixture that no name has."""
    changes = sum(one.isupper() != other.isupper() for one, other in pairwise(body))
    return changes * 4 > len(body) and "_" not in body and "-" not in body


def table() -> list[KeyShape]:
    shapes = []
    for line in (CODE + CLOUD + SERVICES).split("\n"):
        if line:
            issuer, prefix, body, year = line.split(" ")
            shapes.append(KeyShape(issuer.replace("_", " "), prefix, body, int(year)))
    return shapes
