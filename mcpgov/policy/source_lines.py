"""The line of each key in a TOML or JSON text. Law: values come from tomllib and json, from here only lines.

A place is a tuple of keys and list positions, e.g. ("rule", 2, "args", "path").
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator

import tree_sitter
import tree_sitter_toml

Place = tuple[str | int, ...]
Lines = dict[Place, int]
Tables = tuple[str, ...]
_JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|\n|[^\s"{}\[\],:]+')


def _line(node: tree_sitter.Node) -> int:
    return int(node.start_point[0]) + 1


def _text(node: tree_sitter.Node) -> str:
    return node.text.decode() if node.text is not None else ""


def _toml_key(node: tree_sitter.Node) -> Tables:
    """The parts of a bare, quoted or dotted key."""
    if node.type == "dotted_key":
        return tuple(part for child in node.named_children for part in _toml_key(child))
    if node.type == "quoted_key":
        return (next(iter(tomllib.loads(f"{_text(node)} = 0"))),)
    return (_text(node),)


def _pairs(node: tree_sitter.Node, place: Place, lines: Lines) -> None:
    for child in node.named_children:
        if child.type == "pair":
            key, *values = child.named_children
            here = place
            for part in _toml_key(key):
                here = (*here, part)
                lines.setdefault(here, _line(key))
            for value in values:
                _toml_value(value, here, lines)


def _toml_value(node: tree_sitter.Node, place: Place, lines: Lines) -> None:
    if node.type == "inline_table":
        _pairs(node, place, lines)
    elif node.type == "array":
        items = [child for child in node.named_children if child.type != "comment"]
        for at, item in enumerate(items):
            lines.setdefault((*place, at), _line(item))
            _toml_value(item, (*place, at), lines)


def toml_lines(text: str) -> Lines:
    """Lines of every key of a valid TOML text."""
    language = tree_sitter.Language(tree_sitter_toml.language())
    root = tree_sitter.Parser(language).parse(text.encode()).root_node
    lines: Lines = {}
    counts: dict[Place, int] = {}
    _pairs(root, (), lines)
    for node in root.named_children:
        if node.type not in ("table", "table_array_element"):
            continue
        place: Place = ()
        keys = _toml_key(node.named_children[0])
        for at, key in enumerate(keys):
            place = (*place, key)
            last = at == len(keys) - 1
            lines.setdefault(place, _line(node))
            if last and node.type == "table_array_element":
                counts[place] = counts.get(place, -1) + 1
            if place in counts:
                place = (*place, counts[place])
                lines.setdefault(place, _line(node))
        _pairs(node, place, lines)
    return lines


def json_lines(text: str) -> Lines:
    """Lines of every key and element of a valid JSON text."""
    lines: Lines = {}
    for place, _, line, _ in _json_values(text):
        lines.setdefault(place, line)
    return lines


def json_twice(text: str) -> list[tuple[str, int]]:
    """Duplicate keys of a valid JSON text with their lines: the json module would silently drop the first."""
    return [(str(place[-1]), line) for place, line, _, again in _json_values(text) if again]


def _json_values(text: str) -> Iterator[tuple[Place, int, int, bool]]:
    """Every value: its place, the line of its key, its own line, and whether the key is a duplicate."""
    place: list[str | int] = []
    opened: list[set[str] | None] = []  # the keys so far of each enclosing object, None for a list
    line = key_line = 1
    key_next = again = False
    for token in _JSON_TOKEN.findall(text):
        if token == "\n":
            line += 1
        elif token == ",":
            key_next = opened[-1] is not None
            place[-1] = "" if key_next else int(place[-1]) + 1
        elif token in ("}", "]"):
            key_next = False
            opened.pop()
            place.pop()
        elif key_next and (keys := opened[-1]) is not None:
            place[-1], key_line, key_next = json.loads(token), line, False
            again = place[-1] in keys
            keys.add(str(place[-1]))
        elif token != ":":
            yield tuple(place), key_line, line, again
            again, key_next = False, token == "{"
            if token in ("{", "["):
                opened.append(set() if key_next else None)
                place.append("" if key_next else 0)
