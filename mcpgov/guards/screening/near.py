"""The leaves of a large message that may hold something: those at the places that the gate shows in its line.

Laws: a leaf that holds a finding, or what looks like a placeholder, is among them. Whatever lies where a message has
parts of the protocol is read by `leaves`, and so is a message that cannot be told apart from the outside.
"""

from __future__ import annotations

from _json import scanstring

from mcpgov.core.json.json_spans import end_of, skip
from mcpgov.core.json.values import BLANK
from mcpgov.core.messages.wire import SCAN_ERRORS
from mcpgov.guards.patterns import compile_bytes
from mcpgov.guards.privacy.plain_text import plain_numbers
from mcpgov.guards.screening.guard import TOKEN
from mcpgov.guards.screening.leaves import KEY, NUMBER, PARTS, SHORTEST_NUMBER, VALUE, leaves, list_begin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpgov.guards.patterns import BytePattern
    from mcpgov.guards.privacy.search.gate_places import GatePlaces
    from mcpgov.guards.screening.leaves import Leaf, Roles

SMALL = 2048  # characters up to which every leaf is read
_IN_NUMBER = frozenset("0123456789.eE+-")
# Made once: this module is loaded when the first message is read, and there may be many.
_TOKENS = compile_bytes(TOKEN)
_QUOTED_PARTS = compile_bytes(('"(?:' + "|".join(sorted(PARTS)) + ')"').encode())  # all are words


def leaves_near(
    text: str, roles: Roles | None, places: GatePlaces | None, small: int = SMALL, *, every: bool = False
) -> tuple[Iterator[Leaf], bool]:
    """Of a valid JSON text; and are most of them at places of the gate, not just all there are? `places`: the gate of
    all that is looked for; None: there is none, and all are read, with `every` also all numbers."""
    if places is None or len(text) < small:
        return leaves(text, roles, every=every), False
    data = (text if text.isascii() else plain_numbers(text)).encode("ascii", "replace")
    zone = _plain_zone(text, data, roles)
    if zone is None:
        return leaves(text, roles), False
    hits = _GateHits(data, (places, _TOKENS))
    if zone[1] < len(text) and hits.after(zone[1] - 1) is not None:  # something is behind it
        return leaves(text, roles), False
    return _before_and_in(text, roles, zone, hits), True


def _before_and_in(text: str, roles: Roles | None, zone: tuple[int, int], hits: _GateHits) -> Iterator[Leaf]:
    first, last = zone
    for leaf in leaves(text, roles) if first else ():
        if leaf[0] >= first:
            break
        yield leaf
    yield from _touched(text, first, last, hits)


class _GateHits:
    """Where one of several patterns matches next; each is searched for once."""

    __slots__ = ("_data", "_next", "_patterns")

    def __init__(self, data: bytes, patterns: tuple[GatePlaces | BytePattern, ...]) -> None:
        self._data = data
        self._patterns = patterns
        self._next: list[tuple[int, int] | None] = [None] * len(patterns)

    def after(self, at: int) -> tuple[int, int] | None:
        found = [pattern.search(self._data, at) for pattern in self._patterns]
        return min((span for span in found if span[0] >= 0), default=None)

    def reach(self, at: int) -> tuple[int, int] | None:
        """The first one at or behind `at`, which only grows."""
        first: tuple[int, int] | None = None
        for number, pattern in enumerate(self._patterns):
            known = self._next[number]
            if known is None or 0 <= known[0] < at:
                known = self._next[number] = pattern.search(self._data, at)
            if known[0] >= 0 and (first is None or known < first):
                first = known
        return first


def _touched(text: str, first: int, last: int, hits: _GateHits) -> Iterator[Leaf]:
    """The leaves that a match touches, from `first`, which is outside of every string, up to `last`."""
    at = search = first
    while (hit := hits.reach(search)) is not None and hit[0] < last:
        start, end = max(hit[0], at), hit[1]
        if _is_inside(text, at, start):
            start = _quote_before(text, start)
        else:
            while start > at and text[start - 1] in _IN_NUMBER:
                start -= 1
        at = start
        while at < end:
            quote = text.find('"', at, end)
            stop = quote
            if quote < 0:
                stop = end
                while text[stop : stop + 1] in _IN_NUMBER:
                    stop += 1
            if stop - at >= SHORTEST_NUMBER:
                yield from _numbers(text, at, stop)
            if quote < 0:
                at = stop
                break
            value, at = scanstring(text, quote + 1, True)
            behind = skip(text, at)
            if text[behind : behind + 1] == ":":
                yield quote, at, value, "", KEY
                end = max(end, skip(text, behind + 1) + 1)  # its value may be explained by it
            else:
                yield quote, at, value, _key_before(text, quote), VALUE
        search = max(at - 1, hit[0] + 1)


def _numbers(text: str, at: int, stop: int) -> Iterator[Leaf]:
    """The whole numbers between two strings that have enough digits."""
    for start, end, value, _, _ in leaves(text[at:stop].replace("}", " ").replace("]", " ")):
        begin = list_begin(text, at + start)
        name = _key_before(text, at + start if begin < 0 else begin)
        yield at + start, at + end, value, name, NUMBER


def _is_inside(text: str, at: int, place: int) -> bool:
    """Is `place` inside of a string? `at`, before it, is not."""
    part = text[at:place]
    if "\\" not in part:
        return part.count('"') % 2 == 1
    part = part.replace("\\\\", "")
    return (part.count('"') - part.count('\\"')) % 2 == 1


def _quote_before(text: str, place: int) -> int:
    """Where the string that holds this place begins."""
    at = text.rfind('"', 0, place)
    while _is_escaped(text, at):
        at = text.rfind('"', 0, at)
    return at


def _is_escaped(text: str, at: int) -> bool:
    before = at
    while text[before - 1] == "\\":
        before -= 1
    return (at - before) % 2 == 1


def _key_before(text: str, at: int) -> str:
    """The key whose value begins here; "": it has none of its own."""
    at = _blanks_before(text, at)
    if at < 1 or text[at - 1] != ":":
        return ""
    end = _blanks_before(text, at - 1) - 1
    return scanstring(text, _quote_before(text, end) + 1, True)[0]


def _blanks_before(text: str, at: int) -> int:
    while at > 0 and text[at - 1] in BLANK:
        at -= 1
    return at


def _plain_zone(text: str, data: bytes, roles: Roles | None) -> tuple[int, int] | None:
    """A part of the message, from the first large value up to behind the last one, in which nothing belongs to the
    protocol; None: there is none. `data`: the text, byte for character."""
    if roles is None:
        return 0, len(text)
    try:
        first = None if roles.lists_tools else _first_value(text)
    except SCAN_ERRORS:
        return None
    if first is None:
        return None
    last = _last_end(text)
    # One search for all names: a search for each would take longer than all that is read of the zone.
    if last <= first or _QUOTED_PARTS.search_until(data, first, last)[0] >= 0:
        return None
    if roles.has_addresses and end_of(text, first) != last:
        return None  # what the request is for may be between
    return first, last


def _first_value(text: str) -> int | None:
    """Where the first list or object that is no part of the protocol begins, in what a message brings."""
    at, depth = skip(text, 0), 0
    while text[at : at + 1] in ("{", ","):
        depth += text[at] == "{"
        key, at = scanstring(text, skip(text, at + 1) + 1, True)
        at = skip(text, skip(text, at) + 1)
        if depth == 1 and key in ("params", "result") and text[at] == "{":
            continue
        if text[at] in "{[" and key not in PARTS:
            return at
        at = skip(text, end_of(text, at))
    return None


def _last_end(text: str) -> int:
    """Behind the last list or object in what a message brings; 0: that cannot be told."""
    closed, at = 0, len(text)
    while at > 0 and closed < 3:
        at -= 1
        sign = text[at]
        if sign in "}]":
            closed += 1
        elif sign == '"':
            at = _quote_before(text, at)
        elif sign in "{[":
            return 0
    return at + 1
