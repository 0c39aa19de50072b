"""The head of the column that a place of a table stands in. Pure."""

from __future__ import annotations

_SIGNS = "\t|;,"
_LINE, _TABLE = 512, 4000  # characters


def heading(text: str, at: int) -> str:
    """In the first line of what no empty line divides; "" where none is."""
    begin = text.rfind("\n", max(0, at - _LINE), at) + 1
    top = text.rfind("\n\n", max(0, begin - _TABLE), begin)
    top = top + 2 if top >= 0 else 0
    stop = text.find("\n", top, begin)
    if not begin or stop < 0 or stop - top > _LINE or begin - top > _TABLE:
        return ""
    cells = text[top:stop]
    sign = next((sign for sign in _SIGNS if sign in cells), "")
    column = text.count(sign, begin, at) if sign else 0
    return cells.split(sign)[column].strip() if sign and column <= cells.count(sign) else ""
