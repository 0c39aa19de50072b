"""mcpgov commands as children of the page's service, and their JSON answers.

Laws: no shell, and what came from a browser is never an option; few run at once, none longer or with more output than
it may; each is a child of the daemon's own service, which is what the caller check goes by.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from mcpgov.errors import McpgovError
from mcpgov.self_command import child_environment

MOST_AT_ONCE = 3
MOST_WAITING = 12
LONGEST_OUTPUT = 48 * 1024 * 1024
PATIENCE = 30.0
ENVELOPE = ("version", "command", "ok")
DECLINED, CHANGED, BROKEN = "declined", "changed", "broken"


class CommandFailed(McpgovError):
    """The command said no. `code`: for code to read."""

    def __init__(self, message: str, hint: str = "", code: str = DECLINED) -> None:
        super().__init__(message, hint=hint)
        self.code = code


class CommandDone(NamedTuple):
    status: int
    data: dict[str, object]


def _code(reason: str) -> str:
    """The reasons that the page goes by; any other is a no, in words."""
    return reason if reason in (CHANGED, "caller-refused") else DECLINED


def parsed(words: Sequence[str], status: int, out: bytes) -> CommandDone:
    """What a command says of itself. Raises CommandFailed where it failed, or said nothing."""
    try:
        data = json.loads(out)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        told = f"`mcpgov {words[0]}` ended with status {status} and no answer"
        raise CommandFailed(told, "mcpgov doctor", BROKEN)
    if isinstance(error := data.get("error"), dict):
        reason = _code(str(error.get("reason_code") or ""))
        raise CommandFailed(str(error.get("message")), str(error.get("hint") or ""), reason)
    return CommandDone(status, {key: value for key, value in data.items() if key not in ENVELOPE})


class PageCommands:
    """`command`: what runs mcpgov, its root included."""

    def __init__(self, command: Sequence[str], patience: float = PATIENCE) -> None:
        self._command, self._patience = list(command), patience
        self._free = asyncio.Semaphore(MOST_AT_ONCE)
        self._waiting = 0

    async def run(
        self, *words: str, names: Sequence[str] = (), given: bytes = b"", seconds: float = 0.0
    ) -> CommandDone:
        """`words`: ours; an option's value is behind its `=`. `names`: what may look like anything.

        `given`: its standard input. Raises CommandFailed where it says that it failed.
        """
        behind = ("--", *names) if names else ()
        status, out = await self.output(*words, "--json", *behind, given=given, seconds=seconds)
        return parsed(words, status, out)

    async def output(self, *words: str, given: bytes = b"", seconds: float = 0.0) -> tuple[int, bytes]:
        if self._waiting >= MOST_WAITING:
            raise CommandFailed("too much is asked at once", code="too-many")
        self._waiting += 1
        try:
            async with self._free:
                return await self._run(words, given, seconds or self._patience)
        finally:
            self._waiting -= 1

    async def _run(self, words: Sequence[str], given: bytes, seconds: float) -> tuple[int, bytes]:
        process = await asyncio.create_subprocess_exec(
            *self._command, *words, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL, env=child_environment(), cwd="/", start_new_session=True,
        )  # fmt: skip
        try:
            async with asyncio.timeout(seconds):
                out = await _talk(process, given)
                return await process.wait(), out
        except TimeoutError:
            raise CommandFailed(f"`mcpgov {words[0]}` takes longer than {seconds:.0f} s", code="slow") from None
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                await process.communicate()  # the rest of its output, too: a pipe that is not read to its end stays


async def _talk(process: asyncio.subprocess.Process, given: bytes) -> bytes:
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(ConnectionError):
        process.stdin.write(given)
        await process.stdin.drain()
    process.stdin.close()
    out = bytearray()
    while data := await process.stdout.read(1 << 16):
        out += data
        if len(out) > LONGEST_OUTPUT:
            raise CommandFailed("that is more than the page can show", "mcpgov audit export", "too-much")
    return bytes(out)
