"""One text, searched from its beginning to its end: the gate shows places, each kind that can begin there is checked.

Laws: findings do not overlap and come in order. What is read for a place is bounded, and what is the same for all
places of a stretch of text (its marks, its end, the head of its table) is looked for once.
"""

from __future__ import annotations

from mcpgov.guards.privacy import columns, named, shape, texts
from mcpgov.guards.privacy.marked_keys import CONTEXT, LONGEST_MARK
from mcpgov.guards.privacy.plain_text import without_escapes
from mcpgov.guards.privacy.search import place_checks
from mcpgov.guards.privacy.search.findings import Finding, apart
from mcpgov.guards.privacy.values import value_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from mcpgov.guards.privacy.search.gate_places import GatePlaces
    from mcpgov.guards.privacy.search.key_tables import KeyTables
    from mcpgov.guards.privacy.search.place_checks import PlaceCheck

    # How far behind a place a word may begin, and the kinds that can begin there, in order, with their checks; keys are
    # checked here.
    Row = tuple[int, tuple[tuple[str, PlaceCheck | None], ...]]

    class SearchTables(Protocol):
        kinds: frozenset[str]
        places: GatePlaces | None
        rows: dict[str, Row]

        def keys(self) -> KeyTables: ...

        def row(self, text: str, start: int) -> Row: ...


MOST_IN_RUN = 16  # beginnings of keys that are none, of those in a run without any end
LEAST_MATCH = 3  # characters that the gate matches
AHEAD = 512  # characters that are searched for marks at once
_PASSWORDS = ("passw", "PASSW", "Passw", "pwd", "PWD")
_TELLING = frozenset("@0123456789")  # one of them is in everything that is found but the beginning of a private key
_ENDS_COLUMN = frozenset(columns.SIGNS + "\r\n ")
_STATEMENTS = ("insert ", "replace")
Span = tuple[int, int]


class TextSearch:
    __slots__ = ("_data", "_in_run", "_known", "_quiet", "_rows", "_tables", "_text", "_text_tables", "_unmarked")

    def __init__(self, tables: SearchTables, text: str) -> None:
        self._tables = tables
        self._known = tables.rows
        self._text = text
        self._data = text.encode("ascii", "replace")
        self._text_tables: columns.TextTables | None = None
        self._rows: list[Span] = []
        self._quiet = -1  # before this, names in a long run without any end are not looked at again
        self._in_run = 0  # beginnings of keys that were none, in that run
        self._unmarked = 0  # up to here no mark of a key begins

    def findings(self) -> list[Finding]:
        places = self._tables.places
        assert places is not None
        text, data = self._text, self._data
        last = len(text) - LEAST_MATCH
        found: list[Finding] = []
        at = done = 0
        behind: Finding | None = None  # one that words tell of from afar: what stands between comes first
        while True:
            start, end = places.search(data, at) if at <= last else (-1, -1)
            if behind is not None and not 0 <= start < behind.start:
                found.append(behind)
                at = done = behind.end
                behind = None
                continue
            if start < 0:
                return self._with_rows(found) if self._rows else found
            finding = self._check(start, end, done)
            if finding is None or (behind is not None and finding.end > behind.start):
                at = start + 1
                if text[end - 1] in _ENDS_COLUMN:
                    self._look_below(start, end)
            elif behind is None and finding.start > start + 2 and self._tells(start + 1, finding.start - 1):
                behind, at = finding, start + 1
            else:
                found.append(finding)
                at = done = finding.end

    def _tells(self, start: int, end: int) -> bool:
        """May there be something else in between?"""
        return not _TELLING.isdisjoint(self._text[start:end])

    def _check(self, start: int, end: int, done: int) -> Finding | None:
        """What is there at a place that the gate shows; its first characters say which kinds it can be."""
        text = self._text
        # In a run without any end keys are not looked for that only a name or a word before them tells.
        is_named = start >= self._quiet
        if is_named:
            far = end + value_end.LONG
            has_end = len(text) < far or text.find(" ", end, far) >= 0
            self._quiet = -1 if has_end else value_end.last_long_value(text, end)
            self._in_run = 0
        shift, checks = self._known.get(text[start : start + 2]) or self._tables.row(text, start)
        places = (start + shift, start) if shift == 1 else (start,) if not shift else (start + shift, start + 1)
        for kind, check in checks:
            if self._in_run >= MOST_IN_RUN and kind == "jwt":
                continue
            span = check(text, start, end, places) if check is not None else self._key(start, end, places, is_named)
            if span is not None:
                span = without_escapes(text, *span)
                if span is not None and span[0] >= done:
                    return Finding(kind, *span)
        return None

    def _key(self, start: int, end: int, places: tuple[int, ...], is_named: bool) -> Span | None:
        text, keys = self._text, self._tables.keys()
        span = keys.begun(text, places) if self._in_run < MOST_IN_RUN else None
        if span is not None:
            return span
        self._in_run += not is_named
        is_read = is_named and text.startswith(_PASSWORDS, start)
        if is_read:
            span = named.named_value(text, start, end)
        if span is None and self._in_run <= MOST_IN_RUN and self._may_be_marked(start, end, keys):
            span = keys.marked(text, start, end)
        if span is None and is_named:
            span = place_checks.named_key(text, start, end, is_read=is_read)
        if span is None and text.find("_", start, end) >= 0:
            span = shape.unknown_key(text, start, end)
        if span is None or not is_named or not text.startswith(("eyJ", "eyj"), span[0]):
            return span
        return None if "jwt" in self._tables.kinds and texts.web_token(text, span[0]) else span

    def _may_be_marked(self, start: int, end: int, keys: KeyTables) -> bool:
        reach = end + LONGEST_MARK
        if reach <= self._unmarked:
            return False
        found, _ = keys.marks.search_until(self._data, max(0, start - CONTEXT), reach + AHEAD)
        self._unmarked = found if found >= 0 else reach + AHEAD - LONGEST_MARK - 2 * CONTEXT
        return 0 <= found < reach

    def _look_below(self, start: int, end: int) -> None:
        """The rows of a table whose column a place names."""
        text = self._text
        if "api_key" not in self._tables.kinds:
            return
        if text[end - 1] != " ":
            if self._text_tables is None:
                self._text_tables = columns.TextTables()
            self._rows += self._text_tables.secrets_below(text, start)
        elif text[start : start + 7].lower() in _STATEMENTS:
            self._rows += columns.in_statement(text, start)

    def _with_rows(self, found: list[Finding]) -> list[Finding]:
        whole = [span for row in self._rows if (span := without_escapes(self._text, *row)) is not None]
        return apart(found + [Finding("api_key", *span) for span in whole]) if whole else found
