"""Whether the remote service can be reached, and what it last said of itself. Pure: the clocks are arguments.

STARTING: not linked, or linked and not listening yet, for a moment. -> UP: it listens. -> SILENT: it was asked for its
counters and did not answer. -> DOWN: it was not up for longer than a start takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from mcpgov.daemon.status.remote_facts import (
    DOWN,
    SILENT,
    STARTING,
    UP,
    RemoteListener,
    RemoteStatus,
    listener_counts,
)
from mcpgov.remote_servers import RemoteServer

START_WITHIN = 5.0  # seconds
RESTART_TOLD = 86400.0  # seconds for which the apps are told of that still use an earlier port


class ListenerState:
    """`port`: as it is kept on disk, where the service looks first."""

    def __init__(self, port: int, clock: Callable[[], float], wall: Callable[[], float]) -> None:
        self.port = port
        self.counters: Mapping[str, object] = {}
        self.up = False
        self._clock, self._wall = clock, wall
        self._needed = False
        self._not_up_since = clock()
        self._told_down = False
        self._silent = False
        self._moved_at = 0.0
        self._moved: frozenset[tuple[str, str]] = frozenset()  # server and client: used at an earlier port

    def needed(self, needed: bool) -> None:
        """Is there a server that is reached through it?"""
        if needed and not self._needed:
            self._not_up_since, self._told_down = self._clock(), False
        self._needed = needed

    def linked(self) -> None:
        self._silent, self.counters = False, {}

    def ready(self, port: int, servers: Iterable[RemoteServer]) -> bool:
        """It listens. True: at another port than before, so that these servers' apps must be restarted."""
        before, self.port, self.up = self.port, port, True
        self._told_down = False
        if before in (0, port):
            return False
        self._moved, self._moved_at = frozenset((server.name, server.client) for server in servers), self._wall()
        return bool(self._moved)

    def unlinked(self) -> None:
        self.up, self._silent = False, False
        self._not_up_since = self._clock()

    def answered(self, counters: Mapping[str, object]) -> None:
        self.counters, self._silent = counters, False

    def silent(self) -> None:
        self._silent = True

    def state(self) -> str:
        if self.up:
            return SILENT if self._silent else UP
        return DOWN if self._late() else STARTING

    def _late(self) -> bool:
        return self._needed and self._clock() >= self._not_up_since + START_WITHIN

    def due(self) -> float | None:
        """Seconds until it is down for too long."""
        if not self._needed or self._told_down or self.up:
            return None
        return max(0.0, self._not_up_since + START_WITHIN - self._clock())

    def long_down(self) -> bool:
        """True once each time it is down for too long."""
        if self.up or self._told_down or not self._late():
            return False
        self._told_down = True
        return True

    def report(self, why: str, rows: Sequence[RemoteStatus]) -> RemoteListener:
        state = self.state()
        sessions, streams = listener_counts(self.counters)
        return RemoteListener(state, "" if state == UP else why, self.port, sessions, streams, self._to_restart(rows))

    def _to_restart(self, rows: Sequence[RemoteStatus]) -> tuple[str, ...]:
        """The clients that were not heard of since the port has changed."""
        if not self._moved or self._wall() > self._moved_at + RESTART_TOLD:
            return ()
        used = {(row.server, row.client) for row in rows if (row.last_ok or 0.0) >= self._moved_at}
        heard = {client for _, client in used}
        return tuple(sorted({client for _, client in self._moved} - heard))
