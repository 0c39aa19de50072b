"""What of a config text is not shown to people: values of headers and environments, and what opens a URL. Pure.

Law: masks are edits for showing only; a text is never written with them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcpgov.configs.remote.masked_url import MASK, masked_url
from mcpgov.configs.remote.url_entry import URLS
from mcpgov.configs.text import splice as texts
from mcpgov.configs.text import toml_text
from mcpgov.configs.text.spans import Edit, Place

# Members whose texts are secrets, or may be.
HOLDERS = frozenset({
    "headers", "http_headers", "env", "environment", "envs", "oauth", "auth", "requestInit", "bearer_token",
})  # fmt: skip
HEADER_OPTIONS = ("--header", "--headers", "-H")


def masks(text: str, dialect: str, patterns: Sequence[Place]) -> list[Edit]:
    """The edits that hide the secrets of every entry; none for a text that cannot be read."""
    try:
        if dialect == texts.TOML:
            found = [edit for place, start, end in _toml(text, patterns) for edit in _hidden(text, place, start, end)]
        else:
            found = [edit for place, start, end in _json(text, dialect, patterns)
                     for edit in _hidden(text, place, start, end)]  # fmt: skip
    except ValueError:
        return []
    return sorted(set(found))


def _json(text: str, dialect: str, patterns: Sequence[Place]) -> Iterator[tuple[Place, int, int]]:
    """Every value inside an entry that is no object and no array, with its place below the entry."""
    for entry in texts.find(text, dialect, patterns):
        yield from _leaves(text, dialect, (), entry.start, entry.end)


def _leaves(text: str, dialect: str, place: Place, start: int, end: int) -> Iterator[tuple[Place, int, int]]:
    inner = texts.members(text, dialect, start, end)
    items = texts.elements(text, dialect, start, end)
    for member in inner:
        yield from _leaves(text, dialect, (*place, member.key), member.start, member.end)
    behind = ""
    for first, last in items:
        word = text[first:last]
        yield from _leaves(text, dialect, (*place, HEADER_OPTIONS[0] if behind in HEADER_OPTIONS else ""), first, last)
        behind = word.strip("\"'")
    if not inner and not items and text[start:end][:1] not in ("{", "["):
        yield place, start, end


def _toml(text: str, patterns: Sequence[Place]) -> Iterator[tuple[Place, int, int]]:
    for pair in toml_text.layout(text).by_start.values():
        if text[pair.value.start] == "{":
            continue  # its pairs come by themselves
        for pattern in patterns:
            if _fits(pair.place[: len(pattern)], pattern) and len(pair.place) > len(pattern):
                yield from _leaves(text, texts.TOML, pair.place[len(pattern) :], pair.value.start, pair.value.end)


def _fits(place: Place, pattern: Place) -> bool:
    return len(place) == len(pattern) and all(key in (name, "*") for name, key in zip(place, pattern, strict=True))


def _hidden(text: str, place: Place, start: int, end: int) -> list[Edit]:
    quote = text[start:end][:1]
    if quote not in ("'", '"'):
        return []
    word = text[start:end]
    if any(key in HOLDERS for key in place) or place[-1:] == HEADER_OPTIONS[:1]:
        return [(start, end, f"{quote}{MASK}{quote}")]
    url = word.strip("\"'").replace("\\/", "/").strip()
    if place[-1:] and (place[-1] in URLS or url.startswith(("http://", "https://"))) and masked_url(url) != url:
        return [(start, end, f"{quote}{masked_url(url)}{quote}")]
    inline = next((option for option in HEADER_OPTIONS[:2] if url.startswith(f"{option}=")), "")
    return [(start, end, f"{quote}{inline}={MASK}{quote}")] if inline else []
