"""The keys below a top-level key of a YAML text, for telling what is there. Pure. Nothing is ever edited by this.

Block style only, as the clients write it; anything else names nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_KEY = re.compile(
    r"""( *)(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)'|([^\s#"'\[\]{},&*!|>%@`-][^:#]*?|-[^\s:#]+))\s*:(?:\s|$)"""
)


def below(text: str, top: str) -> Iterator[str]:
    inside, indent = False, -1
    for line in text.removeprefix("\ufeff").splitlines():
        found = _KEY.match(line)
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        depth = len(line) - len(line.lstrip(" "))
        if depth == 0:
            inside, indent = found is not None and _name(found) == top, -1
        elif inside and found is not None:
            indent = depth if indent < 0 else indent
            if depth == indent:
                yield _name(found)


def _name(found: re.Match[str]) -> str:
    return next((part for part in found.groups()[1:] if part is not None), "").strip()
