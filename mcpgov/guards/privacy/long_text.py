"""Finds in a text that comes in chunks, of any length, in bounded memory.

Law: the findings are those of the whole text, up to one that is longer than the look-ahead.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator
    from typing import Protocol

    from mcpgov.guards.privacy.search.findings import Finding

    class TextFinder(Protocol):
        def find(self, text: str) -> list[Finding]: ...

        def issuer_of(self, key: str) -> str: ...


STEP = 1 << 20
BEHIND = 1024  # what decides a finding from before: a name, a word, a boundary
AHEAD = 1 << 16  # the longest finding, a private key, and what must not follow it
# Kind, start, end in the whole text; line and column, from 1; what stands before and behind it in its line; a key's
# issuer, "" where no table has it.
Place = tuple[str, int, int, int, int, str, str, str]
CONTEXT = 32


def find_in(detector: TextFinder, chunks: Iterable[str], step: int = STEP) -> Iterator[Place]:
    window = ""
    base = 0  # where the window begins in the whole text
    done = 0  # up to where it was searched
    lines = _Lines()
    for chunk in chunks:
        window += chunk
        while len(window) - (done - base) >= step + AHEAD:
            stop = done - base + step
            done = yield from _places(detector, window, base, done, base + stop, lines)
            cut = done - base - BEHIND
            if cut > 0:
                window, base = window[cut:], base + cut
    yield from _places(detector, window, base, done, base + len(window), lines)


class _Lines:
    """The line and column of places that come in order."""

    __slots__ = ("begin", "line", "seen")

    def __init__(self) -> None:
        self.line = 1
        self.begin = 0  # where the line begins in the whole text
        self.seen = 0

    def reach(self, window: str, base: int, place: int) -> None:
        self.line += window.count("\n", self.seen - base, place - base)
        last = window.rfind("\n", self.seen - base, place - base)
        if last >= 0:
            self.begin = base + last + 1
        self.seen = place


def _places(
    detector: TextFinder, window: str, base: int, done: int, stop: int, lines: _Lines
) -> Generator[Place, None, int]:
    """Those that begin from `done` up to `stop`; returns where to go on."""
    end = done
    found = detector.find(window)
    for at, one in enumerate(found):
        start = base + one.start
        if start < end:
            continue
        if start >= stop:
            break
        lines.reach(window, base, start)
        left = max(found[at - 1].end if at else 0, one.start - CONTEXT)
        right = min(found[at + 1].start if at + 1 < len(found) else len(window), one.end + CONTEXT)
        before = window[left : one.start].rpartition("\n")[2]
        behind = window[one.end : right].partition("\n")[0]
        end = base + one.end
        issuer = detector.issuer_of(window[one.start : one.end]) if one.kind == "api_key" else ""
        yield one.kind, start, end, lines.line, start - lines.begin + 1, before, behind, issuer
    end = max(end, stop)
    lines.reach(window, base, end)
    return end
