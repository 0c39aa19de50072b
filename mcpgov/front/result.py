"""What a command returns: frozen data for `--json`, and blocks for people. Rendered once, by render."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

ENVELOPE_VERSION = 1
# Text direction and invisible characters can make a name look like another.
_SHOWN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text; `style` is a word of render's palette."""

    text: str
    style: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell; several lines are given apart, since a line break inside a text is shown as an escape."""

    text: str | tuple[str, ...]
    style: str = ""

    @property
    def lines(self) -> tuple[str, ...]:
        return (self.text,) if isinstance(self.text, str) else self.text


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of texts or cells; `strong` are the numbers of the rows to bring out."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str | Cell]]
    title: str = ""
    strong: frozenset[int] = frozenset()


Block = Line | Table


@dataclass(frozen=True, slots=True)
class Result:
    """`raw` is printed as it is, without envelope or table: JSON lines, scripts, XML."""

    command: str
    data: Mapping[str, object] = field(default_factory=dict)
    view: Sequence[Block] = ()
    exit_code: int = 0
    raw: str | None = None

    def envelope(self) -> dict[str, object]:
        ok = self.exit_code == 0
        return {"version": ENVELOPE_VERSION, "command": self.command, "ok": ok, **self.data}


def visible(text: str) -> str:
    """Text for a terminal: control and invisible characters as escapes, so that nothing in a name acts."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escaped(c) if unicodedata.category(c) in _SHOWN else c for c in text)


def _escaped(char: str) -> str:
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
