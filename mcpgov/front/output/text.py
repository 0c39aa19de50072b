"""Small text helpers shared by every view. Light: the fast path of `mcpgov status` loads it."""

from __future__ import annotations

import os
from collections.abc import Sequence

MANY, MOST = 8, 5  # up to MANY names are all shown, of more the first MOST


def home_short(path: str) -> str:
    home = os.path.expanduser("~")
    return "~" + path[len(home) :] if path.startswith(home + os.sep) else path


def home_in(text: str) -> str:
    """The same for paths in a sentence, at its beginning, behind a space or in backticks."""
    home = os.path.expanduser("~")
    if len(home) < 2:
        return text
    for before in ("`", " "):
        text = text.replace(f"{before}{home}/", f"{before}~/")
    return home_short(text)


def some(names: Sequence[str]) -> str:
    """Names in a sentence: all of a few, the first of many."""
    shown = names if len(names) <= MANY else names[:MOST]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more:,} more" if more else "")


def count(number: int, thing: str, things: str = "") -> str:
    return f"{number:,} {thing if number == 1 else things or f'{thing}s'}"


def state_word(state: str) -> str:
    """A server's state for people: `native` is what the JSON calls one that starts without us."""
    return "unprotected" if state == "native" else state
