"""Answers that come later than the call that asked for them: one (`Later`), or many (`Stream`).

Laws: whoever asked gets one answer, or the end of a stream, and nothing after it; a handler is told once when the
asker leaves first. Nothing here waits: both are fulfilled from the loop, whenever that is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from mcpgov.daemon.control.codec import encode

A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks. `pid` comes from the kernel, never from a message; 0 where it cannot be told.

    `link`: the number of the link it came over; 0: over a connection of its own. One process may have many links.
    """

    pid: int
    by_proxy: bool = False
    link: int = 0


class Channel(Protocol):
    """Where the answers to one request go: a connection of its own, or a proxy's link."""

    @property
    def pid(self) -> int: ...
    @property
    def link(self) -> int:
        """The number of the link it belongs to; 0: none."""

    @property
    def full(self) -> bool:
        """The peer does not take what was sent: more is better kept back."""

    def reply(self, fields: dict[str, object]) -> None:
        """The one answer, or an answer of a stream's last."""

    def decline(self, message: str, hint: str = "", code: str = "") -> None: ...
    def item(self, fields: dict[str, object]) -> None:
        """One of many answers."""

    def end(self) -> None:
        """The last of many answers was sent."""

    def hold(self, seconds: float | None, left: Callable[[], None], drained: Callable[[], None]) -> None:
        """The answer comes within so many seconds (None: at any time); `left`: the peer went first."""


def _nothing() -> None:
    return


class Later(Generic[A]):
    """One answer that is still to come, within `within` seconds; `cancelled`: the asker has gone, or time is over."""

    def __init__(self, within: float, cancelled: Callable[[], None] = _nothing) -> None:
        self.within = within
        self.open = True
        self._cancelled = cancelled
        self._channel: Channel | None = None
        self._send: Callable[[Channel], None] | None = None

    def answer(self, value: A) -> None:
        fields = encode(value)
        self._finish(lambda channel: channel.reply(fields))

    def decline(self, message: str, hint: str = "", code: str = "") -> None:
        self._finish(lambda channel: channel.decline(message, hint, code))

    def bind(self, channel: Channel) -> None:
        """Called by whoever serves the request, once the handler has returned this."""
        self._channel = channel
        if self._send is not None:
            self._send(channel)
        else:
            channel.hold(self.within, self._leave, _nothing)

    def _finish(self, send: Callable[[Channel], None]) -> None:
        if not self.open:
            return
        self.open, self._send = False, send
        if self._channel is not None:
            send(self._channel)

    def _leave(self) -> None:
        if self.open:
            self.open = False
            self._cancelled()


class Stream(Generic[A]):
    """Many answers, until `end` or until the asker leaves (`left`).

    `full`: the asker does not keep up. A sender that can leave something out does so then, and goes on at `drained`.
    """

    def __init__(self, left: Callable[[], None] = _nothing, drained: Callable[[], None] = _nothing) -> None:
        self.open = True
        self._left = left
        self._drained = drained
        self._channel: Channel | None = None
        self._early: list[A] = []

    @property
    def full(self) -> bool:
        return self._channel is not None and self._channel.full

    def send(self, value: A) -> None:
        if not self.open:
            return
        if self._channel is None:
            self._early.append(value)
        else:
            self._channel.item(encode(value))

    def end(self) -> None:
        if self.open:
            self.open = False
            if self._channel is not None:
                self._channel.end()

    def bind(self, channel: Channel) -> None:
        self._channel = channel
        channel.hold(None, self._leave, self._drained)
        for value in self._early:
            channel.item(encode(value))
        self._early = []
        if not self.open:
            channel.end()

    def _leave(self) -> None:
        if self.open:
            self.open = False
            self._left()
