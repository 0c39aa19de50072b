"""What the proxy would find in a JSON text, and where that stands in it: keys, values and numbers, one by one.

Law: the leaves are those of guards/screening, and each is asked what `Rewriter` asks; a test holds the two against each
other. A place is one of the text as it is written, escapes and all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from mcpgov.core.json.values import parse, quote
from mcpgov.guards.privacy.detector import Detector
from mcpgov.guards.privacy.long_text import find_in
from mcpgov.guards.privacy.search.findings import Finding, apart
from mcpgov.guards.screening.key_context import KeyContext
from mcpgov.guards.screening.leaves import KEY, NUMBER, whole_number
from mcpgov.guards.screening.names import NameFinder
from mcpgov.guards.screening.near import leaves_near
from mcpgov.guards.screening.placeholders import tokens_in
from mcpgov.guards.screening.rewrite import BATCH, DEEPEST, EXPONENTS, LONG

if TYPE_CHECKING:
    from mcpgov.guards.screening.leaves import Leaf

# Kind, start and end in the text, and the value itself, decoded.
Spot = tuple[str, int, int, str]
_JSON = ("{", "[", '"')
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|u....|.)")  # two of them may be one character


class LeafFinder:
    """`people`: who knows names and addresses."""

    def __init__(self, detector: Detector, people: NameFinder | None = None) -> None:
        self._detector = detector
        self._people = people
        self._keys = KeyContext(detector)

    def find(self, text: str, depth: int = 0) -> Iterator[Spot]:
        """Of valid JSON values, one behind the other; in order."""
        if self._people is not None and not depth:
            self._people.begin()
        is_gated = not self._detector.patterns and self._people is None
        places, every = self._detector.places if is_gated else None, bool(self._detector.patterns)
        found, is_near = leaves_near(text, None, places, every=every)
        batch: list[Leaf] = []
        room = 0
        for leaf in found:
            batch.append(leaf)
            room += len(leaf[2])
            if room > BATCH:
                yield from self._batch(text, batch, depth, is_near=is_near)
                batch, room = [], 0
        yield from self._batch(text, batch, depth, is_near=is_near)

    def _batch(self, text: str, batch: list[Leaf], depth: int, *, is_near: bool) -> Iterator[Spot]:
        texts, names = [leaf[2] for leaf in batch], [leaf[3] for leaf in batch]
        short = [each if len(each) <= LONG else "" for each in texts]
        found = self._detector.find_all(short, names, each=is_near)
        for at, more in (self._people.find_all(texts) if self._people is not None else {}).items():
            found[at] = apart([*found.get(at, ()), *more])
        for at, (start, end, value, name, role) in enumerate(batch):
            explained = bool(name) and self._keys.explains(name)
            spots = found.get(at, [])
            if not spots and role == NUMBER and self._detector.patterns:
                spots = self._in_digits(name, whole_number(value.lstrip("-"), 1))
            if not (
                spots or explained or "[" in value or "\\u00" in value or len(value) > LONG or _may_be_exact(value)
            ):
                continue
            if len(value) > LONG:
                spots = apart([*spots, *(Finding(*place[:3]) for place in find_in(self._detector, (value,)))])
            if not spots and explained:
                spots = self._keys.find(name, value)
            if role == NUMBER:
                yield from ((one.kind, start, end, value) for one in spots[:1])
            else:
                yield from _placed(text[start:end], start, value, self._in_text(value, spots, role, depth))

    def _in_digits(self, name: str, digits: str) -> list[Finding]:
        """What only the digits of a number show that is whole but not written so."""
        if not digits:
            return []
        return self._detector.find(digits, name) or self._keys.find(name, digits)

    def _in_text(self, value: str, spots: Sequence[Finding], role: str, depth: int) -> list[Spot]:
        """In the decoded text, which may be JSON itself."""
        if role != KEY and depth < DEEPEST and value.lstrip()[:1] in _JSON:
            inner = self._inside(value, depth)
            if inner is not None:
                return inner
        return [(one.kind, one.start, one.end, value[one.start : one.end]) for one in spots]

    def _inside(self, value: str, depth: int) -> list[Spot] | None:
        """None: it is no JSON, or something shows only in the text as a whole."""
        try:
            if not isinstance(parse(value), (dict, list, str)):
                return None
        except (ValueError, RecursionError):
            return None
        found = list(self.find(value, depth + 1))
        return None if self._is_left(_without(value, found)) else found

    def _is_left(self, shown: str) -> bool:
        tokens = list(tokens_in(shown))
        return any(
            all(one.end <= start or end <= one.start for start, end in tokens) for one in self._detector.find(shown)
        )


def _may_be_exact(value: str) -> bool:
    """Is it JSON with a number that is long enough, written with an exponent?"""
    return value[:1] == "{" and any(sign in value for sign in EXPONENTS)


def _without(value: str, found: list[Spot]) -> str:
    """A JSON text with placeholders for what was found in it."""
    out: list[str] = []
    done = 0
    for kind, start, end, one in found:
        token = f"[{kind}-1]"
        out += (value[done:start], quote(token) if one.isdigit() and value[start - 1 : start] != '"' else token)
        done = end
    return "".join((*out, value[done:]))


def _placed(literal: str, start: int, value: str, spots: list[Spot]) -> Iterator[Spot]:
    """The places of a string in the text that it is written in; `literal`: with its quotes, from `start`."""
    if len(literal) == len(value) + 2:  # no escapes
        for kind, first, last, one in spots:
            yield kind, start + 1 + first, start + 1 + last, one
        return
    wanted = sorted({place for _, first, last, _ in spots for place in (first, last)})
    written = _written(literal, wanted)
    for kind, first, last, one in spots:
        yield kind, start + written[first], start + written[last], one


def _written(literal: str, wanted: Sequence[int]) -> dict[int, int]:
    """Where characters of the decoded string stand in what was written."""
    out: dict[int, int] = {}
    raw, decoded = 1, 0
    escapes = _ESCAPE.finditer(literal, 1)
    escape = next(escapes, None)
    for place in wanted:
        while escape is not None and decoded + escape.start() - raw < place:
            decoded += escape.start() - raw + 1
            raw = escape.end()
            escape = next(escapes, None)
        out[place] = raw + place - decoded
    return out
