"""Work in a short-lived process, awaited without waiting: heavy parsers live and die there, not in the daemon.

Law: nothing here blocks for longer than a killed process takes to end.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")

MOST = 64 * 1024 * 1024
PIECE = 1 << 16
LAST_MOMENT = 1.0  # seconds between the end of the output and the end of the process


class Child(Generic[T]):
    """A command whose output is read to its end; `read(output, exit code)` makes the result and may raise."""

    def __init__(
        self, argv: Sequence[str], read: Callable[[bytes, int], T], environ: Mapping[str, str] | None = None
    ) -> None:
        self._read = read
        self._output = bytearray()
        null = subprocess.DEVNULL
        # A group of its own: what the command starts ends with it.
        self._process = subprocess.Popen(
            argv, stdin=null, stdout=subprocess.PIPE, stderr=null, env=environ, bufsize=0, start_new_session=True
        )
        assert self._process.stdout is not None
        self._pipe = self._process.stdout
        os.set_blocking(self._pipe.fileno(), False)

    def fileno(self) -> int:
        return self._pipe.fileno()

    @property
    def output(self) -> bytes:
        """What was taken so far."""
        return bytes(self._output)

    def ready(self) -> bool:
        """Take what there is; True when that was the end."""
        with contextlib.suppress(BlockingIOError):
            while piece := os.read(self.fileno(), PIECE):
                self._output += piece
                if len(self._output) > MOST:
                    raise ValueError(f"more than {MOST} bytes of output")
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(LAST_MOMENT)
            return True
        return False

    def result(self) -> T:
        """Once it is ready."""
        code = self._process.poll()
        return self._read(bytes(self._output), -signal.SIGKILL if code is None else code)

    def close(self) -> None:
        """End it, if it has not ended."""
        if self._process.poll() is None:
            with contextlib.suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._pipe.close()
