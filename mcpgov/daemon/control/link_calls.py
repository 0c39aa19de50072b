"""Requests that a linked proxy has open: each has an id, an answer now or later, and one end.

Laws: an id is used once while it is open; the end of the link, or `cancel`, ends every call of it, and whoever works
on the answer is told.
"""

from __future__ import annotations

from collections.abc import Callable

from mcpgov.daemon.control import line_client
from mcpgov.daemon.control.connection import Connection

MOST_OPEN = 256
CANCEL = "cancel"


class LinkCalls:
    """The open calls of one link, which `link` is the number of."""

    def __init__(self, connection: Connection, link: int = 0) -> None:
        self.connection = connection
        self.link = link
        self.clock = connection.clock
        self._open: dict[int, LinkCall] = {}

    def __len__(self) -> int:
        return len(self._open)

    def take(self, message: dict[str, object], serve: Callable[[dict[str, object], LinkCall], None]) -> None:
        """A request, or the word that one is no longer wanted."""
        number = message.get("id")
        if type(number) is not int:
            self.connection.close()  # nobody could tell what an answer belongs to
        elif message["op"] == CANCEL:
            if (call := self._open.pop(number, None)) is not None:
                call.leave()
        elif number in self._open or len(self._open) >= MOST_OPEN:
            why = f"call {number} is open" if number in self._open else f"{MOST_OPEN} calls are open"
            error = {"id": number, "ok": False, "error": why, "hint": "", "code": line_client.BUSY}
            self.connection.send(error)
        else:
            call = self._open[number] = LinkCall(self, number)
            serve(message, call)

    def close(self, number: int) -> None:
        self._open.pop(number, None)

    @property
    def deadline(self) -> float | None:
        return min((call.deadline for call in self._open.values() if call.deadline is not None), default=None)

    def late(self, now: float) -> None:
        for call in [call for call in self._open.values() if call.deadline is not None and call.deadline <= now]:
            call.decline("no answer came in time", code=line_client.TIMEOUT)
            call.leave()

    def gone(self) -> None:
        """The link has ended."""
        calls, self._open = list(self._open.values()), {}
        for call in calls:
            call.leave()


class LinkCall:
    """Where the answers to one request of a proxy go; a Channel."""

    def __init__(self, calls: LinkCalls, number: int) -> None:
        self.pid, self.link = calls.connection.pid, calls.link
        self.deadline: float | None = None
        self._calls = calls
        self._number = number
        self._left: Callable[[], None] | None = None

    @property
    def full(self) -> bool:
        return self._calls.connection.full

    def reply(self, fields: dict[str, object]) -> None:
        self._finish({"ok": True, **fields})

    def decline(self, message: str, hint: str = "", code: str = "") -> None:
        self._finish({"ok": False, "error": message, "hint": hint, "code": code})

    def item(self, fields: dict[str, object]) -> None:
        if not self._send({"ok": True, "item": fields}):
            self.decline("an answer is too long", code=line_client.TOO_LONG)

    def end(self) -> None:
        self._finish({"ok": True, "end": True})

    def hold(self, seconds: float | None, left: Callable[[], None], _drained: Callable[[], None]) -> None:
        self._left = left
        self.deadline = None if seconds is None else self._calls.clock() + seconds

    def leave(self) -> None:
        """The proxy does not want the answer any more, or cannot have it."""
        left, self._left = self._left, None
        if left is not None:
            left()

    def _finish(self, fields: dict[str, object]) -> None:
        self._calls.close(self._number)
        if not self._send(fields):
            self._send({"ok": False, "error": "the answer is too long", "hint": "", "code": line_client.TOO_LONG})

    def _send(self, fields: dict[str, object]) -> bool:
        return self._calls.connection.send({"id": self._number, **fields})
