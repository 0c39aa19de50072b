"""Where the values of a TOML text stand. Pure. Law: values come from tomllib; tree-sitter only says where.

A server may be a table, an inline table, dotted keys, or all of them at once: its pieces are collected by place.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcpgov.configs.spans import Broken, Entry, Member, Place, Span

if TYPE_CHECKING:
    import tree_sitter

_WIDE = re.compile(r"[^\x00-\x7f]")
# Atomic: a comma inside a comment is never tried.
_TAIL = re.compile(r"(?:[ \t\r\n]|(?>#[^\n]*))*,")
BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class Pair:
    """`a.b = value`: its place from the root, where each part of its key stands, its value."""

    place: Place
    keys: tuple[Span, ...]
    value: tree_sitter.Node
    inline: bool

    @property
    def start(self) -> int:
        return self.keys[0][0]

    @property
    def end(self) -> int:
        return self.value.end_byte


@dataclass(frozen=True, slots=True)
class Table:
    """A header and its pairs; the pairs above all headers have the place ()."""

    place: Place
    span: Span
    pairs: tuple[Pair, ...]


def parse(text: str) -> dict[str, object]:
    text = text.removeprefix(BOM)
    if not text.strip():
        raise Broken("not TOML yet: the text is empty")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise Broken("not TOML that can be read: nested too deeply") from None
    except ValueError as error:
        reason = str(error)
        raise Broken(f"not TOML: {reason[:1].lower()}{reason[1:]}") from None


def _keys(text: str, node: tree_sitter.Node) -> Iterator[tuple[str, Span]]:
    if node.type == "dotted_key":
        for child in node.named_children:
            yield from _keys(text, child)
    else:
        start, end = node.start_byte, node.end_byte
        yield next(iter(parse(f"{text[start:end]} = 0"))), (start, end)


def pairs(text: str, node: tree_sitter.Node, place: Place, inline: bool) -> Iterator[Pair]:
    for child in node.named_children:
        halves = [part for part in child.named_children if part.type != "comment"]
        if child.type == "pair" and len(halves) == 2:
            parts = tuple(_keys(text, halves[0]))
            yield Pair((*place, *(name for name, _ in parts)), tuple(span for _, span in parts), halves[1], inline)


def line_stop(text: str, at: int) -> int:
    """Where the line that `at` stands on ends, before its line end."""
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    return end - (text[end - 1 : end] == "\r")


def tables(text: str) -> list[Table]:
    """The tables of a valid text in order."""
    # One ASCII letter for each other character: tree-sitter counts bytes, and such characters stand only in quotes
    # and comments, where any letter will do.
    flat = _WIDE.sub("x", f" {text[1:]}" if text.startswith(BOM) else text)
    # Here, not above: the daemon reads JSON only and shall not carry this.
    import tree_sitter
    import tree_sitter_toml

    root = tree_sitter.Parser(tree_sitter.Language(tree_sitter_toml.language())).parse(flat.encode()).root_node
    found = [Table((), (0, 0), tuple(pairs(text, root, (), False)))]
    for node in root.named_children:
        if node.type in ("table", "table_array_element"):
            key = node.named_children[0]
            place = tuple(name for name, _ in _keys(text, key))
            inner = tuple(pairs(text, node, place, False))
            end = line_stop(text, max(pair.end for pair in inner) if inner else key.end_byte)
            found.append(Table(place, (node.start_byte, end), inner))
    return found


def _places(value: object, place: Place, patterns: Sequence[Place]) -> Iterator[tuple[Place, object]]:
    if () in patterns:
        yield place, value
    deeper = [pattern for pattern in patterns if pattern]
    if deeper and isinstance(value, dict):
        for key, inner in value.items():
            rest = [pattern[1:] for pattern in deeper if pattern[0] in ("*", key)]
            yield from _places(inner, (*place, key), rest)


class _Collector:
    """The pieces and members of one place."""

    def __init__(self, text: str, place: Place, value: object) -> None:
        self.text, self.place, self.value = text, place, value
        self.depth = len(place)
        self.main: Span | None = None
        self.pieces: list[Span] = []
        self.members: dict[str, Member] = {}

    def table(self, table: Table) -> None:
        if not table.place or table.place[: self.depth] != self.place:
            self.add(table.pairs)
        elif table.place == self.place:
            self.main = table.span
            self.pieces.append(table.span)
            for pair in table.pairs:
                self._member(pair)
        else:
            self.pieces.append(table.span)
            self._spread(table.place[self.depth], table.span)

    def add(self, pairs_: Sequence[Pair]) -> None:
        joined = False
        for pair in pairs_:
            mine = pair.place[: self.depth] == self.place
            if mine and len(pair.place) == self.depth:
                self.pieces.append((pair.value.start_byte, pair.end))
                for inner in pairs(self.text, pair.value, pair.place, True):
                    self._member(inner)
            elif mine:
                self._dotted(pair, joined)
            elif self.place[: len(pair.place)] == pair.place:
                self.add(tuple(pairs(self.text, pair.value, pair.place, True)))
            joined = mine

    def _dotted(self, pair: Pair, joined: bool) -> None:
        """A pair of the entry among pairs of others; those in a row are one piece."""
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
            self.members[key] = Member(key, at, pair.value.start_byte, pair.end, self._of(key))

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
            # Two readers of one text disagree: nothing of it is edited.
            raise Broken(f"`{'.'.join(self.place)}` is written in a way that cannot be followed")
        start, end = self.main or self.pieces[0]
        return Entry(self.place, self.value, inner, start, end, tuple(sorted(self.pieces)))


def find(text: str, patterns: Sequence[Place]) -> list[Entry]:
    wanted = list(_places(parse(text), (), patterns))
    found = []
    layout = tables(text) if wanted else []
    for place, value in wanted:
        collector = _Collector(text, place, value)
        for table in layout:
            collector.table(table)
        found.append(collector.entry())
    return sorted(found, key=lambda entry: entry.start)


def pair_at(text: str, start: int) -> Pair | None:
    """The pair whose value starts here."""
    waiting = [pair for table in tables(text) for pair in table.pairs]
    while waiting:
        pair = waiting.pop()
        if pair.value.start_byte == start:
            return pair
        waiting += pairs(text, pair.value, pair.place, True)
    return None


def members(text: str, start: int) -> tuple[Member, ...]:
    """The members of the inline table at `start`."""
    pair = pair_at(text, start)
    if pair is None or pair.value.type != "inline_table":
        return ()
    collector = _Collector(text, pair.place, parse(f"v = {text[start : pair.end]}")["v"])
    collector.add((pair,))
    return collector.entry().members


def elements(text: str, start: int) -> tuple[Span, ...]:
    """Where the elements of the array at `start` stand."""
    pair = pair_at(text, start)
    if pair is None or pair.value.type != "array":
        return ()
    return tuple((node.start_byte, node.end_byte) for node in pair.value.named_children if node.type != "comment")


def comma(text: str, end: int) -> int | None:
    """Where the comma behind a value stands, past blanks and comments."""
    found = _TAIL.match(text, end)
    return found.end() - 1 if found else None
