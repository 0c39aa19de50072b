"""Where in a TOML or JSON text each key stands. Law: values come from tomllib and json, from here only lines.

A place is a tuple of keys and list positions, e.g. ("rule", 2, "args", "path").
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator

import tree_sitter
import tree_sitter_json
import tree_sitter_toml

Place = tuple[str | int, ...]
Lines = dict[Place, int]
Tables = tuple[str, ...]


def _parse(language: object, text: str) -> tree_sitter.Node:
    return tree_sitter.Parser(tree_sitter.Language(language)).parse(text.encode()).root_node


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
    root = _parse(tree_sitter_toml.language(), text)
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
    stack: list[tuple[tree_sitter.Node, Place]] = [(_parse(tree_sitter_json.language(), text), ())]
    while stack:
        node, place = stack.pop()
        for child, here in _json_children(node, place):
            lines.setdefault(here, _line(child))
            stack.append((child, here))
    return lines


def json_twice(text: str) -> list[tuple[str, int]]:
    """The keys an object of a valid JSON text says again, with their lines: json would drop the first silently."""
    out: list[tuple[str, int]] = []
    stack = [_parse(tree_sitter_json.language(), text)]
    while stack:
        node = stack.pop()
        stack += reversed(node.named_children)
        if node.type == "object":
            seen: set[str] = set()
            for pair in node.named_children:
                name = json.loads(_text(pair.named_children[0]))
                out += [(name, _line(pair))] if name in seen else []
                seen.add(name)
    return out


def _json_children(node: tree_sitter.Node, place: Place) -> Iterator[tuple[tree_sitter.Node, Place]]:
    if node.type == "document":
        yield from ((child, place) for child in node.named_children)
    elif node.type == "array":
        yield from ((child, (*place, at)) for at, child in enumerate(node.named_children))
    elif node.type == "object":
        for pair in node.named_children:
            key, value = pair.named_children[0], pair.named_children[-1]
            yield value, (*place, json.loads(_text(key)))
