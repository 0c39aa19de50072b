"""Tool names that pass for another's (typosquatting): homoglyphs, swapped or doubled letters, digits for letters. Pure.

Laws: two servers may have tools of the same name, in the same or another way to write words: that is no finding. Nor
is a plural, a number or another word.
"""

from __future__ import annotations

from mcpgov.guards.signals.deobfuscate import deobfuscated
from mcpgov.guards.signals.signal import LOOKALIKE_TOOLS, Signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

SHORTEST = 6  # letters of a name that is compared
FALSE_LETTERS, PASSES_FOR, MISSPELT = 0.9, 0.85, 0.7
# One sign that passes for another, or two that pass for one.
_SHAPES = str.maketrans({"0": "o", "1": "l", "5": "s", "8": "b", "|": "l"})
_PAIRS = (("rn", "m"), ("vv", "w"), ("cl", "d"))


def folded(name: str) -> str:
    """The letters and digits of a name, whatever way its words are joined."""
    return "".join(sign for sign in deobfuscated(name).lower() if sign.isalnum())


def shape(name: str) -> str:
    """What a name looks like."""
    text = folded(name).translate(_SHAPES).replace("i", "l")
    for pair, sign in _PAIRS:
        text = text.replace(pair, sign)
    return text


class OtherNames:
    """The names of other tools, each with its server; made once for many names to be compared with."""

    __slots__ = ("_folded", "_shapes")

    def __init__(self, others: Mapping[str, str]) -> None:
        self._folded: dict[str, tuple[str, str]] = {}
        self._shapes: dict[str, list[str]] = {}
        for name, server in others.items():
            text = folded(name)
            if len(text) >= SHORTEST and text not in self._folded:
                self._folded[text] = (name, server)
                self._shapes.setdefault(shape(name), []).append(text)

    def resembled(self, name: str) -> Signal | None:
        """What a name passes for, or what it is: letters that are not what they look like."""
        opened, mine = deobfuscated(name), folded(name)
        if opened != name and opened.isascii():
            return Signal(LOOKALIKE_TOOLS, f"false letters: `{opened}`"[:120], FALSE_LETTERS, 0, len(name))
        if len(mine) < SHORTEST or mine in self._folded:
            return None
        alike = [text for text in self._shapes.get(shape(name), ()) if not _numbered(mine, text)]
        misspelt = [text for text in _misspellings(mine) if text in self._folded]
        for found, score in ((alike, PASSES_FOR), (misspelt, MISSPELT)):
            if found:
                other, server = self._folded[found[0]]
                return Signal(LOOKALIKE_TOOLS, f"passes for `{other}` of `{server}`"[:120], score, 0, len(name))
        return None


def _numbered(one: str, other: str) -> bool:
    """Do they differ in a number at their ends only?"""
    return one.rstrip("0123456789") == other.rstrip("0123456789")


def _misspellings(name: str) -> list[str]:
    """Two neighbouring letters swapped, or a letter doubled or not: nobody names two tools so."""
    out: list[str] = []
    for at in range(len(name)):
        one, two = name[at], name[at + 1 : at + 2]
        if one.isalpha() and two.isalpha() and one != two:
            out.append(name[:at] + two + one + name[at + 2 :])
        if one.isalpha():
            out.append(name[:at] + one + name[at:])
            if one == two:
                out.append(name[:at] + name[at + 1 :])
    return out
