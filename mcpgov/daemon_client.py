"""Control requests to the daemon from an asyncio loop: one answer (`ask`), or many (`answers`). Leaf, for `serve` and
`web`; commands ask without a loop (daemon/control/line_client.py).

Laws: the other end is believed only if it is of our own user; one answer is waited for a bounded time, a stream until
its reader goes; a request that is cancelled closes its connection, so that the daemon takes back what it asks a person;
a daemon that is not there is told apart from one that declines.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import cast

from mcpgov.errors import McpgovError
from mcpgov.peer_credentials import peer_credentials

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _socket

PROTOCOL = 1
LONGEST_LINE = 4 * 1024 * 1024
PATIENCE = 10.0
START, RESTART = "mcpgov daemon start", "mcpgov daemon restart"


class DaemonError(McpgovError):
    """No answer that can be used."""


class DaemonGone(DaemonError):
    """There is no daemon, or it does not answer, or not in words of ours."""


class DaemonDeclined(DaemonError):
    """`code`: why, for code to read."""

    def __init__(self, message: str, hint: str, code: str) -> None:
        super().__init__(message, hint=hint)
        self.code = code


class DaemonClient:
    def __init__(self, path: str) -> None:
        self._path = path

    async def ask(
        self, op: str, fields: Mapping[str, object] | None = None, seconds: float = PATIENCE
    ) -> dict[str, object]:
        """Raises DaemonError."""
        try:
            async with asyncio.timeout(seconds), self._connection(op, fields or {}) as reader:
                return _fields(await reader.readuntil(b"\n"))
        except TimeoutError:
            raise DaemonGone("the daemon does not answer", hint=RESTART) from None
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            raise DaemonGone("the daemon is not running", hint=START) from None

    async def answers(self, op: str, fields: Mapping[str, object] | None = None) -> AsyncIterator[dict[str, object]]:
        """Every answer of a stream, until the daemon ends it or has gone. Raises DaemonError."""
        try:
            async with self._connection(op, fields or {}) as reader:
                while True:
                    reply = _fields(await reader.readuntil(b"\n"))
                    item = reply.get("item")
                    if not isinstance(item, dict):
                        return
                    yield item
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            raise DaemonGone("the daemon has ended", hint=START) from None

    @asynccontextmanager
    async def _connection(self, op: str, fields: Mapping[str, object]) -> AsyncIterator[asyncio.StreamReader]:
        reader, writer = await asyncio.open_unix_connection(self._path, limit=LONGEST_LINE)
        try:
            sock = cast("_socket.socket", writer.get_extra_info("socket"))
            if peer_credentials(sock)[1] != os.geteuid():
                raise DaemonGone(f"`{self._path}` belongs to another user")
            writer.write(_line(op, fields))
            await writer.drain()
            yield reader
        finally:
            writer.close()


def _line(op: str, fields: Mapping[str, object]) -> bytes:
    line = json.dumps({"v": PROTOCOL, "op": op, **fields}).encode("ascii") + b"\n"
    if len(line) > LONGEST_LINE:
        raise DaemonDeclined(f"the request is longer than {LONGEST_LINE} bytes", "", "too-long")
    return line


def _fields(line: bytes) -> dict[str, object]:
    """Of a reply, without its envelope."""
    try:
        reply = json.loads(line)
    except (ValueError, RecursionError):
        reply = None
    if not isinstance(reply, dict):
        raise DaemonGone("the daemon's answer cannot be read", hint=RESTART)
    if (version := reply.get("v", PROTOCOL)) != PROTOCOL:
        raise DaemonGone(f"the daemon speaks protocol {version}, this mcpgov {PROTOCOL}", hint=RESTART)
    if reply.get("ok") is not True:
        texts = (str(reply.get(key) or "") for key in ("error", "hint", "code"))
        message, hint, code = texts
        raise DaemonDeclined(message or "the daemon declined", hint, code)
    return {key: value for key, value in reply.items() if key not in ("v", "ok")}
