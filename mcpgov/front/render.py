"""Results on a terminal. The only rich in the house; every text goes through visible() first."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TextIO

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from mcpgov.front.result import Block, Cell, Line, Result, visible

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
    "title": "bold",
}


def console(file: TextIO, color: str) -> Console:
    """A console for the stream: colours by choice, terminal and NO_COLOR; a pipe gets room for long lines."""
    terminal = file.isatty()
    width = None if terminal else int(os.environ.get("COLUMNS") or PIPE_WIDTH)
    never = color == "never" or (color == "auto" and (not terminal or bool(os.environ.get("NO_COLOR"))))
    return Console(
        file=file,
        width=width,
        no_color=never,
        force_terminal=True if color == "always" else None,
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=False,
    )


def show(result: Result, color: str = "auto", file: TextIO | None = None) -> None:
    """Print a result for people."""
    screen = console(file or sys.stdout, color)
    for block in result.view:
        _block(screen, block)


def _block(screen: Console, block: Block) -> None:
    if isinstance(block, Line):
        screen.print(Text(visible(block.text), style=STYLES[block.style]), soft_wrap=True)
        return
    table = RichTable(
        title=visible(block.title) or None,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        header_style="bold",
    )
    for column in block.columns:
        table.add_column(visible(column), overflow="fold")
    for at, row in enumerate(block.rows):
        table.add_row(*_cells(row), style="bold reverse" if at in block.strong else None)
    screen.print(table)


def _cells(row: Sequence[str | Cell]) -> list[Text]:
    cells = [cell if isinstance(cell, Cell) else Cell(cell) for cell in row]
    return [Text("\n".join(visible(line) for line in cell.lines), style=STYLES[cell.style]) for cell in cells]
