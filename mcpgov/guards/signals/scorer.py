"""The packs put together: what one text, one answer or one tool's definition shows.

Law: each pack's strongest signal is told, also below the threshold; which signals count is the policy's choice.
"""

from __future__ import annotations

from mcpgov.core.rules.spellings import unquote
from mcpgov.guards.patterns import compile_table
from mcpgov.guards.signals import instructions
from mcpgov.guards.signals.deobfuscate import decoded, joined, without_leet
from mcpgov.guards.signals.hidden_text import HiddenTextPack
from mcpgov.guards.signals.instructions import Phrases
from mcpgov.guards.signals.signal import HIDDEN_TEXT, INSTRUCTIONS, PACKS, TERMINAL, Signal
from mcpgov.guards.signals.terminal import TerminalPack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_SPREAD = r"(?i)(?:\b[a-z][ .\-_]{1,3}){7,}[a-z]\b"
_LEET = (
    r"(?i)\b(?:1gn|ign0|d1sr|disr3|f0rg|0verr|pr3v|prev1|1nstr|instruct1|instructi0|5yst|sy5t|syst3|pa55|passw0|s3cr"
    r"|r3v)"
)
_PERCENT = r"(?:[\w.~-]*%[0-9A-Fa-f]{2}){6,}[\w.~-]*"
_ENCODED = r"[A-Za-z0-9+/]{24,}={0,2}"
DISGUISED = 0.75  # words in another spelling are worth at least this, if they are worth anything
LEAST_SAID = 0.45
AROUND = 300
MOST_PLACES = 64
KEY, LONGEST_KEY = "(key)", 32  # a longer or unusual key may be data: records show KEY instead
# Parts of an answer that nobody reads as text.
BINARY = ("data", "blob")


class Scorer:
    """`packs`: which are asked."""

    def __init__(self, packs: Iterable[str] = PACKS) -> None:
        self._packs = frozenset(packs)
        self._phrases = Phrases() if self._packs & {INSTRUCTIONS, HIDDEN_TEXT} else None
        self._hidden = HiddenTextPack() if HIDDEN_TEXT in self._packs else None
        self._terminal = TerminalPack() if TERMINAL in self._packs else None
        self._spread, self._leet = compile_table(_SPREAD), compile_table(_LEET)
        self._encoded, self._percent = compile_table(_ENCODED), compile_table(_PERCENT)

    def find(self, text: str, *, is_description: bool = False) -> list[Signal]:
        """The strongest signal of each pack, the strongest first."""
        found: list[Signal] = []
        if self._phrases is not None:
            said = instructions.find(text, self._phrases)
            if INSTRUCTIONS in self._packs:
                found += _strongest([*said, *self._disguised(text, self._phrases)])
            if self._hidden is not None:
                worth = said[0].score if said else 0.0
                found += self._hidden.find(text, self._phrases, worth, is_description=is_description)
        if self._terminal is not None:
            found += self._terminal.find(text, is_description=is_description)
        return sorted(found, key=lambda signal: -signal.score)

    def _disguised(self, text: str, phrases: Phrases) -> list[Signal]:
        places: list[tuple[int, int, str]] = []
        for start, end in self._spread.spans(text)[:MOST_PLACES]:
            places.append((start, end, joined(text[start:end]) + text[end : end + AROUND]))
        for start, end in self._leet.spans(text)[:MOST_PLACES]:
            places.append((start, end, without_leet(text[start : end + AROUND])))
        for start, end in self._encoded.spans(text)[:MOST_PLACES]:
            places.append((start, end, decoded(text[start:end])))
        for start, end in self._percent.spans(text)[:MOST_PLACES]:
            places.append((start, end, unquote(text[start:end])))
        found: list[Signal] = []
        for start, end, reading in places:
            inside = instructions.find(reading, phrases)
            if inside and inside[0].score >= LEAST_SAID:
                score = max(DISGUISED, inside[0].score)
                found.append(Signal(INSTRUCTIONS, f"disguised: {inside[0].name}", score, start, end))
        return found


def _strongest(signals: list[Signal]) -> list[Signal]:
    return [max(signals, key=lambda signal: signal.score)] if signals else []


def texts_of(value: object) -> Iterator[tuple[str, str]]:
    """Every text of a value with the place it stands at, keys included; no binary contents."""
    stack: list[tuple[str, object]] = [("", value)]
    while stack:
        place, node = stack.pop()
        if isinstance(node, str):
            yield place, node
        elif isinstance(node, dict):
            for key, item in reversed(node.items()):
                if key in BINARY and isinstance(item, str):
                    continue
                plain = key.isalpha() and len(key) <= LONGEST_KEY
                below = f"{place}.{key if plain else KEY}" if place else key if plain else KEY
                stack.append((below, item))
                if not plain:
                    stack.append((below, key))
        elif isinstance(node, list):
            stack += [(f"{place}[{at}]", node[at]) for at in reversed(range(len(node)))]
