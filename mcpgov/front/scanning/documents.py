"""The places of private data in a text that comes in pieces: JSON and JSON Lines as the proxy reads a message, anything
else as text.

Laws: nothing is kept but one value, or a block of lines. What is no JSON is text, so it is always read in one of the
two ways; a single value that is too long to be kept is read as text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, groupby, pairwise
from typing import TYPE_CHECKING, NamedTuple

from mcpgov.core.json.values import BLANK, parse, scanner
from mcpgov.core.large.large_lines import TEXT, Walker
from mcpgov.core.large.large_texts import long_text
from mcpgov.core.messages.wire import LARGE_LINE, SCAN_ERRORS, Refused
from mcpgov.front.scanning.json_leaves import LeafFinder
from mcpgov.guards.privacy.long_text import CONTEXT, Place, find_in

if TYPE_CHECKING:
    from mcpgov.guards.privacy.long_text import TextFinder

LONGEST = 1 << 24  # characters of one JSON value
BLOCK = 1 << 20  # characters of lines that are read together
OPENERS = ("{", "[", '"')
_MARK = "\ufeff"
_scan = scanner(float)


class _Piece(NamedTuple):
    """A line with its end, or a part of one that is too long. `base`: where it begins; `line`: its number."""

    text: str
    base: int
    line: int
    is_json: bool = False


def places_in(leaves: LeafFinder, detector: TextFinder, chunks: Iterable[str]) -> Iterator[Place]:
    chunks = iter(chunks)
    head = _head(chunks)
    if not head.removeprefix(_MARK).lstrip(BLANK).startswith(OPENERS):
        yield from find_in(detector, chain((head,), chunks))
        return
    lines = _lines(chain((head,), chunks))
    start = _first(lines)
    if not is_json(start):
        yield from _whole(leaves, detector, start, lines)
        return
    base, line = len(start), start.count("\n") + 1
    pieces = chain((_Piece(start, 0, 1, is_json=True),), _told_apart(lines, base, line))
    for values, group in groupby(pieces, key=lambda piece: piece.is_json):
        if values:
            for block in _blocks(group):
                yield from _in_values(leaves, detector, block)
        else:
            yield from _in_text(detector, group)


def is_json(text: str) -> bool:
    """Is it one value? Large ones are looked through without being built."""
    text = text.removeprefix(_MARK)
    try:
        if len(text) <= LARGE_LINE:
            parse(text)
            return True
        raw = text.encode("utf-8", "surrogatepass")
        for kind, _, value, _ in Walker(raw, _scan).walk():
            if kind == TEXT and isinstance(value, tuple):
                long_text(raw, value, plain=True, keep=False)
    except (Refused, *SCAN_ERRORS):
        return False
    return True


def _head(chunks: Iterator[str]) -> str:
    """Up to the first character that tells something."""
    head = ""
    for chunk in chunks:
        head += chunk
        if len(head) > BLOCK or head.removeprefix(_MARK).strip(BLANK):
            break
    return head


def _lines(chunks: Iterable[str]) -> Iterator[str]:
    """Each with its end; one that is too long to be kept comes in parts."""
    parts: list[str] = []
    size = 0
    for chunk in chunks:
        *ended, rest = chunk.split("\n")
        for each in ended:
            parts.append(each)
            yield f"{''.join(parts)}\n"
            parts, size = [], 0
        parts.append(rest)
        size += len(rest)
        if size > LONGEST:
            yield "".join(parts)
            parts, size = [], 0
    if size:
        yield "".join(parts)


def _first(lines: Iterator[str]) -> str:
    """Up to the end of the first line that is not blank."""
    start = ""
    for line in lines:
        start += line
        if line.removeprefix(_MARK).strip(BLANK):
            break
    return start


def _whole(leaves: LeafFinder, detector: TextFinder, start: str, lines: Iterator[str]) -> Iterator[Place]:
    """One value over several lines, or text."""
    kept, size = [start], len(start)
    for line in lines:
        kept.append(line)
        size += len(line)
        if size > LONGEST:
            break
    text = "".join(kept)
    kept.clear()
    if size <= LONGEST and is_json(text):
        yield from _in_values(leaves, detector, _Piece(text, 0, 1))
    else:
        rest = (block.text for block in _blocks(_Piece(line, 0, 0) for line in lines))
        yield from find_in(detector, chain((text,), rest))


def _told_apart(lines: Iterable[str], base: int, line: int) -> Iterator[_Piece]:
    """Every line is a value, or text like the blank ones behind it."""
    value, begins = True, True
    for text in lines:
        if text.strip(BLANK):
            value = begins and len(text) <= LONGEST and is_json(text)
        yield _Piece(text, base, line, value)
        begins = text.endswith("\n")
        base += len(text)
        line += begins


def _blocks(pieces: Iterable[_Piece]) -> Iterator[_Piece]:
    """Several lines together: what is looked for is looked for once in all of them."""
    texts: list[str] = []
    size, first = 0, None
    for piece in pieces:
        first = first or piece
        texts.append(piece.text)
        size += len(piece.text)
        if size >= BLOCK:
            yield first._replace(text="".join(texts))
            texts, size, first = [], 0, None
    if first is not None:
        yield first._replace(text="".join(texts))


def _in_text(detector: TextFinder, group: Iterator[_Piece]) -> Iterator[Place]:
    """Lines that are no JSON, between some that are."""
    first = next(group)
    texts = (block.text for block in _blocks(chain((first,), group)))
    for kind, start, end, line, column, before, behind, issuer in find_in(detector, texts):
        yield kind, first.base + start, first.base + end, first.line + line - 1, column, before, behind, issuer


def _in_values(leaves: LeafFinder, detector: TextFinder, block: _Piece) -> Iterator[Place]:
    text, base, line, _ = block
    seen = begin = done = 0
    spots = chain(leaves.find(text), (("", len(text), 0, ""),))  # of the last one only the start is looked at
    for (kind, start, end, value), (_, following, _, _) in pairwise(spots):
        line += text.count("\n", seen, start)
        begin = text.rfind("\n", seen, start) + 1 or begin
        left, right = max(done, start - CONTEXT), min(following, end + CONTEXT)
        before, behind = text[left:start].rpartition("\n")[2], text[end:right].partition("\n")[0]
        issuer = detector.issuer_of(value) if kind == "api_key" else ""
        yield kind, base + start, base + end, line, start - begin + 1, before, behind, issuer
        seen, done = start, end
