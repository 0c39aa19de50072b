"""Text that is addressed to the model: phrases of several kinds near each other make a score.

Laws: time is linear in the text; without a strong phrase nothing is scored. What stands in quotes or code, in a text
that is about injections, counts little: precision goes before recall.
"""

from __future__ import annotations

from mcpgov.guards.patterns import compile_table, whole
from mcpgov.guards.signals.phrase_words import ABOUT, STEMS
from mcpgov.guards.signals.phrases import ORDERS
from mcpgov.guards.signals.phrases_actions import ACTION_PHRASES
from mcpgov.guards.signals.phrases_context import CONTEXT_PHRASES
from mcpgov.guards.signals.phrases_other_languages import OTHER_LANGUAGES
from mcpgov.guards.signals.signal import INSTRUCTIONS, Signal, together

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.guards.patterns import RegexPattern

NEAR = 420  # characters between phrases that belong together
MARGIN = 2 * NEAR
BLOCK = 2048  # characters that are looked at together before any pattern is tried
OVERLAP = 128
MOST_MATCHES = 4000
MOST_NEAR = 64
QUOTED = 0.25  # what is left of a phrase's weight that is quoted in a text about injections
TOLD = 0.75  # what is left of one in such a text that is not quoted
ALONE = 0.2
WAYS = frozenset(("destination", "parameter"))  # are evidence only where something is taken or sent
MOVING = frozenset(("take_file", "take_secret", "take_all", "take_talk", "send_to", "fake_call", "steer", "danger"))
REPORTED = (" told ", " asked ", "tells ", "asking ", "instruct", "tries ", "trying ", "attempt", "ordered ")
_GAP, _WORDS = r"[^.!?\w]+", r"[^.!?\w]+(?:\S+\s+){0,%s}?"

_NEGATED = ("not ", "n't ", "never ", "without ")
_MEANT_AS_SAID = frozenset(("conceal", "hide_act", "no_approval"))  # a negation is part of them

SPOKEN = {**ORDERS, **ACTION_PHRASES}  # the strong kinds
KINDS = {**SPOKEN, **CONTEXT_PHRASES}

Match = tuple[int, int, str]


def _source(phrases: tuple[str, ...], gap: str) -> str:
    parts = []
    for phrase in phrases:
        for count in "12345678":
            phrase = phrase.replace(f" <{count}> ", _WORDS % count).replace(f" <{count}>", _WORDS % count)
        parts.append(phrase.replace(" ", gap))
    return "|".join(parts)


class Phrases:
    """The tables as patterns. The gate is compiled at once, the rest when a text passes it."""

    def __init__(self) -> None:
        self._gate = compile_table(f"(?i){STEMS}")
        self._others: RegexPattern | None = None
        self._kinds: dict[str, list[RegexPattern]] = {}

    def windows(self, text: str) -> list[tuple[int, int]]:
        """The parts of a text that have strong phrases, each with what is near it."""
        found: list[tuple[int, int]] = []
        for start in range(0, len(text), BLOCK):
            block = text[max(0, start - OVERLAP) : start + BLOCK]
            if not self._gate.search(block) and (block.isascii() or not self._in_other_language(block)):
                continue
            first, last = max(0, start - MARGIN), min(len(text), start + BLOCK + MARGIN)
            if found and first <= found[-1][1]:
                found[-1] = (found[-1][0], last)
            else:
                found.append((first, last))
        return found

    def _in_other_language(self, text: str) -> bool:
        if self._others is None:
            sources = [_source(phrases, r"\s+") for phrases in OTHER_LANGUAGES.values()]
            self._others = compile_table(f"(?i){'|'.join(sources)}")
        return self._others.search(text)

    def matches(self, text: str) -> list[Match]:
        """The phrases of a text that `whole` has made."""
        if not self._kinds:
            self._compile()
        found = [
            (start, end, kind)
            for kind, patterns in self._kinds.items()
            for pattern in patterns
            for start, end in pattern.whole_spans(text)[:MOST_MATCHES]
        ]
        return sorted(found)[:MOST_MATCHES]

    def _compile(self) -> None:
        for kind, (_, phrases) in KINDS.items():
            self._kinds[kind] = [compile_table(f"(?i){_source(phrases, _GAP)}")]
        for kind, phrases in OTHER_LANGUAGES.items():
            self._kinds[kind].append(compile_table(f"(?i){_source(phrases, '[[:space:]]+')}"))
        self._about = compile_table(f"(?i){ABOUT}")

    def about(self, text: str) -> list[int]:
        return [start for start, _ in self._about.spans(text)[:MOST_MATCHES]]


def hidden_worth(text: str, phrases: Phrases) -> float:
    """What words are worth that somebody has hidden: circumstances count, too."""
    text = whole(text)
    return together({kind: KINDS[kind][0] for _, _, kind in phrases.matches(text) if kind not in WAYS}.values())


def find(text: str, phrases: Phrases) -> list[Signal]:
    """The strongest place of a text, if it has any."""
    best: Signal | None = None
    for first, last in phrases.windows(text):
        found = _strongest(whole(text[first:last]), phrases)
        if found is not None and (best is None or found.score > best.score):
            best = Signal(INSTRUCTIONS, found.name, found.score, first + found.start, first + found.end)
    return [] if best is None else [best]


def _strongest(text: str, phrases: Phrases) -> Signal | None:
    matches, about = phrases.matches(text), phrases.about(text)
    shares = [_share(text, match, about) for match in matches]
    best: Signal | None = None
    first = 0
    for at, (start, end, kind) in enumerate(matches):
        while matches[first][0] < start - NEAR:
            first += 1
        if kind not in SPOKEN:
            continue
        weights: dict[str, float] = {}
        for place in range(max(first, at - MOST_NEAR), min(len(matches), at + MOST_NEAR)):
            if matches[place][0] > end + NEAR:
                break
            name = matches[place][2]
            weights[name] = max(weights.get(name, 0.0), KINDS[name][0] * shares[place])
        if not MOVING.intersection(weights):
            weights = {name: weight for name, weight in weights.items() if name not in WAYS}
        if weights[kind] < ALONE:
            continue  # quoted, or negated: nobody speaks here
        score = round(together(weights.values()), 2)
        if best is None or score > best.score:
            names = sorted(weights, key=lambda name: -weights[name])[:3]
            best = Signal(INSTRUCTIONS, ", ".join(names), score, start, end)
    return best


def _share(text: str, match: Match, about: list[int]) -> float:
    """How much of its weight a phrase keeps."""
    start, end, kind = match
    before = text[max(0, start - 40) : start]
    if kind not in _MEANT_AS_SAID and before.lower().endswith(_NEGATED):
        return 0.0
    near = sum(1 for place in about if start - NEAR <= place <= end + NEAR and not start <= place < end)
    if not near:
        return 1.0
    if _is_quoted(text, start, end):
        return QUOTED
    if before.endswith(" to ") and any(word in before for word in REPORTED):
        return QUOTED
    return TOLD if near > 1 else 1.0


def _is_quoted(text: str, start: int, end: int) -> bool:
    """Is it inside of quotes or code that begin and end close by, or in a cell of a table?"""
    before, behind = text[max(0, start - 80) : start], text[end : end + 160]
    for opening, closing in ('""', "''", "``", "“”", "‘’", "«»", "「」", "„“"):
        if opening == closing:
            if before.count(opening) % 2 and closing in behind:
                return True
        elif before.rfind(opening) > before.rfind(closing) and closing in behind:
            return True
    return text[text.rfind("\n", 0, start) + 1 : start].lstrip().startswith("|")
