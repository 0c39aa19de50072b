"""Where the gate's pattern matches in a text.

Law: the places are those of the whole pattern. What only begins there is matched from that place alone: in a search
from everywhere a text that repeats beginnings makes a new state of RE2 with nearly every character.
"""

from __future__ import annotations

from mcpgov.guards.patterns import compile_bytes
from mcpgov.guards.privacy.gate import beginnings, pattern

_AT, _BLANK, _ONE, _NINE = b"@ 19"


class GatePlaces:
    """`kinds`: what to look for."""

    __slots__ = ("_begins", "_whole")

    def __init__(self, kinds: frozenset[str]) -> None:
        self._begins = compile_bytes(beginnings(kinds).encode("latin-1"))
        self._whole = compile_bytes(pattern(kinds).encode("latin-1"))

    def search(self, data: bytes | bytearray, at: int) -> tuple[int, int]:
        """Where the first match at or behind `at` is; (-1, -1): nowhere."""
        search = self._begins.search
        while True:
            start, end = search(data, at)
            if start < 0:
                return start, end
            # Addresses and numbers are whole already; most dirty places are one of them.
            if data[start + 1] == _AT or (_ONE <= data[start] <= _NINE and data[start + 1] != _BLANK):
                return start, end
            end = self._whole.end(data, start)
            if end >= 0:
                return start, end
            at = start + 1
