"""The result of a command: frozen data for `--json`, and blocks for people, rendered once."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

ENVELOPE_VERSION = 1
MOST_ROWS = 200
# Unicode categories shown as escapes: control, direction and invisible characters can disguise a name.
_SHOWN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
# Invisible characters of other categories: fillers, joiners, variation selectors that can carry bytes.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text; `style` is a word of render's palette."""

    text: str
    style: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell. Several lines are a tuple, since a line break inside a text is shown as an escape.

    `notes`: further lines, drawn faintly below.
    """

    text: str | tuple[str, ...]
    style: str = ""
    notes: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        return (self.text,) if isinstance(self.text, str) else self.text


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of texts or cells. `strong`: numbers of emphasised rows; `empty`: the text for no rows.

    A terminal shows at most `most` rows, always including the strong ones; pipes and --json get all.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str | Cell]]
    title: str = ""
    strong: frozenset[int] = frozenset()
    empty: str = ""
    most: int = MOST_ROWS


Block = Line | Table


@dataclass(frozen=True, slots=True)
class Result:
    """`raw` is printed without envelope or table: JSON lines, scripts, policies. `notes` go to standard error."""

    command: str
    data: Mapping[str, object] = field(default_factory=dict)
    view: Sequence[Block] = ()
    exit_code: int = 0
    raw: str | None = None
    notes: Sequence[str] = ()

    def envelope(self) -> dict[str, object]:
        return envelope(self.command, self.exit_code == 0, self.data)


def picked(item: object, *names: str) -> dict[str, object]:
    """Attributes of a value for `--json`: `name`, or `key=name` if the JSON key differs."""
    pairs = [(name.partition("=")[0], name.rpartition("=")[2]) for name in names]
    values = {key: getattr(item, name) for key, name in pairs}
    return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}


def spaced(view: Sequence[Block]) -> list[Block]:
    """The blocks to print: blank lines around tables, and the `empty` text for a table without rows."""
    out: list[Block] = []
    after_table = False
    for given in view:
        block = given
        if isinstance(block, Table) and not block.rows:
            if not block.empty:
                continue
            block = Line(block.empty)
        is_table = isinstance(given, Table)
        if out and (is_table or after_table):
            out.append(Line(""))
        out.append(block)
        after_table = is_table
    return out


def envelope(command: str, ok: bool, data: Mapping[str, object]) -> dict[str, object]:
    return {"version": ENVELOPE_VERSION, "command": command, "ok": ok, **data}


def visible(text: str) -> str:
    """Text for a terminal: control and invisible characters as escapes, so that no name can act on it."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escaped(c) if _unseen(c) else c for c in text)


def _unseen(char: str) -> bool:
    return unicodedata.category(char) in _SHOWN or char in _BLANK or "\U000e0000" <= char <= "\U000e0fff"


def _escaped(char: str) -> str:
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
