"""A short-lived child process whose output is read without blocking: heavy parsers are loaded there, not in the daemon.

Law: nothing here blocks for longer than a killed process takes to exit.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")

MOST_OUTPUT = 64 * 1024 * 1024
CHUNK = 1 << 16
EXIT_TIMEOUT = 1.0  # seconds from the end of the output to the exit of the process


class Child(Generic[T]):
    """A command whose output is read to its end; `read(output, exit code)` makes the result and may raise."""

    def __init__(
        self, argv: Sequence[str], read: Callable[[bytes, int], T], environ: Mapping[str, str] | None = None
    ) -> None:
        self._read = read
        self._output = bytearray()
        null = subprocess.DEVNULL
        # A group of its own: processes that the command starts are killed with it.
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
        """Read what is available; True at the end of the output."""
        with contextlib.suppress(BlockingIOError):
            while piece := os.read(self.fileno(), CHUNK):
                self._output += piece
                if len(self._output) > MOST_OUTPUT:
                    raise ValueError(f"more than {MOST_OUTPUT} bytes of output")
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(EXIT_TIMEOUT)
            return True
        return False

    def result(self) -> T:
        """To be called once ready() is True."""
        code = self._process.poll()
        return self._read(bytes(self._output), -signal.SIGKILL if code is None else code)

    def close(self) -> None:
        """Kill it if it still runs."""
        if self._process.poll() is None:
            with contextlib.suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._pipe.close()
