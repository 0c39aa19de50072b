"""One shape of a key: its beginning, and the alphabet and length of what follows; does a text have it here.

A row of `issuers/` is issuer, beginning, what follows, the year of the fact. What follows is written as an alphabet and
a length (`A36`, `H8:64`, `W20:` for at least 20), with literal signs between and literal words in quotes. A `~` behind
it: the beginning is a common word, so a key must have digits and look random.
Law: a beginning that is no word and no base64 tells its issuer, so a random tail of another length is a key as well.
"""

from __future__ import annotations

from mcpgov.guards.privacy.issuers import cloud, code, models, payments, services
from mcpgov.guards.privacy.plain_text import escape_end
from mcpgov.guards.privacy.values.randomness import DENSE, digits, is_dense, is_joined_words, is_random

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
    "S": ALNUM + "+/",
    "P": ALNUM + "_-.+/=%",
    "@": ALNUM + "_-.+/=%@",
    "T": ALNUM + "_-.~",
}
# Beginnings that are words: only their exact lengths tell a key.
_COMMON = frozenset(("key_", "web_", "app_", "auto_", "live_", "test_", "api_", "sdk-", "api-", "mob-", "key-", "sess-",
                     "luma-", "TEST-", "skey_", "1000.", "emb_", "ser.", "hawk."))  # fmt: skip
UNBOUNDED = 4000
SOON = 128  # characters that are looked at first
# A part of a shape: the characters it may have, how many at least and at most; a literal text has no alphabet.
Part = tuple[str, int, int, str]


class KeyShape:
    """`worded`: the beginning is a common word, so what follows must look random."""

    __slots__ = ("issuer", "parts", "plain", "prefix", "tolerant", "worded", "year")

    def __init__(self, issuer: str, prefix: str, body: str, year: str, parts: tuple[Part, ...] | None = None) -> None:
        self.issuer = issuer
        self.prefix = prefix
        self.plain = prefix.isalnum()  # base64 could begin so
        self.worded = body[-1:] == "~"
        self.parts = parts or parsed(body.rstrip("~"))
        self.tolerant = not self.plain and not self.worded and len(prefix) >= 4 and prefix[-1] in "_-."
        self.tolerant = self.tolerant and prefix not in _COMMON
        self.year = int(year)

    def end(self, text: str, at: int, tails: dict[int, int] | None = None) -> int:
        """Where a key of this shape ends that begins at `at`; -1: there is none.

        `tails`: where those end that have been looked at, for all shapes that begin alike.
        """
        if self.plain and at and text[at - 1] in "/+":
            return -1
        if at and text[at - 1] in "=-:" and "sha" in text[max(0, at - 8) : at]:  # a digest that begins so by chance
            return -1
        end = self._exact_end(text, at)
        if end >= 0 or not self.tolerant:
            return end
        start = at + len(self.prefix)
        if tails is None:
            return dense_end(text, start)
        if start not in tails:
            tails[start] = dense_end(text, start)
        return tails[start]

    def _exact_end(self, text: str, at: int) -> int:
        end = parts_end(self.parts, text, at + len(self.prefix))
        start = at + len(self.prefix)
        if end < 0 or not is_random(text, start, end, self.worded or not self._is_exact()):
            return -1
        return end if not self.worded or digits(text[start:end]) > 1 else -1

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


def run_end(text: str, at: int, alphabet: str, most: int) -> int:
    """Where the characters of an alphabet end that follow, `most` at most: nearly all soon."""
    last = at + most
    size = SOON
    while True:
        window = text[at : min(at + size, last)]
        rest = window.lstrip(alphabet)
        at += len(window) - len(rest)
        if rest or len(window) < size:
            return at
        size *= 2


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
        shortest = text[at : at + least]
        if len(shortest) < least or shortest.lstrip(alphabet):
            return -1
        at += least
        if most > least:
            at = run_end(text, at, alphabet, most - least)
        last = alphabet
    behind = text[at : at + 1]
    if behind and (behind in ALNUM or (behind in last and behind not in ".=-%/")):
        return -1
    if behind == "." and text[at + 1 : at + 2] in _SMALL and text[at + 1 : at + 2]:  # a file's name
        return -1
    while text[at - 1] in ".%-" and last is not ALPHABETS["W"]:  # the end of a sentence is not the key's
        at -= 1
    return at


_WORD = _DIGITS + _SMALL + "_"
_NOT_BEFORE = _CAPITALS + "/+-"
_TAIL = ALPHABETS["W"]


def dense_end(text: str, at: int) -> int:
    """Where a tail of letters and digits ends that has a random piece; -1: it has none."""
    shortest = text[at : at + DENSE]
    if len(shortest) < DENSE or shortest.lstrip(_TAIL):
        return -1
    tail = text[at : run_end(text, at, _TAIL, UNBOUNDED)].rstrip("-_")
    behind = text[at + len(tail) : at + len(tail) + 2]
    if len(tail) < DENSE or (behind[:1] == "." and behind[1:].isalpha()) or not is_random(tail, 0, len(tail), True):
        return -1
    pieces = [piece for piece in tail.replace("-", "_").split("_") if len(piece) >= DENSE]
    return at + len(tail) if any(map(is_dense, pieces)) else -1


_NOBODY = ("foo", "bar", "baz", "qux")  # stand for any word in documents and tests
UNKNOWN = 30  # characters of a tail, from which on it is a key whoever gave it out; what names a thing is shorter


def unknown_key(text: str, start: int, end: int) -> tuple[int, int] | None:
    """`word_tail`, as nearly all issuers write their keys: a small word, a long tail of capitals, letters, digits."""
    mark = text.find("_", start, end)
    if mark < 0:
        return None
    shortest = text[mark + 1 : mark + 1 + UNKNOWN]
    if len(shortest) < UNKNOWN or not (shortest.isascii() and shortest.isalnum()):
        return None
    window = text[max(0, mark - 24) : mark]
    word = window[len(window.rstrip(_WORD)) :]
    at = mark - len(word)
    if text[at - 1 : at] == "\\":
        at = escape_end(text, at - 1)
        word = text[at:mark]
    window = text[mark + 1 : mark + 200]
    stop = mark + 1 + len(window) - len(window.lstrip(ALNUM))
    tail, behind = text[mark + 1 : stop], text[stop : stop + 2]
    before = text[max(0, at - 8) : at]
    if not 2 <= len(word) <= 20 or (before and before[-1] in _NOT_BEFORE) or "sha" in before:
        return None
    parts = word.split("_")
    if not all(part.isalpha() or part in ("v0", "v1", "v2") for part in parts) or parts[0] in _NOBODY:
        return None
    if (behind[:1] and behind[0] in "_-(+/=") or (behind[:1] == "." and behind[1:].isalpha()):
        return None
    cases = sum(sign.isupper() for sign in tail), sum(sign.islower() for sign in tail)
    good = is_dense(tail) and min(cases) >= 4 and is_random(tail, 0, len(tail), True) and not is_joined_words(tail)
    return (at, stop) if good else None


def table() -> list[KeyShape]:
    shapes = []
    known: dict[str, tuple[Part, ...]] = {}  # bodies repeat
    for line in "".join(room.ROWS for room in (code, cloud, models, payments, services)).split("\n"):
        if line:
            issuer, prefix, body, year = line.split(" ")
            if body not in known:
                known[body] = parsed(body.rstrip("~"))
            shapes.append(KeyShape(issuer, prefix, body, year, known[body]))
    return shapes
