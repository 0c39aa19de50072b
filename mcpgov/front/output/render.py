"""Results on a terminal. The only user of rich; every text goes through visible() first."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterable, Sequence
from typing import TextIO

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from mcpgov.front.output.grid import Row
from mcpgov.front.result import Cell, Result, Table, spaced, visible

# For coloured output into a pipe, such as `less -R`.
PIPE_WIDTH = 160
STYLES = {
    "": "",
    "allow": "green",
    "log": "cyan",
    "redact": "magenta",
    "prompt": "yellow",
    "deny": "red",
    "good": "bold green",
    "bad": "bold red",
    "warning": "yellow",
    "faint": "dim",
    "strong": "bold",
}


def console(file: TextIO, color: str) -> Console:
    """A console for the stream; colours depend on `color`, the terminal and NO_COLOR."""
    terminal = file.isatty()
    never = color == "never" or (color == "auto" and (not terminal or bool(os.environ.get("NO_COLOR"))))
    columns = os.environ.get("COLUMNS", "")
    return Console(
        file=file,
        width=None if terminal else int(columns) if columns.isdecimal() and int(columns) else PIPE_WIDTH,
        color_system=None if never else "auto",
        no_color=never,
        force_terminal=True if color == "always" else None,
        highlight=False,
        markup=False,
        emoji=False,
    )


def show(result: Result, color: str = "auto", file: TextIO | None = None) -> None:
    """Print a result for people."""
    screen = console(file or sys.stdout, color)
    for block in spaced(result.view):
        if isinstance(block, Table):
            _table(screen, block)
        else:
            screen.print(Text(visible(block.text), style=STYLES[block.style]), soft_wrap=True)


def _table(screen: Console, block: Table) -> None:
    if block.title:
        screen.print(Text(visible(block.title), style="bold"))
    table = RichTable(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold underline")
    for column in block.columns:
        table.add_column(visible(column), overflow="fold")
    kept = kept_rows(block)
    for at in kept:
        table.add_row(*map(_cell, block.rows[at]), style="bold" if at in block.strong else None)
    screen.print(table)
    if len(kept) < len(block.rows):
        _more(screen, len(block.rows) - len(kept))


def _more(screen: Console, hidden: int) -> None:
    text = f"{hidden:,} more not shown here; all of them: add `| less`, or --json"
    screen.print(Text(text, style=STYLES["warning"]))


def kept_rows(block: Table) -> list[int]:
    """Numbers of the rows to show: the strong ones, and others from the top up to `most`."""
    strong = sorted(block.strong)[: block.most]
    others = [at for at in range(len(block.rows)) if at not in block.strong]
    return sorted([*strong, *others[: block.most - len(strong)]])


def _cell(cell: str | Cell) -> Text:
    given = cell if isinstance(cell, Cell) else Cell(cell)
    text = Text("\n".join(visible(line) for line in given.lines), style=STYLES[given.style])
    for note in given.notes:
        text.append("\n# " + visible(note), style="dim")
    return text


def watch(frames: Iterable[Sequence[Row]], color: str = "auto") -> None:
    """One screen after another, in place of what the terminal showed before."""
    from rich.live import Live

    with Live(console=console(sys.stdout, color), screen=True, auto_refresh=False) as live:
        for rows in frames:
            live.update(text_of(rows), refresh=True)


def svg(rows: Sequence[Row], title: str, width: int = 80) -> str:
    """A picture; the same rows give the same text."""
    from rich._export_format import CONSOLE_SVG_FORMAT
    from rich.terminal_theme import DIMMED_MONOKAI

    screen = Console(file=io.StringIO(), record=True, width=width, force_terminal=True, color_system="truecolor")
    screen.print(text_of(rows), soft_wrap=True)
    # Without the remote fonts: a picture must not load anything.
    frame = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    made = screen.export_svg(title=title, theme=DIMMED_MONOKAI, code_format=frame, unique_id="mcpgov")
    return made.replace("Fira Code, monospace", "ui-monospace, Menlo, Consolas, monospace")


def text_of(rows: Sequence[Row]) -> Text:
    """Rows whose texts went through visible() already."""
    return Text("\n").join(Text.assemble(*((text, STYLES[style]) for text, style in row)) for row in rows)
