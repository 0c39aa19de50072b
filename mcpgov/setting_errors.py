"""Parts of the message for a wrong setting: its line, its allowed values, the closest one. Leaf, light."""

from __future__ import annotations

import re
from collections.abc import Iterable

from mcpgov.errors import nearest

TABLE = re.compile(r"\s*\[\s*([^\[\]#]+?)\s*\]\s*(?:#.*)?$")
PAIR = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")


def line_of(text: str, name: str) -> int | None:
    """The line in which a settings file sets `name`, as a key or inside a table; None if it does not."""
    table = ""
    for number, line in enumerate(text.split("\n"), 1):
        if header := TABLE.match(line):
            table = _plain(header[1])
            if table == name:
                return number
        elif pair := PAIR.match(line):
            key = _plain(pair[1])
            if name in (key, f"{table}_{key}" if table else key):
                return number
    return None


def _plain(key: str) -> str:
    return "_".join(part.strip().strip("\"'") for part in key.split("."))


def suggestion(word: object, known: Iterable[str]) -> str:
    """`did you mean …? `; empty if no known word is close."""
    close = nearest(word.lower(), known) if isinstance(word, str) else ""
    return f"did you mean `{close}`? " if close else ""


def one_of(options: Iterable[str]) -> str:
    return "one of " + ", ".join(options)
