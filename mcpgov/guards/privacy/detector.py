"""Finds private data in one decoded text: the gate shows places, every kind is checked exactly there.

Law: findings do not overlap, come in order, and count code points of the text.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate

from mcpgov.core.rules.globs import Glob
from mcpgov.guards.patterns import compile_pattern
from mcpgov.guards.privacy import colours, named
from mcpgov.guards.privacy.digits import labels
from mcpgov.guards.privacy.plain_text import plain
from mcpgov.guards.privacy.search import escapes, place_checks
from mcpgov.guards.privacy.search.findings import Finding, apart, with_kinds
from mcpgov.guards.privacy.search.gate_places import GatePlaces
from mcpgov.guards.privacy.search.text_search import TextSearch
from mcpgov.guards.privacy.values.secret_names import is_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcpgov.guards.privacy.search.key_tables import KeyTables
    from mcpgov.guards.privacy.search.text_search import Row

KINDS = ("email", "credit_card", "ssn", "iban", "phone", "api_key", "private_key", "jwt", "credential_url")
FEW = 4  # texts that are searched one by one
_KNOWN = frozenset(KINDS)
_NEW_LINE = 10
_ESCAPES = ("\\", "%")
MOST_ROWS = 4096
_OF_PERSONS = ("credit_card", "ssn")  # numbers that may be something else's by their name


class Detector:
    """`kinds`: what to look for; `allow`: globs of values that are no findings; `patterns`: the user's, by name."""

    __slots__ = ("_allow", "_keys", "kinds", "patterns", "places", "rows")

    def __init__(
        self, kinds: Iterable[str] = KINDS, allow: Iterable[str] = (), patterns: dict[str, str] | None = None
    ) -> None:
        self.kinds = frozenset(kinds) & _KNOWN
        self._allow = [Glob(glob.lower()) for glob in allow]
        self.patterns = [(name, compile_pattern(text.removeprefix("re:"))) for name, text in (patterns or {}).items()]
        self._keys: KeyTables | None = None
        self.rows: dict[str, Row] = {}
        self.places: GatePlaces | None = None
        if self.kinds:
            self.places = GatePlaces(self.kinds)

    def find(self, text: str, name: str = "") -> list[Finding]:
        """`name`: the key of the object that holds this text, which may tell that the whole of it is a secret, or that
        its number is an order's."""
        searched = plain(text)
        found = TextSearch(self, searched).findings() if self.places is not None else []
        if searched is not text and self.places is not None and (whole := colours.joined(text)) is not None:
            joined = TextSearch(self, plain(whole.text)).findings()
            found = apart([*(Finding(one.kind, *whole.span(one.start, one.end)) for one in joined), *found])
        read = escapes.unescaped(text) if escapes.MARK in text else None
        if read is not None and self.places is not None:
            told = TextSearch(self, plain(read.text)).findings()
            found = apart([*(Finding(one.kind, *read.span(one.start, one.end)) for one in told), *found])
        if name and found:
            found = [one for one in found if one.kind not in _OF_PERSONS or not _is_other(searched, one, name)]
        if name and not found and "api_key" in self.kinds:
            value = text if searched is text else searched.strip(" ")
            if named.is_named_secret(name, value):
                start = searched.index(value)
                found = [Finding("api_key", start, start + len(value))]
        for name, regex in self.patterns:
            found.extend(Finding(name, *span) for span in regex.spans(text))
            if read is not None:
                found.extend(Finding(name, *read.span(*span)) for span in regex.spans(read.text))
        if self._allow:
            found = [one for one in found if not self._is_allowed(escapes.as_meant(text[one.start : one.end]))]
        return apart(found) if self.patterns else found

    def find_all(
        self, texts: list[str], names: list[str] | None = None, *, each: bool = False
    ) -> dict[int, list[Finding]]:
        """The findings of many texts, by their number; `names` as in `find`, "" for none.

        One search over all of them tells which are worth a look: most texts of a message are short and hold nothing.
        `each`: they are known to be worth one.
        """
        gated = not each and len(texts) >= FEW
        chosen = self._worth_a_look(texts) if gated else set(range(len(texts)))
        for _, regex in self.patterns if gated else ():
            chosen.update(
                at for at, text in enumerate(texts) if at not in chosen and (escapes.MARK in text or regex.search(text))
            )
        if names is None:
            found = ((at, self.find(texts[at])) for at in sorted(chosen))
        else:
            chosen.update(at for at, name in enumerate(names) if name and is_name(name))
            found = ((at, self.find(texts[at], names[at])) for at in sorted(chosen))
        return {at: findings for at, findings in found if findings}

    def hidden(self, text: str) -> str:
        """The text with the kinds of what was found, in place of that."""
        return with_kinds(text, self.find(text))

    def issuer_of(self, key: str) -> str:
        """Whose shape a key has that was found; "": none of the tables'."""
        return self.keys().issuer_of(key)

    def _worth_a_look(self, texts: list[str]) -> set[int]:
        """INVARIANT: a text with a match of its own is touched by a match in all of them joined."""
        chosen: set[int] = set()
        if self.places is None:
            return chosen
        whole = "\n".join(texts)
        searched = plain(whole)
        if searched is not whole and colours.joined(whole) is not None:
            chosen.update(at for at, text in enumerate(texts) if colours.joined(text) is not None)
        data = searched.encode("ascii", "replace")
        ends = list(accumulate(map((1).__add__, map(len, texts))))
        at = first = 0
        while True:
            start, end = self.places.search(data, at)
            if start < 0:
                return chosen
            # A boundary before a key may be what joins two texts: the first of them has no part in the match.
            first = bisect_left(ends, start + (2 if data[start] == _NEW_LINE else 1), first)
            # One behind it may be what a match ends with, and then the text behind has lost its own boundary.
            last = min(bisect_left(ends, end + 1, first), len(texts) - 1)
            chosen.update(range(first, last + 1))
            at = max(end, ends[last] - 1)  # from what joins the last of them to the next

    def keys(self) -> KeyTables:
        """Only what the gate shows needs them: a proxy that sees nothing private never reads the tables."""
        if self._keys is None:
            from mcpgov.guards.privacy.search.key_tables import KeyTables

            self._keys = KeyTables()
        return self._keys

    def row(self, text: str, start: int) -> Row:
        """The checks of a place, which its first two characters tell."""
        places = place_checks.word_starts(text, start)
        kinds = place_checks.possible_kinds(text, start, places)
        checks = tuple((kind, place_checks.CHECKS.get(kind)) for kind in kinds if kind in self.kinds)
        found = places[0] - start, checks
        if text[start] not in _ESCAPES:  # there the kind is told behind the escape
            if len(self.rows) >= MOST_ROWS:
                self.rows.clear()
            self.rows[text[start : start + 2]] = found
        return found

    def _is_allowed(self, value: str) -> bool:
        return any(glob.matches(value.lower()) for glob in self._allow)


def _is_other(text: str, one: Finding, name: str) -> bool:
    return labels.is_other(text, one.start, name, is_person=one.kind == "ssn")
