"""What is said of a wrong setting: the line it stands in, what it may be, what was probably meant. Leaf, light."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

TABLE = re.compile(r"\s*\[\s*([^\[\]#]+?)\s*\]\s*(?:#.*)?$")
PAIR = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")


def line_of(text: str, name: str) -> int | None:
    """The line in which a settings file sets `name`, as a key of its own or of a table; None where it does not."""
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


def meant(word: object, known: Iterable[str]) -> str:
    """`did you mean …? `, where something is near; empty otherwise."""
    options = list(known)
    close = difflib.get_close_matches(word.lower(), options, 1) if isinstance(word, str) else []
    return f"did you mean `{close[0]}`? " if close else ""


def one_of(options: Iterable[str]) -> str:
    return "one of " + ", ".join(options)
