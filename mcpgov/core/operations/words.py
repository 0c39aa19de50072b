"""Splits names into words. Pure, and small: every proxy loads it at its start."""

from __future__ import annotations

MOST_REMEMBERED, LONGEST_REMEMBERED = 1024, 64
_known: dict[str, list[str]] = {}


def word_set(text: str) -> frozenset[str]:
    """The words of a table's row, which blanks separate."""
    return frozenset(text.split())


def words(name: str) -> list[str]:
    """Split at all but letters and digits, at aB and at ABc; digits stay with the letters before them.

    The list is shared between callers: the same few names are asked for again and again.
    """
    parts = _known.get(name)
    if parts is None:
        if len(_known) >= MOST_REMEMBERED:
            _known.clear()
        parts = _split(name)
        if len(name) <= LONGEST_REMEMBERED:
            _known[name] = parts
    return parts


def _split(name: str) -> list[str]:
    out: list[str] = []
    start = -1
    for at, char in enumerate(name):
        if not char.isalnum():
            if start >= 0:
                out.append(name[start:at].lower())
            start = -1
        elif start < 0:
            start = at
        elif char.isupper():
            before = name[at - 1]
            if not before.isupper() or name[at + 1 : at + 2].islower():
                out.append(name[start:at].lower())
                start = at
    if start >= 0:
        out.append(name[start:].lower())
    return out
