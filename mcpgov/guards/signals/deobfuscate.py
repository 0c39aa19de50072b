"""A text as a model may read it: zero-width and other hidden characters taken out or decoded, homoglyphs replaced by
the letters they look like, base64 decoded. Pure.
"""

from __future__ import annotations

import binascii
import unicodedata

_FALSE = "аеосрхуіјѕһԁԛԝкмнтвАВЕЅІЈКМНОРСТХУΑΒΕΖΗΙΚΜΝΟΡΤΥΧανορυι"
_TRUE = "aeocpxyijshdqwkmhtbABESIJKMHOPCTXYABEZHIKMNOPTYXavopui"
LETTERS = dict(zip(_FALSE, _TRUE, strict=True))
_TABLE: dict[int, str | None] = {ord(false): true for false, true in LETTERS.items()}
_TABLE |= dict.fromkeys((0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFEFF, 0xFFA0))
_TABLE |= dict.fromkeys(
    (*range(0x180B, 0x1810), *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070))
)
_TABLE |= {0xE0000 + code: chr(code) for code in range(0x20, 0x7F)}
_TABLE |= {0xFE00 + value: chr(value) for value in range(16)} | {
    0xE0100 + value: chr(value + 16) for value in range(240)
}
_LEET = str.maketrans("01345@$", "oieasas")
LEAST_ENCODED, MOST_ENCODED = 24, 4096
_BASE64 = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=")


def deobfuscated(text: str) -> str:
    """Without hidden characters and homoglyphs, in Unicode's form NFKC."""
    return unicodedata.normalize("NFKC", text.translate(_TABLE))


def without_leet(text: str) -> str:
    """Digits that stand for letters, in words that have letters besides; as long as the text."""
    words = []
    for word in text.split(" "):
        is_mixed = any(sign.isalpha() for sign in word) and any(sign in "01345@$" for sign in word)
        words.append(word.translate(_LEET) if is_mixed and "://" not in word else word)
    return " ".join(words)


def joined(text: str) -> str:
    """Letters that stand apart, put together: words are told by wider gaps."""
    for sign in "-._":
        text = text.replace(f"{sign}", " " if f" {sign}" in text else "")
    parts = [part.replace(" ", "") if _is_spread(part) else part.strip() for part in text.split("  ")]
    return " ".join(part for part in parts if part)


def _is_spread(part: str) -> bool:
    letters = part.split(" ")
    return len(letters) > 2 and sum(len(letter) == 1 for letter in letters) * 10 >= len(letters) * 8


def decoded(run: str) -> str:
    """What a run of base64 says, if it is text; "" otherwise."""
    run = run[:MOST_ENCODED]
    run = run[: len(run) // 4 * 4]
    try:
        text = binascii.a2b_base64(run).decode("ascii")
    except ValueError:
        return ""
    return text if text.replace("\n", " ").replace("\t", " ").isprintable() and " " in text else ""
