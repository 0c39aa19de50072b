"""Results for a pipe: one row per line, nothing cut or wrapped, for grep and awk. Does not need rich."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from mcpgov.front.result import Block, Cell, Line, Result, spaced, visible

# A longer cell shifts only its own row.
WIDEST = 48


def show(result: Result, file: TextIO) -> None:
    file.writelines(line.rstrip() + "\n" for block in spaced(result.view) for line in _lines(block))


def _lines(block: Block) -> list[str]:
    if isinstance(block, Line):
        return [visible(block.text)]
    rows = [list(block.columns), *([_text(cell) for cell in row] for row in block.rows)]
    widths = [min(max(map(len, column)), WIDEST) for column in zip(*rows, strict=True)]
    return [*([visible(block.title)] if block.title else []), *(_row(row, widths) for row in rows)]


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True))


def _text(cell: str | Cell) -> str:
    if isinstance(cell, str):
        return visible(cell)
    notes = f" ({visible('; '.join(cell.notes))})" if cell.notes else ""
    return visible("; ".join(cell.lines)) + notes
