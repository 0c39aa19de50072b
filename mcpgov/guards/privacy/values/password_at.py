"""A password at a place of a text, by its own look: read to where a value ends, without the signs of a sentence."""

from __future__ import annotations

from mcpgov.guards.privacy.values.secret_values import is_password
from mcpgov.guards.privacy.values.value_end import QUOTES, value_end

SHORTEST = 8  # characters of a password or a key
Span = tuple[int, int]


def password_at(text: str, at: int, *, is_told: bool = False) -> Span | None:
    quote = text[at - 1] if text[at - 1] in QUOTES else ""
    stop = value_end(text, at, quote)
    if stop - at < SHORTEST:
        return None
    value = text[at:stop] if quote else text[at:stop].rstrip(".,;:?")
    if not (quote or is_told) and value[-1:] == "!" and not value[-2:-1].isdigit():  # of a sentence
        value = value.rstrip("!?")
    return (at, at + len(value)) if value and is_password(value, '"' if is_told else quote) else None


def told_at(text: str, at: int) -> Span | None:
    """A password that a sentence tells in so many words."""
    return password_at(text, at, is_told=True)


def behind(text: str, at: int, end: int, signs: str) -> int:
    while at < end and text[at] in signs:
        at += 1
    return at
