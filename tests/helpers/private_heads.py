"""Makes `issuers/heads.py` from the rows beside it: `python -m tests.helpers.private_heads`."""

from pathlib import Path

from mcpgov.guards.privacy.shape import _COMMON, ALPHABETS, KeyShape, Part, table

HEADS = Path(__file__).parents[2] / "mcpgov/guards/privacy/issuers/heads.py"
_WIDTH = 110
_DOCSTRING = '''"""How the keys of `issuers/` begin, as parts of the gate: PLAIN what could be base64, SIGNED others.

LINE_SIGNED is for whole lines: what follows a beginning that is no word is any sign of a key, which is sooner compiled.

Made from the rows by `python -m tests.helpers.private_heads`, so that no proxy reads all rows when it starts.
"""

from __future__ import annotations

'''
_TAIL = 10  # characters of a key that the gate asks for
_CODES = {
    "N": "0-9", "H": "0-9a-f", "X": "0-9A-Fa-f", "U": "0-9A-Z", "L": "0-9a-z", "A": "0-9A-Za-z", "W": r"0-9A-Za-z_\-",
    "D": r"0-9A-Za-z_.\-", "E": r"0-9A-Za-z_=\-", "B": r"0-9A-Za-z+/=\\",
    "S": r"0-9A-Za-z+/\\", "P": r"0-9A-Za-z_.+/=%\\\-",
    "@": r"0-9A-Za-z_.+/=%@\\\-",
}  # fmt: skip
_LINE_TAIL = f"[%+-:=@-z]{{{_TAIL}}}"
_ANY_SIGNS = "".join(ALPHABETS.values()) + ":"
_NO_WORD = 4  # characters of a beginning
_ANY_TAIL = f"[{_CODES['W']}]{{{_TAIL}}}"
_IN_WORDS = frozenset(_CODES[code] for code in "NHXULAW")
_CLASSES = {ALPHABETS[code]: signs for code, signs in _CODES.items()}
_QUOTED = frozenset(".$+()[]*?^|\\{}")


def quoted(text: str) -> str:
    """A text as part of a pattern; a slash may be escaped in a raw line."""
    return "".join("\\\\?/" if sign == "/" else "\\" + sign if sign in _QUOTED else sign for sign in text)


def _tail(parts: tuple[Part, ...]) -> str:
    """As much of what follows a beginning as tells a key from words and from base64."""
    out = ""
    room = _TAIL
    for alphabet, least, most, literal in parts:
        if literal:
            out += quoted(literal)
            continue
        count = min(least, room)
        out += f"[{_CLASSES[alphabet]}]{{{count}}}"
        room -= count
        if least != most or count < least or room <= 0:
            break
    return out


def _is_part(tail: str) -> bool:
    """Is whatever has this tail one of letters, digits, `_` and `-`?"""
    return tail.endswith(f"{{{_TAIL}}}") and tail[1:-5] in _IN_WORDS


def _is_long(parts: tuple[Part, ...]) -> bool:
    """Do as many signs follow in any key of this shape as the gate asks for, all of keys?"""
    literals = "".join(literal for _, _, _, literal in parts)
    return sum(least + len(literal) for _, least, _, literal in parts) >= _TAIL and not literals.strip(_ANY_SIGNS)


def _heads(shapes: list[KeyShape], *, is_line: bool = False) -> str:
    """Beginnings with the same tail together: that is a third of the work when the pattern is compiled."""
    tails: dict[str, set[str]] = {_LINE_TAIL: set(), _ANY_TAIL: set()}
    known: dict[tuple[Part, ...], str] = {}
    for shape in shapes:
        if len(shape.prefix) < 2:
            continue
        head = shape.prefix if shape.prefix.isalnum() else quoted(shape.prefix)
        exact = known.get(shape.parts)
        if exact is None:
            exact = known[shape.parts] = _tail(shape.parts)
        if (
            is_line
            and (shape.tolerant or (len(shape.prefix) >= _NO_WORD and not _is_word(shape)))
            and _is_long(shape.parts)
        ):
            tails[_LINE_TAIL].add(head)
            continue
        if shape.tolerant:
            tails[_ANY_TAIL].add(head)
        if not shape.tolerant or not _is_part(exact):
            tails.setdefault(exact, set()).add(head)
    tails[_ANY_TAIL] = _shortest(tails[_ANY_TAIL])
    tails[_LINE_TAIL] = _shortest(tails[_LINE_TAIL])
    rows = ("(?:" + "|".join(sorted(heads)) + ")" + tail for tail, heads in tails.items() if heads)
    return "(?:" + "|".join(rows) + ")"


def _is_word(shape: KeyShape) -> bool:
    return shape.worded or shape.prefix in _COMMON


def _shortest(heads: set[str]) -> set[str]:
    """Without those that a shorter one begins: the rest of them is as good a tail of it."""
    return {head for head in heads if not any(_goes_on(head, other) for other in heads)}


def _goes_on(head: str, other: str) -> bool:
    rest = head.removeprefix(other)
    return rest not in ("", head) and not rest.strip(ALPHABETS["W"])


def made() -> str:
    """The whole file."""
    out = _DOCSTRING
    for name, plain in (("PLAIN", True), ("SIGNED", False), ("LINE_SIGNED", False)):
        shapes = [shape for shape in table() if shape.plain is plain]
        out += f'{name} = r"""\n' + _folded(_heads(shapes, is_line=name == "LINE_SIGNED")) + '\n"""\n'
    return out


def _folded(text: str) -> str:
    lines = [""]
    for piece in text.replace("|", "|\n").split("\n"):
        if len(lines[-1]) + len(piece) > _WIDTH:
            lines.append("")
        lines[-1] += piece
    return "\n".join(lines)


if __name__ == "__main__":
    HEADS.write_text(made(), "utf-8")
