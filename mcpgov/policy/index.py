"""Index of rules by the literal parts of their tool globs. Offsets ascend, so the order of rules is kept."""

from __future__ import annotations

from collections.abc import Sequence

from mcpgov.core.rules.globs import WILDCARDS, literal_head, literal_tail, tokens
from mcpgov.policy.draft import Draft

Offsets = int | list[int]


def make_index(drafts: Sequence[Draft], lines: Sequence[str]) -> dict[str, object]:
    """A rule is identified by the offset of its line after the opening; `,\\n` separates two lines."""
    exact: dict[str, list[int]] = {}
    prefix: dict[str, list[int]] = {}
    suffix: dict[str, list[int]] = {}
    inner: dict[str, list[int]] = {}
    wild: list[int] = []
    untooled: list[int] = []
    offset = 0
    for draft, line in zip(drafts, lines, strict=True):
        globs = draft.matchers.get("tool")
        if not isinstance(globs, list):
            untooled.append(offset)
            globs = []
        for glob in globs:
            head, tail = literal_head(glob), literal_tail(glob)
            if head == glob:
                exact.setdefault(glob, []).append(offset)
            elif head:
                prefix.setdefault(head, []).append(offset)
            elif tail:
                suffix.setdefault(tail, []).append(offset)
            elif middle := longest_literal(glob):
                inner.setdefault(middle, []).append(offset)
            else:
                wild.append(offset)
        offset += len(line) + 2
    return {
        "exact": _small(exact),
        "prefix": _small(prefix),
        "prefix_sizes": sorted({len(key) for key in prefix}),
        "suffix": _small(suffix),
        "suffix_sizes": sorted({len(key) for key in suffix}),
        "inner": _small(inner),
        "wild": wild,
        "untooled": untooled,
    }


def longest_literal(glob: str) -> str:
    """A text that every match contains."""
    return max((part for part in tokens(glob) if part not in WILDCARDS), key=len, default="")


def _small(table: dict[str, list[int]]) -> dict[str, Offsets]:
    """A single offset as a plain number: a third less to load."""
    return {key: offsets[0] if len(offsets) == 1 else offsets for key, offsets in table.items()}
