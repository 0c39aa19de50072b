"""One signal: what a pack found, how sure it is, and where. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

INSTRUCTIONS, HIDDEN_TEXT, TERMINAL, LOOKALIKE_TOOLS = "instructions", "hidden_text", "terminal", "lookalike_tools"
PACKS = (INSTRUCTIONS, HIDDEN_TEXT, TERMINAL, LOOKALIKE_TOOLS)


class Signal:
    """`name`: what was found, for people; `start` and `end` count code points of the text. Never the text itself."""

    __slots__ = ("end", "name", "pack", "score", "start")

    def __init__(self, pack: str, name: str, score: float, start: int, end: int) -> None:
        self.pack = pack
        self.name = name
        self.score = round(score, 2)
        self.start = start
        self.end = end

    def as_data(self) -> dict[str, object]:
        return {"pack": self.pack, "name": self.name, "score": self.score, "at": [self.start, self.end]}


def together(weights: Iterable[float]) -> float:
    """Evidence of different kinds, each of which may be chance: the chance that not all of it is."""
    doubt = 1.0
    for weight in weights:
        doubt *= 1 - weight
    return 1 - doubt
