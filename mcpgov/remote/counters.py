"""What is counted of each remote server, for `status`. Pure: the clock comes in.

Law: nothing here holds a header, a token or a URL; a server is told by its name and the digest of its id.
"""

from __future__ import annotations

from collections import deque
from urllib.parse import urlsplit

from mcpgov.remote_servers import url_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mcpgov.core.session.session_state import State
    from mcpgov.remote_servers import RemoteServer

UP, DOWN, LOGIN, UNUSED = "up", "down", "login", "unused"
SAMPLES = 256
LONGEST_WHY = 200


class ServerCounts:
    """Of one server since this process began. `streams`: open now; `ok`: when it last answered."""

    __slots__ = ("added", "calls", "denied", "errors", "ok", "state", "streams", "why")

    def __init__(self) -> None:
        self.calls = self.denied = self.errors = self.streams = 0
        self.state, self.why, self.ok = UNUSED, "", 0.0
        self.added: deque[float] = deque(maxlen=SAMPLES)


class RemoteCounters:
    """`changed`: told when a server begins or ceases to ask for a login."""

    def __init__(self, wall: Callable[[], float], login_needed: Callable[[RemoteServer], None]) -> None:
        self._wall, self._login_needed = wall, login_needed
        self._all: dict[str, ServerCounts] = {}

    def of(self, server: RemoteServer) -> ServerCounts:
        found = self._all.get(server.id)
        if found is None:
            found = self._all[server.id] = ServerCounts()
        return found

    def answered(self, server: RemoteServer) -> None:
        counts = self.of(server)
        counts.state, counts.why, counts.ok = UP, "", self._wall()

    def failed(self, server: RemoteServer, why: str) -> None:
        counts = self.of(server)
        counts.state, counts.why = DOWN, why[:LONGEST_WHY]

    def wants_login(self, server: RemoteServer, why: str) -> None:
        counts = self.of(server)
        before, counts.state, counts.why = counts.state, LOGIN, why[:LONGEST_WHY]
        if before != LOGIN:
            self._login_needed(server)

    def took(self, server: RemoteServer, seconds: float) -> None:
        self.of(server).added.append(seconds)

    def retire(self, server_id: str, state: State) -> None:
        """A conversation has ended: its counts stay."""
        counts = self._all.setdefault(server_id, ServerCounts())
        counts.calls += state.calls
        counts.denied += state.denied
        counts.errors += state.errors

    def forget(self, server_id: str) -> None:
        self._all.pop(server_id, None)

    def report(self, servers: Iterable[RemoteServer], live: dict[str, list[State]]) -> list[dict[str, object]]:
        """`live`: the states of the conversations that go on, by server id."""
        return [self._row(server, live.get(server.id, [])) for server in servers]

    def _row(self, server: RemoteServer, live: list[State]) -> dict[str, object]:
        counts = self.of(server)
        added = sorted(counts.added)
        return {
            "server": server.name,
            "client": server.client,
            "id_digest": url_digest(server.id),
            "upstream": urlsplit(server.url).hostname or "",
            "state": counts.state,
            "why": counts.why,
            "calls": counts.calls + sum(state.calls for state in live),
            "denied": counts.denied + sum(state.denied for state in live),
            "errors": counts.errors + sum(state.errors for state in live),
            "added_ms": round(added[len(added) // 2] * 1000, 3) if added else 0.0,
            "streams": counts.streams,
            "last_ok": counts.ok,
        }
