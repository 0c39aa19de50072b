"""Finds private data in one decoded text: the gate shows places, every kind is checked exactly there.

Law: findings do not overlap, come in order, and count code points of the text.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate

from mcpgov.core.rules.globs import Glob
from mcpgov.guards.patterns import BytePattern, compile_bytes, compile_pattern
from mcpgov.guards.privacy import colours, columns, marked_keys, named, place_checks, shape, texts
from mcpgov.guards.privacy.digits import labels
from mcpgov.guards.privacy.gate import pattern
from mcpgov.guards.privacy.plain_text import escape_end, plain, without_escapes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcpgov.guards.privacy.place_checks import PlaceCheck

KINDS = ("email", "credit_card", "ssn", "iban", "phone", "api_key", "private_key", "jwt", "credential_url")
FEW = 4  # texts that are searched one by one
_KNOWN = frozenset(KINDS)
_PASSWORDS = ("passw", "PASSW", "Passw", "pwd", "PWD")
_NEW_LINE = 10
_TELLING = frozenset("@0123456789")  # one of them is in everything that is found but the beginning of a private key
_ENDS_COLUMN = frozenset(columns.SIGNS + "\r\n ")
Span = tuple[int, int]


class Finding:
    """`start` and `end` in code points of the text."""

    __slots__ = ("end", "kind", "start")

    def __init__(self, kind: str, start: int, end: int) -> None:
        self.kind = kind
        self.start = start
        self.end = end

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Finding) and self.key() == other.key()

    def __hash__(self) -> int:
        return hash(self.key())

    def __repr__(self) -> str:
        return f"Finding({self.kind!r}, {self.start}, {self.end})"

    def key(self) -> tuple[str, int, int]:
        return self.kind, self.start, self.end


class Detector:
    """`kinds`: what to look for; `allow`: globs of values that are no findings; `patterns`: the user's, by name."""

    __slots__ = ("_allow", "_checks", "_heads", "_marked", "kinds", "patterns", "places")

    def __init__(
        self, kinds: Iterable[str] = KINDS, allow: Iterable[str] = (), patterns: dict[str, str] | None = None
    ) -> None:
        self.kinds = frozenset(kinds) & _KNOWN
        self._allow = [Glob(glob.lower()) for glob in allow]
        self.patterns = [(name, compile_pattern(text.removeprefix("re:"))) for name, text in (patterns or {}).items()]
        # Only what the gate shows needs them: a proxy that sees nothing private never reads the tables.
        self._heads: dict[str, list[shape.KeyShape]] = {}
        self._marked: list[marked_keys.MarkedKey] = []
        self.places: BytePattern | None = None
        if self.kinds:
            self.places = compile_bytes(pattern(self.kinds).encode("latin-1"))
        self._checks = self._chosen()

    def find(self, text: str, name: str = "") -> list[Finding]:
        """`name`: the key of the object that holds this text, which may tell that the whole of it is a secret, or that
        its number is an order's."""
        searched = plain(text)
        found = self._own(searched) if self.places is not None else []
        if searched is not text and self.places is not None and (whole := colours.joined(text)) is not None:
            split = [Finding(one.kind, *whole.span(one.start, one.end)) for one in self._own(plain(whole.text))]
            found = apart([*split, *found])
        if name and found:
            found = [one for one in found if not _is_other(searched, one, name)]
        if name and not found and "api_key" in self.kinds:
            value = text if searched is text else searched.strip(" ")
            if named.is_named_secret(name, value):
                start = searched.index(value)
                found = [Finding("api_key", start, start + len(value))]
        for name, regex in self.patterns:
            found.extend(Finding(name, *span) for span in regex.spans(text))
        if self._allow:
            found = [one for one in found if not self._is_allowed(text[one.start : one.end])]
        return apart(found) if self.patterns else found

    def find_all(self, texts: list[str], names: list[str] | None = None) -> dict[int, list[Finding]]:
        """The findings of many texts, by their number; `names` as in `find`, "" for none.

        One search over all of them tells which are worth a look: most texts of a message are short and hold nothing.
        """
        chosen = self._worth_a_look(texts) if not self.patterns and len(texts) >= FEW else set(range(len(texts)))
        if names is None:
            found = ((at, self.find(texts[at])) for at in sorted(chosen))
        else:
            chosen.update(at for at, name in enumerate(names) if name and named.is_name(name))
            found = ((at, self.find(texts[at], names[at])) for at in sorted(chosen))
        return {at: findings for at, findings in found if findings}

    def hidden(self, text: str) -> str:
        """The text with the kinds of what was found, in place of that."""
        return with_kinds(text, self.find(text))

    def issuer_of(self, key: str) -> str:
        """Whose shape a key has that was found; "": none of the tables'."""
        self._read_tables()
        for one in self._heads.get(key[:2], ()):
            if key.startswith(one.prefix) and one.end(key, 0) == len(key):
                return one.issuer.replace("_", " ")
        marked = next((one for one in self._marked if one.span(key, 0) == (0, len(key))), None)
        return marked.issuer.replace("_", " ") if marked is not None else ""

    def _read_tables(self) -> None:
        if not self._marked:
            heads: dict[str, list[shape.KeyShape]] = {}
            for one in shape.table() if "api_key" in self.kinds else ():
                heads.setdefault(one.prefix[:2], []).append(one)
            self._heads = heads
            self._marked = marked_keys.table()

    def _worth_a_look(self, texts: list[str]) -> set[int]:
        """INVARIANT: a text with a match of its own is touched by a match in all of them joined."""
        chosen: set[int] = set()
        if self.places is None:
            return chosen
        whole = "\n".join(texts)
        searched = plain(whole)
        if searched is not whole:
            chosen.update(at for at, text in enumerate(texts) if colours.joined(text) is not None)
        data = searched.encode("ascii", "replace")
        ends = list(accumulate([len(text) + 1 for text in texts]))
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
            at = end

    def _own(self, text: str) -> list[Finding]:
        places = self.places
        assert places is not None
        data = text.encode("ascii", "replace")
        found: list[Finding] = []
        rows: list[Span] = []
        tables = columns.TextTables()
        at = done = 0
        quiet = -1  # before this, names in a long run without any end are not looked at again
        behind: Finding | None = None  # one that words tell of from afar: what stands between comes first
        while True:
            start, end = places.search(data, at)
            if behind is not None and not 0 <= start < behind.start:
                found.append(behind)
                at = done = behind.end
                behind = None
                continue
            if start < 0:
                whole = [span for row in rows if (span := without_escapes(text, *row)) is not None]
                return apart(found + [Finding("api_key", *span) for span in whole]) if whole else found
            finding = self._check(text, start, end, done, is_named=start >= quiet)
            if start >= quiet:
                quiet = named.last_long_value(text, end)
            if finding is None or (behind is not None and finding.end > behind.start):
                at = start + 1
                if text[end - 1] in _ENDS_COLUMN and "api_key" in self.kinds:
                    rows += _in_rows(tables, text, start, end)
            elif behind is None and not _TELLING.isdisjoint(text[start + 1 : finding.start - 1]):
                behind, at = finding, start + 1
            else:
                found.append(finding)
                at = done = finding.end

    def _check(self, text: str, start: int, end: int, done: int, *, is_named: bool) -> Finding | None:
        """What is there at a place that the gate shows; its first characters say which kinds it can be.

        `is_named`: keys are looked for that only a name or a word before them tells.
        """
        places = place_checks.word_starts(text, start)
        for kind in place_checks.possible_kinds(text, start, places):
            check = self._checks.get(kind)
            if kind == "api_key" and check is not None and not is_named:
                check = self._shaped_key
            span = check(text, start, end, places) if check is not None else None
            if span is not None:
                span = without_escapes(text, *span)
            if span is not None and span[0] >= done:
                return Finding(kind, *span)
        return None

    def _is_allowed(self, value: str) -> bool:
        return any(glob.matches(value.lower()) for glob in self._allow)

    def _chosen(self) -> dict[str, PlaceCheck]:
        rows: dict[str, PlaceCheck] = {**place_checks.CHECKS, "api_key": self._key}
        return {kind: check for kind, check in rows.items() if kind in self.kinds}

    def _shaped_key(self, text: str, start: int, end: int, places: list[int]) -> Span | None:
        """By its shape or a mark in it."""
        span = self._begun_key(text, places) or self._marked_key(text, start, end)
        return span or shape.unknown_key(text, start, end)

    def _begun_key(self, text: str, places: list[int]) -> Span | None:
        if not self._marked:
            self._read_tables()
        for at in places:
            shapes = self._heads.get(text[at : at + 2], self._heads.get(text[at : at + 1], ()))
            stop = max((one.end(text, at) for one in shapes if text.startswith(one.prefix, at)), default=-1)
            if stop > 0:
                return at, stop
        return None

    def _key(self, text: str, start: int, end: int, places: list[int]) -> Span | None:
        span = self._begun_key(text, places)
        if span is not None:
            return span
        span = named.named_value(text, start, end) if text.startswith(_PASSWORDS, start) else None
        span = span or self._marked_key(text, start, end) or place_checks.named_key(text, start, end)
        span = span or shape.unknown_key(text, start, end)
        is_token = span is not None and "jwt" in self.kinds and text.startswith(("eyJ", "eyj"), span[0])
        return None if span is not None and is_token and texts.web_token(text, span[0]) else span

    def _marked_key(self, text: str, start: int, end: int) -> Span | None:
        for one in self._marked:
            here = text.find(one.mark, start, end + len(one.mark))
            if here >= 0:
                window = text[max(0, here - one.longest) : here]
                begin = here - (len(window) - len(window.rstrip(one.signs)))
                if text[begin - 1 : begin] == "\\":
                    begin = escape_end(text, begin - 1)
                span = one.span(text, begin) if marked_keys.begins_word(text, begin) else None
                if span is not None:
                    return span
        return None


def _is_other(text: str, one: Finding, name: str) -> bool:
    if one.kind not in ("credit_card", "ssn"):
        return False
    return labels.is_other(text, one.start, name, is_person=one.kind == "ssn")


def _in_rows(tables: columns.TextTables, text: str, start: int, end: int) -> list[Span]:
    if text[end - 1] == " ":
        return columns.in_statement(text, start) if text[start : start + 7].lower() in ("insert ", "replace") else []
    return tables.secrets_below(text, start)


def with_kinds(text: str, found: list[Finding]) -> str:
    """The text with the kind in place of each of these, which do not overlap and come in order."""
    out, done = [], 0
    for one in found:
        out += [text[done : one.start], f"[{one.kind}]"]
        done = one.end
    return "".join((*out, text[done:]))


def apart(found: list[Finding]) -> list[Finding]:
    """Sorted, and of those that overlap the first."""
    kept: list[Finding] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept
