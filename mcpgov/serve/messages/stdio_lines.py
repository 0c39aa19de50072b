"""Standard input as lines and standard output as a place for them, for the SDK.

Laws: a line that is too long is dropped, and the conversation goes on; nothing but answers goes to standard output,
whatever a library prints.
"""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import AsyncIterator

LONGEST_LINE = 32 * 1024 * 1024
PIECE = 1 << 16
TOO_LONG = "too long"  # no JSON: the SDK passes over it


class StandardInput:
    """`longest`: bytes of a line."""

    def __init__(self, fd: int = 0, longest: int = LONGEST_LINE) -> None:
        self._fd, self._longest = fd, longest

    async def __aiter__(self) -> AsyncIterator[str]:
        reader = await self._reader()
        held, dropping = bytearray(), False
        while piece := await reader.read(PIECE):
            held += piece
            while (end := held.find(b"\n")) >= 0:
                line = bytes(held[:end])
                del held[: end + 1]
                if not dropping:
                    yield line.decode("utf-8", "replace") if len(line) <= self._longest else TOO_LONG
                dropping = False
            if len(held) > self._longest:
                if not dropping:
                    yield TOO_LONG
                held.clear()
                dropping = True

    async def _reader(self) -> asyncio.StreamReader:
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader()
        file = os.fdopen(os.dup(self._fd), "rb", buffering=0)
        mode = os.fstat(self._fd).st_mode
        if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(self._fd):
            await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), file)
            return reader
        with file:  # a plain file or an empty device is there at once
            reader.feed_data(file.read(self._longest))
            reader.feed_eof()
        return reader


class StandardOutput:
    """A duplicate of the descriptor; the descriptor itself leads to standard error from now on."""

    def __init__(self, fd: int = 1, aside: int = 2) -> None:
        self._fd = os.dup(fd)
        os.dup2(aside, fd)

    async def write(self, text: str) -> None:
        rest = memoryview(text.encode("utf-8"))
        while rest:
            rest = rest[os.write(self._fd, rest) :]

    async def flush(self) -> None:
        """Nothing is kept back."""
