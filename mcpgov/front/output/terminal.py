"""A terminal for live views: keys one by one, a screen drawn in one write, a word when its size changes.

Law: however a view ends, the terminal is as it was before.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from mcpgov.front.output.grid import Row, painted, plain

# The second screen and back, the cursor hidden and shown.
_ENTER, _LEAVE = "\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l"
_HOME, _REST_OF_LINE, _REST_OF_SCREEN = "\x1b[H", "\x1b[K", "\x1b[J"


@contextmanager
def keyboard() -> Iterator[int | None]:
    """The keyboard, key by key; none where standard input is no terminal."""
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))
    if not sys.stdin.isatty():
        yield None
        return
    import termios
    import tty

    fd = sys.stdin.fileno()
    before = termios.tcgetattr(fd)
    tty.setcbreak(fd)
    try:
        yield fd
    finally:
        termios.tcsetattr(fd, termios.TCSADRAIN, before)


@contextmanager
def resizes() -> Iterator[int]:
    """A descriptor that can be read when the terminal has another size."""
    ready, tell = os.pipe()
    for fd in (ready, tell):
        os.set_blocking(fd, False)

    def changed(_number: int, _frame: object) -> None:
        with suppress(BlockingIOError):  # full: somebody will look anyway
            os.write(tell, b"r")

    before = signal.signal(signal.SIGWINCH, changed)
    try:
        yield ready
    finally:
        signal.signal(signal.SIGWINCH, before)
        os.close(ready)
        os.close(tell)


class TerminalScreen:
    """The second screen of the terminal. What is drawn replaces what was there line by line: nothing flickers."""

    def __init__(self, color: bool) -> None:
        self._color = color

    def __enter__(self) -> TerminalScreen:
        self._write(_ENTER)
        return self

    def __exit__(self, *_given: object) -> None:
        self._write(_LEAVE)

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows; the last column stays free, since a cursor behind it is shown differently everywhere."""
        found = shutil.get_terminal_size()
        return max(found.columns - 1, 1), max(found.lines, 1)

    def draw(self, rows: Sequence[Row]) -> None:
        shown = map(painted if self._color else plain, rows[: self.size[1]])
        self._write(_HOME + "\n".join(f"{line}{_REST_OF_LINE}" for line in shown) + _REST_OF_SCREEN)

    def _write(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()
