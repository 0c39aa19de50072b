"""ANSI escape sequences that make a terminal hide, overwrite or do something. Colours are what test logs are full of.

Law: what only colours, or clears the rest of a line, is no finding in a result.
"""

from __future__ import annotations

from mcpgov.guards.patterns import compile_table
from mcpgov.guards.signals.signal import TERMINAL, Signal

ESCAPES = ("\x1b", "\x9b", "\x9d", "\x90")
# Control sequences, strings to the terminal (OSC), device control strings and the like, then single escapes.
_SEQUENCE = (
    r"(?:\x1b\[|\x{9b})[0-?]*[ -/]*[@-~]|(?:\x1b\]|\x{9d})[^\x07\x1b]*(?:\x07|\x1b\\)?"
    r"|(?:\x1b[PX^_]|\x{90})[^\x1b]*(?:\x1b\\)?|\x1b[ -/]*[0-~]"
)
# By the last character of a control sequence.
_CONTROLS = {
    "A": ("cursor up", 0.65), "F": ("cursor up", 0.65), "H": ("cursor home", 0.65), "f": ("cursor home", 0.65),
    "J": ("screen erased", 0.65), "n": ("terminal is asked", 0.7), "c": ("terminal is asked", 0.7),
    "s": ("cursor kept", 0.3), "u": ("cursor put back", 0.3), "S": ("scrolled", 0.4), "T": ("scrolled", 0.4),
    "B": ("cursor moved", 0.3), "D": ("cursor moved", 0.3), "d": ("cursor moved", 0.5), "K": ("line erased", 0.15),
    "M": ("lines deleted", 0.5), "L": ("lines inserted", 0.5), "P": ("characters deleted", 0.5),
    "X": ("characters erased", 0.5), "t": ("window changed", 0.5),
}  # fmt: skip
_STRINGS = {
    "52": ("clipboard written", 0.95), "1337": ("order for the terminal", 0.7), "50": ("font changed", 0.6),
}  # fmt: skip
CONCEALED = ("concealed text", 0.85)
SAME_COLOURS = ("text in the colour of its ground", 0.75)
OTHER_SCREEN = ("other screen", 0.62)
STRING = ("string for the terminal", 0.65)
FALSE_LINK = ("link that shows another address", 0.85)
LINK = ("link", 0.45)
IN_DESCRIPTION = 0.7  # at least: no description needs any
_SKIPPED = {"2": 4, "5": 2}  # parameters of a colour that are numbers, not commands


class TerminalPack:
    def __init__(self) -> None:
        self._sequences = compile_table(_SEQUENCE)

    def find(self, text: str, *, is_description: bool = False) -> list[Signal]:
        """The strongest sequence of a text."""
        if not any(sign in text for sign in ESCAPES):
            return []
        best: Signal | None = None
        spans = self._sequences.spans(text)
        for at, (start, end) in enumerate(spans):
            behind = text[end : spans[at + 1][0]] if at + 1 < len(spans) else text[end:]
            name, score = judged(text[start:end], behind)
            if is_description and text[start] == "\x1b":
                score = max(score, IN_DESCRIPTION)
            if score and (best is None or score > best.score):
                best = Signal(TERMINAL, name, score, start, end)
        return [] if best is None else [best]


def judged(sequence: str, behind: str) -> tuple[str, float]:
    """What a sequence does, and how little a program needs to do that in an answer. `behind`: what it applies to."""
    body = sequence[2:] if sequence[0] == "\x1b" else sequence[1:]
    kind = sequence[1] if sequence[0] == "\x1b" else {"\x9b": "[", "\x9d": "]"}.get(sequence[0], "P")
    if kind == "[":
        return _control(body[:-1], body[-1:], behind)
    if kind == "]":
        return _string(body.rstrip("\x07\\").rstrip("\x1b"), behind)
    return STRING if kind in "PX^_" else ("escape", 0.0)


def _control(parameters: str, final: str, behind: str) -> tuple[str, float]:
    if final == "m":
        return _colours(parameters.split(";"), behind)
    if parameters in ("?1049", "?47", "?1047") and final == "h":
        return OTHER_SCREEN
    if final in "JK" and parameters in ("", "0"):
        return ("line erased", 0.0)
    if parameters.startswith("?") and final in "hl":
        return ("mode", 0.1)
    return _CONTROLS.get(final, ("control", 0.1))


def _colours(parameters: list[str], behind: str) -> tuple[str, float]:
    ink = ground = ""
    at = 0
    while at < len(parameters):
        code = parameters[at].lstrip("0")
        if code in ("38", "48", "58"):
            width = _SKIPPED.get(parameters[at + 1] if at + 1 < len(parameters) else "", 1)
            told = ";".join(parameters[at + 1 : at + 1 + width])
            ink, ground = (told if code == "38" else ink), (told if code == "48" else ground)
            at += width
        elif code == "8" and behind.strip():
            return CONCEALED
        elif len(code) == 2 and code[0] in "39":
            ink = ("" if code[0] == "3" else "bright ") + code[1]
        elif code[:-1] in ("4", "10"):
            ground = ("" if code[0] == "4" else "bright ") + code[-1]
        at += 1
    return SAME_COLOURS if ink and ink == ground and behind.strip() else ("colour", 0.0)


def _string(body: str, behind: str) -> tuple[str, float]:
    number, _, rest = body.partition(";")
    if number != "8":
        return _STRINGS.get(number, ("title", 0.1))
    link = rest.partition(";")[2]
    if not link or link.startswith("file:"):
        return ("link", 0.0)
    shown, host = behind.strip(), link.partition("://")[2].partition("/")[0]
    told = shown.partition("://")[2].partition("/")[0] or (shown if "." in shown and " " not in shown else "")
    return FALSE_LINK if told and told.partition("/")[0] != host else LINK
