"""Characters that act or hide, made visible; texts cut in the middle. Pure.

Law: what is shown is one line of characters that each take a place on the screen, in the order of the text; a back
slash that was there is told from one that we put in.
"""

from __future__ import annotations

import json
import unicodedata

from mcpgov.core.approvals.question import cut_middle

# Control, direction and invisible characters, surrogates, private use, line and paragraph ends, odd blanks, unassigned.
_SHOWN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"}
# Letters and marks that show nothing: fillers, joiners, variation selectors.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
_SELECTORS = (("\ufe00", "\ufe0f"), ("\U000e0000", "\U000e0fff"))
MOST_MARKS = 3  # combining marks on one letter; more of them are painted over the lines around


def visible(text: str) -> str:
    """One line in which nothing acts."""
    if text.isascii() and text.isprintable() and "\\" not in text:
        return text
    out: list[str] = []
    marks = 0
    for char in text:
        marks = marks + 1 if unicodedata.combining(char) else 0
        out.append(_escaped(char) if char == "\\" or _unseen(char) or marks > MOST_MARKS else char)
    return "".join(out)


def _unseen(char: str) -> bool:
    if char == " ":
        return False
    if unicodedata.category(char) in _SHOWN or char in _BLANK:
        return True
    return any(first <= char <= last for first, last in _SELECTORS)


def _escaped(char: str) -> str:
    if char == "\\":
        return "\\\\"
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def quoted(text: str) -> str:
    """The same in quotes, so that its ends can be seen."""
    shown = visible(text).replace('"', '\\"')
    return f'"{shown}"'


def value_text(value: object) -> str:
    """A JSON value on one line, each text in it visible."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quoted(str(key))}: {value_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(value_text, value)) + "]"
    return json.dumps(value)


def cut(text: str, most: int) -> str:
    """At most so many characters and the count of what is left out, from the middle."""
    if len(text) <= most:
        return text
    tail = most // 3
    return cut_middle(text, most - tail, tail)
