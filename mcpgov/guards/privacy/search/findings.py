"""What is found in a text: its kind and its place. Pure."""

from __future__ import annotations


class Finding:
    """`start` and `end` in code points of the text."""

    __slots__ = ("end", "kind", "start")

    def __init__(self, kind: str, start: int, end: int) -> None:
        self.kind = kind
        self.start = start
        self.end = end

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Finding) and self.key() == other.key()

    def __hash__(self) -> int:
        return hash(self.key())

    def __repr__(self) -> str:
        return f"Finding({self.kind!r}, {self.start}, {self.end})"

    def key(self) -> tuple[str, int, int]:
        return self.kind, self.start, self.end


def apart(found: list[Finding]) -> list[Finding]:
    """Sorted, and of those that overlap the first."""
    kept: list[Finding] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


def with_kinds(text: str, found: list[Finding]) -> str:
    """The text with the kind in place of each of these, which do not overlap and come in order."""
    out, done = [], 0
    for one in found:
        out += [text[done : one.start], f"[{one.kind}]"]
        done = one.end
    return "".join((*out, text[done:]))
