"""Secrets inside a text: known kinds of key at any word, what stands behind a telling name. Pure.

Law: in doubt more is masked; what is masked is only what a record shows.
"""

from __future__ import annotations

from mcpgov.core.preview import MASK, PREFIXES, is_secret_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Span = tuple[int, int]

# A key whose beginning would still be shown may need so much to be told.
MARGIN = 64
SHORTEST_KEY = 12
SHORTEST_TOKEN = 8
SCHEMES = ("bearer", "basic")
BLANKS = " \t\r\n"
QUOTES = "\"'`"
# Between a name and its value there may be quotes, escaped ones too.
_GAP = BLANKS + QUOTES + "\\"
_ENDS = BLANKS + QUOTES
_KEY_ENDS = _ENDS + ",;&<>()[]{}|\\"


def masked(text: str, most: int) -> str | None:
    """The first so many characters, with every secret that begins there masked; None: there is none."""
    head = text[: most + MARGIN]
    out: list[str] = []
    at = 0
    for start, end in _spans(head):
        if start < most:
            out += (head[at:start], MASK)
            at = end
    return "".join((*out, head[at:most])) if out else None


def _spans(text: str) -> Iterator[Span]:
    at = 0
    while at < len(text):
        end = at
        while end < len(text) and (text[end].isalnum() or text[end] in "_-"):
            end += 1
        if end > at:
            span = _named(text, text[at:end], end) or _key(text, at) or _token(text, text[at:end], end)
            if span is not None:
                yield span
                end = max(end, span[1])
        at = max(end, at + 1)


def _until(text: str, at: int, ends: str) -> int:
    while at < len(text) and text[at] not in ends:
        at += 1
    return at


def _past(text: str, at: int, chars: str) -> int:
    while at < len(text) and text[at] in chars:
        at += 1
    return at


def _named(text: str, word: str, end: int) -> Span | None:
    """What stands behind a name: `name=value`, `name: value`, `"name": "value"`, `--name value`."""
    at = _past(text, end, _GAP)
    sign = text[at : at + 1]
    if sign in ("=", ":"):
        behind = _past(text, at, "=:>")
    elif word[0] == "-" and at > end and text[at : at + 1] != "-":
        behind = end
    else:
        return None
    start = _past(text, behind, _GAP)
    if start >= len(text) or not is_secret_name(word):
        return None
    quotes = [char for char in text[behind:start] if char in QUOTES]
    if quotes:
        return start, _until(text, start, quotes[-1])
    if text[start] in "{[":
        return start, len(text)
    # A header's value may be several words.
    return start, _until(text, start, "\r\n" + QUOTES if sign == ":" else _ENDS + "&;")


def _key(text: str, at: int) -> Span | None:
    """A known kind of key."""
    if text.startswith("-----BEGIN", at):
        return at, len(text)
    at = _past(text, at, "-")
    end = _until(text, at, _KEY_ENDS)
    return (at, end) if text.startswith(PREFIXES, at) and end - at >= SHORTEST_KEY else None


def _token(text: str, word: str, end: int) -> Span | None:
    """`Bearer X`, `Basic X`, where X is not just the next word of a sentence."""
    if word.lower() not in SCHEMES or text[end : end + 1] != " ":
        return None
    start = _past(text, end, " ")
    stop = _until(text, start, _KEY_ENDS)
    token = text[start:stop]
    if len(token) < SHORTEST_TOKEN or (token.isalpha() and token[1:].islower()):
        return None
    return start, stop
