"""Names fall into words. Pure, and small enough for every start."""

from __future__ import annotations


def words(name: str) -> list[str]:
    """Split at all but letters and digits, at aB and at ABc; digits stay with the letters before them."""
    found: list[str] = []
    start = -1
    for at, char in enumerate(name):
        if not char.isalnum():
            if start >= 0:
                found.append(name[start:at].lower())
            start = -1
        elif start < 0:
            start = at
        elif char.isupper():
            before = name[at - 1]
            if not before.isupper() or name[at + 1 : at + 2].islower():
                found.append(name[start:at].lower())
                start = at
    if start >= 0:
        found.append(name[start:].lower())
    return found
