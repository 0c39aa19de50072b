"""Text that a model reads and a person does not see: zero-width, bidi and tag characters, homoglyphs
(letters of another script that look like Latin ones), hidden markup.

Laws: emoji, Persian, Indic and right-to-left texts, soft hyphens and byte order marks are no findings. What hides is
judged by what it is, what hides words also by what the words say once they are deobfuscated.
"""

from __future__ import annotations

from mcpgov.guards.patterns import compile_table
from mcpgov.guards.signals import instructions
from mcpgov.guards.signals.deobfuscate import LETTERS, deobfuscated
from mcpgov.guards.signals.signal import HIDDEN_TEXT, Signal, together

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.guards.signals.instructions import Phrases

_SHAPELESS = (
    r"[\x{ad}\x{34f}\x{61c}\x{115f}\x{1160}\x{17b4}\x{17b5}\x{180b}-\x{180f}\x{200b}-\x{200f}\x{202a}-\x{202e}\x{2060}-\x{206f}"
    r"\x{2800}\x{3164}\x{fe00}-\x{fe0f}\x{feff}\x{ffa0}\x{e000}-\x{f8ff}\x{e0000}-\x{e0fff}\x{f0000}-\x{10ffff}]+"
)
_OTHER = r"\x{370}-\x{3ff}\x{400}-\x{52f}"  # Greek and Cyrillic
_MIXED = f"[A-Za-z]+[{_OTHER}][A-Za-z{_OTHER}]*|[{_OTHER}]+[A-Za-z][A-Za-z{_OTHER}]*"
# Comments, elements that are not shown, link references that nothing refers to.
_MARKUP = (
    r"<!--(?:[^-]|-[^-]|--[^>])*-->"
    r"|(?i:<\w+[^<>]*(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0[^.0-9]|(?:left|top|text-indent)\s*:\s*-\d{3}"
    r"|color\s*[:=]\s*[\"']?(?:white|#fff|transparent)|\shidden[\s>=])[^<>]*>[^<]*)"
    r"|(?i:\balt\s*=\s*\"[^\"]{20,}\")|(?m:^\[(?://|comment)\]\s*:[^\n]*$)"
)
_FAR = r"(?:[ \t\x{a0}]{120}|(?:\r?\n[ \t]*){30})\s*"
MARKUP, FAR = 0.5, 0.4  # what is added to the score of words that are hidden in this way
LEAST_SAID = 0.34  # the least score of words in hidden markup that makes them a finding
FLAG, END_OF_TAGS = "\U0001f3f4", "\U000e007f"
OVERRIDES = "\u202d\u202e"
ISOLATES, END_OF_ISOLATE = "\u2066\u2067\u2068", "\u2069"
ZERO_WIDTH = frozenset(
    "\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\ufeff\u180e\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
)
MOST_RUNS = 2000


class HiddenTextPack:
    def __init__(self) -> None:
        self._shapeless = compile_table(_SHAPELESS)
        self._mixed = compile_table(_MIXED)
        self._markup = compile_table(_MARKUP)
        self._far = compile_table(_FAR)

    def find(self, text: str, phrases: Phrases, said: float, *, is_description: bool = False) -> list[Signal]:
        """The strongest signal of a text. `said`: what its words are worth as they stand."""
        found = self._in_markup(text, phrases)
        if not text.isascii():
            found += self._characters(text, phrases, said, is_description)
        found = [signal for signal in found if signal.score > 0]
        return [max(found, key=lambda signal: signal.score)] if found else []

    def _in_markup(self, text: str, phrases: Phrases) -> list[Signal]:
        found: list[Signal] = []
        spans = [(start, end, MARKUP) for start, end in self._markup.spans(text)] if "<" in text or "]:" in text else []
        far = [(end, min(len(text), end + 800), FAR) for _, end in self._far.spans(text)]
        for start, end, weight in (spans + far)[:MOST_RUNS]:
            worth = instructions.hidden_worth(text[start:end], phrases)
            if worth >= LEAST_SAID:
                name = "hidden markup" if weight == MARKUP else "far off the screen"
                found.append(Signal(HIDDEN_TEXT, name, together((worth, weight)), start, end))
        return found

    def _characters(self, text: str, phrases: Phrases, said: float, is_description: bool) -> list[Signal]:
        runs = self._shapeless.spans(text)[:MOST_RUNS]
        mixed = [span for span in self._mixed.spans(text)[:MOST_RUNS] if is_false_word(text[span[0] : span[1]])]
        found = [run_signal(text, start, end) for start, end in runs]
        inside = [start for start, end in runs if _splits_word(text, start, end)]
        if inside:
            often = len(inside) >= 4 and len(inside) * 25 > len(text)
            found.append(Signal(HIDDEN_TEXT, "split words", 0.65 if often else 0.2, inside[0], inside[-1] + 1))
        if mixed:
            sure = {1: 0.4, 2: 0.55}.get(len(mixed), 0.72)
            found.append(Signal(HIDDEN_TEXT, "false letters", sure, mixed[0][0], mixed[-1][1]))
        if runs or mixed:
            opened = instructions.find(deobfuscated(text), phrases)
            if opened and opened[0].score >= 0.45 and opened[0].score > said + 0.1:
                start = inside[0] if inside else mixed[0][0] if mixed else runs[0][0]
                found.append(Signal(HIDDEN_TEXT, f"hides {opened[0].name}", 0.92, start, start + 1))
        if is_description:
            for signal in found:
                signal.score = round(min(0.97, signal.score * 1.3), 2)
        return found


def run_signal(text: str, start: int, end: int) -> Signal:
    """What one run of characters without a shape is."""
    run = text[start:end]
    first = ord(run[0])
    tags = sum(0xE0020 <= ord(sign) <= 0xE007F for sign in run)
    bytes_in = sum(0xE0100 <= ord(sign) <= 0xE01EF for sign in run) + sum(0xFE00 <= ord(sign) <= 0xFE0F for sign in run)
    name, score = "", 0.0
    if tags:
        is_flag = start and text[start - 1] == FLAG and run[-1] == END_OF_TAGS and len(run) <= 8
        name, score = "tag characters", 0.0 if is_flag else 0.95 if tags > 2 else 0.6
    elif bytes_in > 2:
        name, score = "variation selectors that carry bytes", 0.9
    elif 0xE000 <= first <= 0xF8FF or first >= 0xF0000:
        name, score = "private characters", _private(run)
    elif any(sign in OVERRIDES for sign in run):
        rtl = any("\u0590" <= sign <= "\u08ff" for sign in text[max(0, start - 40) : end + 40])
        name, score = "direction overridden", 0.3 if rtl else 0.8
    elif sum(sign in ZERO_WIDTH for sign in run) > 3:
        name, score = "run of zero-width characters", 0.85 if len(run) > 5 else 0.65
    elif any(sign in ISOLATES for sign in run) and _is_open(text, start):
        name, score = "direction left open", 0.45
    return Signal(HIDDEN_TEXT, name, score, start, end)


def _private(run: str) -> float:
    """Letters moved into the private area read as text; icons stand alone."""
    read = "".join(chr(ord(sign) & 0xFF) for sign in run)
    if len(run) > 7 and read.isascii() and sum(sign.isalpha() or sign == " " for sign in read) * 10 >= len(run) * 8:
        return 0.85
    return 0.4 if len(run) > 15 else 0.0


def _is_open(text: str, start: int) -> bool:
    line = text[start:].partition("\n")[0][:400]
    return sum(line.count(sign) for sign in ISOLATES) > line.count(END_OF_ISOLATE)


def _splits_word(text: str, start: int, end: int) -> bool:
    """A hidden character between two letters of the English alphabet."""
    if not 0 < start < end < len(text):
        return False
    before, behind = text[start - 1], text[end]
    return (
        before.isascii()
        and behind.isascii()
        and before.isalpha()
        and behind.isalpha()
        and text[start] not in "\xad\u200e\u200f"
    )


def is_false_word(word: str) -> bool:
    """Latin letters together with others that look like Latin ones, and with no letter that does not."""
    others = [sign for sign in word if sign > "\x7f"]
    latin = [sign for sign in word if sign.isascii()]
    return len(word) > 2 and bool(others) and len(latin) > 1 and all(sign in LETTERS for sign in others)
