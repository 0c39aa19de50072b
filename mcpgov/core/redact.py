"""Cutting out what `contains` found. Pure; everything else of the value stays."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcpgov.core.rules import Finder

CUT = "[REDACTED]"


def cut(value: object, finders: Sequence[Finder]) -> object:
    """A copy with CUT in place of every match, in every text at any depth. Keys stay: they are structure."""
    if isinstance(value, str):
        for finder in finders:
            value = cut_text(value, finder.spans(value))
        return value
    if isinstance(value, dict):
        return {key: cut(item, finders) for key, item in value.items()}
    if isinstance(value, list):
        return [cut(item, finders) for item in value]
    return value


def cut_text(text: str, spans: list[tuple[int, int]]) -> str:
    out: list[str] = []
    at = 0
    for start, end in spans:
        out += (text[at:start], CUT)
        at = end
    return "".join((*out, text[at:])) if spans else text
