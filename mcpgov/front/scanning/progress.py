"""How far a long input has been read: a line on standard error that is written over, where a person watches."""

from __future__ import annotations

import os
from typing import TextIO

LARGE = 16 << 20  # bytes, from which on progress is shown


class Progress:
    """`size` 0: it is not known how much there is."""

    def __init__(self, name: str, size: int, out: TextIO) -> None:
        self._name = os.path.basename(name.rstrip(os.sep)) or name
        self._size = size
        self._out = out
        self._read = 0
        self._shown = ""

    def more(self, count: int) -> None:
        self._read += count
        if (self._size or self._read) <= LARGE or not self._out.isatty():
            return
        share = f"{min(100, self._read * 100 // self._size)} %" if self._size else f"{self._read >> 20} MB"
        if share != self._shown:
            name = "".join(sign if sign.isprintable() else "?" for sign in self._name[:60])
            self._out.write(f"\rscanning {name}: {share}\x1b[K")
            self._out.flush()
            self._shown = share

    def end(self) -> None:
        """The line is wiped: what was found is written in its place."""
        if self._shown:
            self._out.write("\r\x1b[K")
            self._out.flush()
            self._shown = ""
