"""Requests of a proxy to the daemon over its link, each with an id and one answer, whenever that comes.

Laws: loaded only by what asks something; nothing here waits; when the link is lost every open call is answered None,
so that nobody waits for a daemon that has gone.
"""

from __future__ import annotations

from mcpgov.core.json.values import dumps, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mcpgov.live.daemon_link import DaemonLink

    Answered = Callable[[dict[str, object] | None], None]


class DaemonCalls:
    """The open calls of one proxy. `pushed` gets lines that the daemon sends unasked."""

    __slots__ = ("_link", "_number", "_open", "_pushed")

    def __init__(self, link: DaemonLink, pushed: Callable[[dict[str, object]], None] | None = None) -> None:
        self._link = link
        self._pushed = pushed
        self._number = 0
        self._open: dict[int, Answered] = {}
        link.hear = self._hear

    def __len__(self) -> int:
        return len(self._open)

    def ask(self, op: str, fields: dict[str, object], answered: Answered) -> int:
        """The call's number; 0: it could not be sent, and `answered` is not called."""
        number = self._number + 1
        if not self._link.send(dumps({**fields, "op": op, "id": number})):
            return 0
        self._number = number
        self._open[number] = answered
        return number

    def cancel(self, number: int) -> None:
        """Its answer is not wanted any more, and will not come."""
        if self._open.pop(number, None) is not None:
            self._link.send(dumps({"op": "cancel", "id": number}))

    def _hear(self, line: bytes | None) -> None:
        if line is None:
            lost, self._open = list(self._open.values()), {}
            for answered in lost:
                answered(None)
            return
        message = parse(str(line, "ascii"))  # a daemon that talks nonsense is left: `readable` drops the link
        if not isinstance(message, dict):
            raise ValueError
        number = message.pop("id", 0)
        if isinstance(number, int) and (found := self._open.pop(number, None)) is not None:
            found(message)
        elif "op" in message and self._pushed is not None:
            self._pushed(message)
