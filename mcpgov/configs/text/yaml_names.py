"""The keys below a top-level key of a YAML text, for display only. Pure.

Block style only, as the clients write it; any other style yields no keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_KEY = re.compile(
    r"""( *)(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)'|([^\s#"'\[\]{},&*!|>%@`-][^:#]*?|-[^\s:#]+))\s*:(?:\s|$)"""
)


def keys_below(text: str, top: str) -> Iterator[str]:
    inside, indent = False, -1
    for line in text.removeprefix("\ufeff").splitlines():
        match = _KEY.match(line)
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        depth = len(line) - len(line.lstrip(" "))
        if depth == 0:
            inside, indent = match is not None and _name(match) == top, -1
        elif inside and match is not None:
            indent = depth if indent < 0 else indent
            if depth == indent:
                yield _name(match)


def _name(match: re.Match[str]) -> str:
    return next((part for part in match.groups()[1:] if part is not None), "").strip()
