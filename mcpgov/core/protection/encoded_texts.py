"""Encoded texts in a command: escapes, base64, hex, character codes, concatenated strings. Pure.

Law: each decoding is one pass over the text, and there are few of them; bytes that are no text are left out.
"""

from __future__ import annotations

from binascii import a2b_base64

from mcpgov.core.protection.shell_expansion import unescaped
from mcpgov.core.rules.spellings import HEX

BASE64 = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-")
DIGITS = frozenset("0123456789")
SHORTEST = 8
DEEPEST = 3
MOST_VIEWS = 256
LOWER = "abcdefghijklmnopqrstuvwxyz"
ROT13 = str.maketrans(LOWER + LOWER.upper(), LOWER[13:] + LOWER[:13] + (LOWER[13:] + LOWER[:13]).upper())
# Signs of a command that reverses, rotates or builds characters.
REVERSING = (" rev", "rev ", "|rev", "[::-1]", "reverse")
ROTATING = ("rot13", "rot_13", "tr ", "n-za-m")
CHARACTER_CODES = ("chr", "charcode", "%c", "bytes(", "\\x", "[char]")


def decoded_views(text: str) -> list[str]:
    """Every text that a command may decode from its own text, each once, without that text itself."""
    out: dict[str, None] = {text: None}
    level = [text]
    for _ in range(DEEPEST):
        level = [decoded for view in level for decoded in _decoded(view) if decoded not in out]
        out |= dict.fromkeys(level)
        if not level or len(out) > MOST_VIEWS:
            break
    return list(out)[1:]


def _decoded(text: str) -> list[str]:
    out = [*_from_base64_and_hex(text), *_concatenated(text)]
    if "\\" in text:
        out.append(unescaped(text))
    low = text.lower()
    if "$env:" in low:
        out.append("$".join(_split_at(text, "$env:")))
    if "chr(" in low or "string.fromcharcode(" in low:
        out.append(_with_characters(text))
    if ("%s" in text and "%" in text.replace("%s", "")) or ("{}" in text and ".format(" in text):
        out.append(_formatted(text))
    if any(sign in low for sign in REVERSING):
        out.append(text[::-1])
    if any(sign in low for sign in ROTATING):
        out.append(text.translate(ROT13))
    if any(sign in low for sign in CHARACTER_CODES):
        out.append("".join(chr(int(run)) for run in runs(text, DIGITS, 2) if len(run) < 4 and 32 <= int(run) < 127))
    return [view for view in out if view]


def _split_at(text: str, mark: str) -> list[str]:
    """The text without a mark, whatever its case."""
    low, out, at = text.lower(), [], 0
    if len(low) != len(text):
        return [text]
    while (end := low.find(mark, at)) >= 0:
        out.append(text[at:end])
        at = end + len(mark)
    return [*out, text[at:]]


def _with_characters(text: str) -> str:
    """`'a' + chr(46)` as one text, with the character in place of its code."""
    first, *rest = [piece for part in _split_at(text, "string.fromcharcode(") for piece in _split_at(part, "chr(")]
    out = [first]
    for piece in rest:
        digits, closed, behind = piece.partition(")")
        known = closed and digits.strip().isdecimal() and len(digits) < 4
        out.append(f"'{chr(int(digits))}'{behind}" if known else piece)
    joined = "".join(out)
    return (_concatenated(joined) or [joined])[0]


def _formatted(text: str) -> str:
    """The quoted strings of a program, each with its `%s` and `{}` replaced by the strings that follow."""
    quoted = text.replace('"', "'").split("'")[:MOST_VIEWS]
    out = []
    for at, piece in enumerate(quoted):
        filled, rest = piece.replace("%s", "{}"), [value for value in quoted[at + 1 :] if value.strip(" ,%()+")]
        for value in [value for value in rest if ".format" not in value][:8]:
            filled = filled.replace("{}", value, 1)
        out.append(filled)
    return " ".join(filled for filled, piece in zip(out, quoted, strict=True) if filled != piece)


def _concatenated(text: str) -> list[str]:
    """`"a" + "b"` as one text, as most languages concatenate."""
    joined = text
    for quote in "\"'":
        joined = joined.replace(f"{quote} {quote}", "")
    for sign in ("+", ".", ","):
        for quote in "\"'":
            for between in (sign, f" {sign} ", f"{sign} "):
                joined = joined.replace(f"{quote}{between}{quote}", "/" if sign == "," else "")
    return [joined] if joined != text else []


def _from_base64_and_hex(text: str) -> list[str]:
    """The texts that runs of base64 or hex digits encode, one by one and, if they span lines, together."""
    out: list[str] = []
    tokens = list(runs(text, BASE64, SHORTEST))
    for token in (*tokens, "".join(tokens)):
        out.append(_text(_base64(token)))
    hexes = list(runs(text, HEX, SHORTEST))
    low = text.lower()
    if "xxd" in low or "hex" in low:
        hexes.append("".join(run for run in runs(text, HEX, 2) if len(run) % 2 == 0))
    for token in hexes:
        out.append(_text(bytes.fromhex(token[: len(token) & ~1])))
    return [decoded for decoded in dict.fromkeys(out) if decoded]


def runs(text: str, alphabet: frozenset[str], shortest: int) -> list[str]:
    """The longest runs of characters of an alphabet."""
    others = set(text) - alphabet
    blanked = text.translate(dict.fromkeys(map(ord, others), " "))
    return [run for run in blanked.split() if len(run) >= shortest]


def _base64(token: str) -> bytes:
    plain = token.replace("-", "+").replace("_", "/")
    plain = plain[: len(plain) - (len(plain) % 4 == 1)]
    return a2b_base64(plain + "=" * (-len(plain) % 4))


def _text(data: bytes) -> str:
    """Bytes as printable text; empty where they are none."""
    try:
        text = data.decode("utf-16-le" if data[1:2] == b"\0" else "utf-8")
    except UnicodeDecodeError:
        return ""
    text = text.strip("\r\n\t \0")
    return text if len(text) >= 4 and all(char.isprintable() or char in "\r\n\t" for char in text) else ""
