"""A long text of a large line, decoded window by window. Pure.

Law: what is returned is what the C scanner makes of the whole text; `plain` gives one byte a character.
"""

from __future__ import annotations

from _json import scanstring

from mcpgov.core.rules.spellings import fold

WINDOW = 1 << 14  # bytes
CONTROLS = bytes(range(32))


def text_end(raw: bytes | bytearray, start: int) -> int:
    """Where the text ends whose quote stands at `start`. Raises ValueError."""
    at = raw.find(b'"', start + 1)
    while at >= 0:
        before = at - 1
        while raw[before] == 0x5C:
            before -= 1
        if (at - before) % 2:
            return at + 1
        at = raw.find(b'"', at + 1)
    raise ValueError("a text without an end")


def long_text(raw: bytes | bytearray, place: tuple[int, int], plain: bool, keep: bool = True) -> str:
    """The text between two quotes. `plain`: characters outside of ASCII become what folding makes of them, or `^`.

    One character outside of Latin-1 makes a text two or four times as large. Not `keep`: it is only checked. Raises
    ValueError.
    """
    start, end = place
    if keep and raw.find(b"\\", start, end) < 0 and _is_plain_ascii(raw, start + 1, end - 1):
        return str(memoryview(raw)[start + 1 : end - 1], "ascii")  # the one copy
    # One block of memory: many small pieces would fragment it. No text is longer than its JSON form.
    out, size = bytearray(end - start if keep else 0), 0
    at, end = start + 1, end - 1
    while at < end:
        stop = _text_cut(raw, at, end)
        piece, _ = scanstring(str(raw[at:stop], "utf-8") + '"', 0, True)
        if plain and not piece.isascii():
            piece = piece.translate({ord(char): _as_ascii(char) for char in set(piece) if not char.isascii()})
        at = stop
        if keep:
            encoded = piece.encode("utf-8", "surrogatepass")
            out[size : size + len(encoded)] = encoded
            size += len(encoded)
    return str(memoryview(out)[:size], "utf-8", "surrogatepass")


def _is_plain_ascii(raw: bytes | bytearray, at: int, end: int) -> bool:
    """Is a text without escapes all ASCII? Raises ValueError for a character that no JSON text has."""
    while at < end:
        stop = min(at + WINDOW, end)
        window = raw[at:stop]
        if not window.isascii():
            return False
        if len(window.translate(None, CONTROLS)) != len(window):
            raise ValueError("a control character in a text")
        at = stop
    return True


def _text_cut(raw: bytes | bytearray, at: int, end: int) -> int:
    """Where a window of a text may end: not inside an escape, a character or a pair of surrogate escapes."""
    stop = at + WINDOW
    if stop >= end:
        return end
    while raw[stop] & 0xC0 == 0x80:
        stop -= 1
    while (last := raw.rfind(b"\\", max(at, stop - 12), stop)) >= 0:
        stop = last
        while stop > at and raw[stop - 1] == 0x5C:
            stop -= 1
        if stop == at:
            return at + (last - at + 1) // 2 * 2 if last > at else end
        # An escape begins here: the window ends before it, but not behind the first half of a pair.
        if raw[stop - 6 : stop - 3].lower() != b"\\ud" or raw[stop - 3] not in b"89abAB":
            return stop
        stop -= 5
    return stop


def _as_ascii(char: str) -> str:
    if "\ud800" <= char <= "\udfff" or "\x80" <= char <= "\x9f":
        return "\x7f"  # a control character or a lone surrogate stays one that nobody prints
    if char == "\ufeff" or char.isspace():
        return " "  # readers of JSON inside a text skip both
    folded = fold(char)
    return folded if any(map(str.isascii, folded)) else "^"
