"""One browser's stream of server-sent events: what waits for it, and how it goes out.

Law: a browser that does not keep up costs bounded memory: the latest of each kind is kept, and of records it is told
how many it missed.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import NamedTuple

MOST_WAITING = 4 * 1024 * 1024  # bytes of records
HEARTBEAT_EVERY = 15.0  # seconds between two signs of life
RETRY = b"retry: 1000\n\n"
HEARTBEAT = b": \n\n"
RECORDS, DROPPED = "records", "dropped"


class ServerEvent(NamedTuple):
    """`data`: JSON in one line. `items`: how many records are in it."""

    name: str
    data: bytes
    id: str = ""
    items: int = 0

    @property
    def raw(self) -> bytes:
        number = f"id: {self.id}\n" if self.id else ""
        return b"%sevent: %s\ndata: %s\n\n" % (number.encode("ascii"), self.name.encode("ascii"), self.data)


class EventStream:
    def __init__(self) -> None:
        self._records: deque[ServerEvent] = deque()
        self._latest: dict[str, ServerEvent] = {}
        self._size = self._missed = 0
        self._some = asyncio.Event()
        self.ended = False

    def send(self, event: ServerEvent) -> None:
        if self.ended:
            return
        if event.name != RECORDS:
            # Of everything else a later one says all that an earlier one did.
            self._latest.pop(event.name, None)
            self._latest[event.name] = event
        elif self._size + len(event.data) > MOST_WAITING:
            self._missed += event.items
        else:
            self._records.append(event)
            self._size += len(event.data)
        self._some.set()

    def end(self, event: ServerEvent) -> None:
        """Nothing comes after this one."""
        self.send(event)
        self.ended = True

    def take(self) -> bytes:
        """All that waits, as it goes out."""
        self._some.clear()
        events = [*self._latest.values(), *self._records]
        if self._missed:
            events.append(ServerEvent(DROPPED, b'{"count":%d}' % self._missed))
        # What ends the stream is said last.
        events.sort(key=lambda event: event.name == "gone")
        self._latest, self._records, self._size, self._missed = {}, deque(), 0, 0
        return b"".join(event.raw for event in events)

    async def next(self, beat: float = HEARTBEAT_EVERY) -> bytes:
        """What waits, as soon as something does; a sign of life where nothing comes."""
        try:
            async with asyncio.timeout(beat):
                await self._some.wait()
        except TimeoutError:
            return HEARTBEAT
        return self.take()
