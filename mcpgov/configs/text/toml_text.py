"""Offsets of the entries in a TOML text. Pure. Law: values come from a parser (tomli), offsets from `toml_scan`.

A server may be a table, an inline table, dotted keys, or all of them at once: its pieces are collected by place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from mcpgov.configs.text.json_text import kind_of
from mcpgov.configs.text.spans import Entry, InvalidText, Member, Place, Span
from mcpgov.configs.text.toml_scan import ARRAY, INLINE_TABLE, Assigned, Header, Value, statements

# Atomic group: no backtracking into a comment.
_TAIL = re.compile(r"(?:[ \t\r\n]|(?>#[^\n]*))*,")
BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class Pair:
    """`a.b = value`: its place from the root, the spans of its key's parts, its value."""

    place: Place
    keys: tuple[Span, ...]
    value: Value
    inline: bool

    @property
    def start(self) -> int:
        return self.keys[0][0]

    @property
    def end(self) -> int:
        return self.value.end


@dataclass(frozen=True, slots=True)
class TomlTable:
    """A header and its pairs; pairs above the first header have the place ()."""

    place: Place
    span: Span
    pairs: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """The tables of a text in order, and every pair by the start of its value."""

    tables: tuple[TomlTable, ...]
    by_start: dict[int, Pair]


def parse(text: str) -> dict[str, object]:
    # Imported here: the daemon reads only JSON and should not load this. Codex reads TOML 1.1, `tomllib` only 1.0.
    import tomli

    text = text.removeprefix(BOM)
    if not text.strip():
        raise InvalidText("not TOML yet: the text is empty")
    try:
        return tomli.loads(text)
    except RecursionError:
        raise InvalidText("not TOML that can be read: nested too deeply") from None
    except ValueError as error:
        reason = str(error)
        raise InvalidText(f"not TOML: {reason[:1].lower()}{reason[1:]}") from None


def _name(text: str, span: Span) -> str:
    """The name that a part of a key stands for."""
    word = text[span[0] : span[1]]
    if word[0] not in "\"'":
        return word
    return word[1:-1] if word[0] == "'" or "\\" not in word else next(iter(parse(f"{word} = 0")))


def pairs(text: str, value: Value, place: Place) -> Iterator[Pair]:
    """The pairs of an inline table at a place."""
    return (_placed(text, pair, place, True) for pair in value.pairs)


def _placed(text: str, pair: Assigned, place: Place, inline: bool) -> Pair:
    return Pair((*place, *(_name(text, span) for span in pair.keys)), pair.keys, pair.value, inline)


def line_stop(text: str, at: int) -> int:
    """End of the line that contains `at`, before the line end."""
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    return end - (text[end - 1 : end] == "\r")


# The same text is asked for once per server, and `verify` compares two texts.
@lru_cache(maxsize=2)
def layout(text: str) -> Layout:
    """The layout of a valid text."""
    header: Header | None = None
    place: Place = ()
    pairs_here: list[Pair] = []
    tables_found: list[TomlTable] = []
    for statement in statements(text, int(text.startswith(BOM))):
        if isinstance(statement, Header):
            tables_found.append(_table(text, header, place, pairs_here))
            header, place, pairs_here = statement, tuple(_name(text, span) for span in statement.keys), []
        else:
            pairs_here.append(_placed(text, statement, place, False))
    tables_found.append(_table(text, header, place, pairs_here))
    by_start: dict[int, Pair] = {}
    waiting = [pair for table in tables_found for pair in table.pairs]
    while waiting:
        pair = waiting.pop()
        by_start[pair.value.start] = pair
        waiting += pairs(text, pair.value, pair.place)
    return Layout(tuple(tables_found), by_start)


def _table(text: str, header: Header | None, place: Place, pairs_here: Sequence[Pair]) -> TomlTable:
    if header is None:
        return TomlTable((), (0, 0), tuple(pairs_here))
    end = line_stop(text, pairs_here[-1].end if pairs_here else header.end)
    return TomlTable(place, (header.start, end), tuple(pairs_here))


def tables(text: str) -> tuple[TomlTable, ...]:
    return layout(text).tables


def _places(value: object, place: Place, patterns: Sequence[Place]) -> Iterator[tuple[Place, object]]:
    if () in patterns:
        yield place, value
    deeper = [pattern for pattern in patterns if pattern]
    if deeper and isinstance(value, dict):
        for key, inner in value.items():
            rest = [pattern[1:] for pattern in deeper if pattern[0] in ("*", key)]
            yield from _places(inner, (*place, key), rest)


def faults(text: str, patterns: Sequence[Place]) -> Iterator[tuple[Place, str]]:
    """Other values where a table of entries belongs."""
    ways = list(dict.fromkeys(pattern[:depth] for pattern in patterns for depth in range(1, len(pattern))))
    for place, value in _places(parse(text), (), ways):
        if not isinstance(value, dict):
            yield place, kind_of(value)


class _Collector:
    """The pieces and members of one place."""

    def __init__(self, text: str, place: Place, value: object) -> None:
        self.text, self.place, self.value = text, place, value
        self.depth = len(place)
        self.main: Span | None = None
        self.pieces: list[Span] = []
        self.members: dict[str, Member] = {}

    def table(self, table: TomlTable) -> None:
        """A table of this place, or one below it."""
        self.pieces.append(table.span)
        if table.place == self.place:
            self.main = table.span
            for pair in table.pairs:
                self._member(pair)
        else:
            self._spread(table.place[self.depth], table.span)

    def pair(self, pair: Pair, joined: bool) -> None:
        """A pair of this place among others; consecutive ones (`joined`) form one piece."""
        if len(pair.place) == self.depth:
            self.pieces.append((pair.value.start, pair.end))
            for inner in pairs(self.text, pair.value, pair.place):
                self._member(inner)
            return
        end = pair.end if pair.inline else line_stop(self.text, pair.end)
        start = self.pieces.pop()[0] if joined else pair.start
        self.pieces.append((start, end))
        self._member(pair)

    def _member(self, pair: Pair) -> None:
        key = pair.place[self.depth]
        at = pair.keys[self.depth - len(pair.place)][0]
        if len(pair.place) > self.depth + 1:
            self._spread(key, (at, pair.end))
        else:
            self.members[key] = Member(key, at, pair.value.start, pair.end, self._of(key))

    def _spread(self, key: str, span: Span) -> None:
        self.members.setdefault(key, Member(key, span[0], *span, self._of(key)))

    def _of(self, key: str) -> object:
        return self.value.get(key) if isinstance(self.value, dict) else None

    def _as_read(self, member: Member) -> bool:
        spread = member.start == member.key_start
        return spread or repr(parse(f"v = {self.text[member.start : member.end]}")) == repr({"v": member.value})

    def entry(self) -> Entry:
        known = set(self.value) if isinstance(self.value, dict) else set()
        inner = tuple(sorted(self.members.values(), key=lambda member: member.key_start)) if known else ()
        if not self.pieces or {member.key for member in inner} != known or not all(map(self._as_read, inner)):
            # Parser and scanner disagree: nothing may be edited.
            raise InvalidText(f"`{'.'.join(self.place)}` is written in a way that cannot be followed")
        start, end = self.main or self.pieces[0]
        return Entry(self.place, self.value, inner, start, end, tuple(sorted(self.pieces)))


class _Sorter:
    """Passes every table and pair to the collectors of the places it belongs to."""

    def __init__(self, text: str, wanted: Sequence[tuple[Place, object]]) -> None:
        self.text = text
        self.collectors = {place: _Collector(text, place, value) for place, value in wanted}
        self.depths = sorted({len(place) for place in self.collectors})
        self.ways = {place[:depth] for place in self.collectors for depth in range(len(place))}

    def _of(self, place: Place) -> list[_Collector]:
        prefixes = (place[:depth] for depth in self.depths if depth <= len(place))
        return [self.collectors[prefix] for prefix in prefixes if prefix in self.collectors]

    def table(self, table: TomlTable) -> None:
        mine = self._of(table.place)
        for collector in mine:
            collector.table(table)
        self.pairs(table.pairs, mine)

    def pairs(self, held: Sequence[Pair], known: Sequence[_Collector]) -> None:
        """`known`: collectors that have these pairs already, from their table."""
        before: list[_Collector] = []
        for pair in held:
            mine = [collector for collector in self._of(pair.place) if collector not in known]
            for collector in mine:
                collector.pair(pair, collector in before)
            if pair.place in self.ways:
                self.pairs(tuple(pairs(self.text, pair.value, pair.place)), [*known, *mine])
            before = mine


def find(text: str, patterns: Sequence[Place]) -> list[Entry]:
    wanted = list(_places(parse(text), (), patterns))
    sorter = _Sorter(text, wanted)
    for table in tables(text) if wanted else ():
        sorter.table(table)
    return sorted((each.entry() for each in sorter.collectors.values()), key=lambda entry: entry.start)


def pair_at(text: str, start: int) -> Pair | None:
    """The pair whose value starts here."""
    return layout(text).by_start.get(start)


def members(text: str, start: int) -> tuple[Member, ...]:
    """The members of the inline table at `start`."""
    pair = pair_at(text, start)
    if pair is None or pair.value.kind != INLINE_TABLE:
        return ()
    collector = _Collector(text, pair.place, parse(f"v = {text[start : pair.end]}")["v"])
    collector.pair(pair, False)
    return collector.entry().members


def elements(text: str, start: int) -> tuple[Span, ...]:
    """Spans of the elements of the array at `start`."""
    pair = pair_at(text, start)
    if pair is None or pair.value.kind != ARRAY:
        return ()
    return tuple((element.start, element.end) for element in pair.value.elements)


def comma(text: str, end: int) -> int | None:
    """Offset of the comma behind a value, after blanks and comments; None without one."""
    match = _TAIL.match(text, end)
    return match.end() - 1 if match else None
