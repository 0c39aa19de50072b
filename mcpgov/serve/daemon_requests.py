"""What `mcpgov serve` asks of the daemon, with types: a row of serve_requests.py, sent by daemon_client.py."""

from __future__ import annotations

from typing import TypeVar, cast

from mcpgov.daemon.control.codec import MessageError, decode, encode
from mcpgov.daemon.control.request_row import ControlRequest
from mcpgov.daemon.serve.serve_requests import ROWS
from mcpgov.daemon_client import PATIENCE, RESTART, DaemonClient, DaemonGone

A = TypeVar("A")


class DaemonRequests:
    def __init__(self, socket: str) -> None:
        self._client = DaemonClient(socket)

    async def ask(self, request: ControlRequest[A], timeout: float = PATIENCE) -> A:
        """Raises DaemonError."""
        row = next(row for row in ROWS if row.request is type(request))
        fields = await self._client.ask(row.op, encode(request), timeout)
        try:
            return cast(A, decode(row.answer, fields))
        except MessageError as error:
            raise DaemonGone(f"the daemon's answer is not as expected: {error}", hint=RESTART) from None
