"""A command on a terminal of its own, of which we hold the other end: what it shows, what is typed."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.helpers.talks import PATIENCE

STYLE = re.compile(r"\x1b\[[0-9;]*m")
HOME, RESTORE = "\x1b[H", "\x1b[?1049l"


class Terminal:
    """`text` and `screen`: the last frame that was drawn whole."""

    def __init__(
        self, root: Path, *words: str, width: int = 100, height: int = 24, environ: dict[str, str] | None = None
    ) -> None:
        self._line = [str(Path(sys.executable).with_name("mcpgov")), "--root", str(root), *words]
        self._size = width, height
        self._environ = environ
        self.raw = b""

    def __enter__(self) -> "Terminal":
        self.fd, self._theirs = pty.openpty()
        self._before = termios.tcgetattr(self._theirs)
        fcntl.ioctl(self._theirs, termios.TIOCSWINSZ, struct.pack("HHHH", *reversed(self._size), 0, 0))
        ends = {"stdin": self._theirs, "stdout": self._theirs, "stderr": self._theirs}
        self.process = subprocess.Popen(self._line, **ends, env=self._environ, start_new_session=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._theirs)
        os.close(self.fd)

    # --- what is shown

    def _read(self, seconds: float) -> None:
        if select.select([self.fd], [], [], seconds)[0]:
            self.raw += os.read(self.fd, 65536)

    @property
    def screen(self) -> list[str]:
        frames = self.raw.decode("utf-8", "replace").split(HOME)
        whole = [frame for frame in frames[1:] if "\x1b[J" in frame]
        last = whole[-1].partition("\x1b[J")[0] if whole else ""
        return [STYLE.sub("", line).replace("\x1b[K", "").rstrip() for line in re.split(r"\r*\n", last)]

    @property
    def text(self) -> str:
        return "\n".join(self.screen)

    def until(self, text: str, seen: Callable[[list[str]], bool] = lambda _screen: True) -> None:
        """Waits until the screen shows it."""
        end = time.monotonic() + PATIENCE
        while not (text in self.text and seen(self.screen)):
            assert time.monotonic() < end, f"{text!r} is not shown:\n{self.text}\n{self.raw[-500:]!r}"
            self._read(0.05)

    # --- what is done to it

    def type(self, keys: str) -> None:
        os.write(self.fd, keys.encode())

    def resize(self, width: int, height: int) -> None:
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        self.process.send_signal(signal.SIGWINCH)

    # --- its end

    def ended(self) -> int:
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            assert time.monotonic() < end, "it does not end"
            self._read(0.05)
        self._read(0.2)
        return self.process.returncode

    @property
    def mode(self) -> list[Any]:
        return termios.tcgetattr(self._theirs)

    @property
    def restored(self) -> bool:
        return self.mode == self._before and RESTORE in self.raw.decode("utf-8", "replace")
