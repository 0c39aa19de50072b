"""Which conversation a request belongs to.

The upstream's session ids tell; where there are none (the stateless revision, servers without sessions) an entry has
one conversation for each era, in which every exchange has open requests of its own. A session id that is not known was
given out before this process began: it gets a conversation of its own, and the upstream decides what becomes of it.
"""

from __future__ import annotations

import os
import time

from mcpgov.core.session.session import Who
from mcpgov.remote.sessions.conversation import Conversation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mcpgov.core.session.effects import Line
    from mcpgov.core.session.session_state import State
    from mcpgov.remote.sessions.shared_parts import SharedParts
    from mcpgov.remote_servers import RemoteServer

MOST = 4096
IDLE = 24 * 3600.0  # seconds
MODERN, PLAIN = "modern", "plain"


class Conversations:
    def __init__(
        self,
        shared: SharedParts,
        options: dict[str, str] | None = None,
        retired: Callable[[str, State], None] = lambda _ident, _state: None,
    ) -> None:
        """`options`: what every session gets besides its names. `retired`: told of the end of each conversation."""
        self._shared = shared
        self._retired = retired
        self._options = options or {}
        # By entry and session id; by entry and era; by entry and stream.
        self._by_key: dict[tuple[str, str, str], Conversation] = {}

    def __len__(self) -> int:
        return len(set(self._by_key.values()))

    def new(self, server: RemoteServer, *, lasting: bool) -> Conversation:
        self._make_room()
        who = Who(server.name, server.client, server.project, os.urandom(6).hex())
        options = {"server": server.name, **self._options}
        if server.project:
            options["project"] = server.project
        made = Conversation(self._shared, who, options, lasting=lasting)
        made.ended = lambda: self._retired(server.id, made.session.state)
        return made

    def of_session(self, server: RemoteServer, session: str) -> Conversation:
        key = (server.id, "session", session)
        found = self._by_key.get(key)
        if found is None:
            found = self._by_key[key] = self.new(server, lasting=True)
            found.adopted = True
        return found

    def bind(self, server: RemoteServer, session: str, conversation: Conversation) -> None:
        """The upstream has named the session that a conversation begins."""
        conversation.lasting = True
        self._keep((server.id, "session", session), conversation)

    def bind_plain(self, server: RemoteServer, conversation: Conversation) -> None:
        """The upstream has no sessions: later requests go on in this conversation."""
        conversation.lasting = False
        self._keep((server.id, "era", PLAIN), conversation)

    def of_stream(self, server: RemoteServer) -> Conversation:
        """A conversation of one stream alone."""
        made = self.new(server, lasting=True)
        self._by_key[server.id, "stream", made.session.who.session] = made
        return made

    def end_stream(self, server: RemoteServer, conversation: Conversation) -> None:
        self._drop((server.id, "stream", conversation.session.who.session))

    def stateless(self, server: RemoteServer, era: str) -> Conversation:
        key = (server.id, "era", era)
        found = self._by_key.get(key)
        if found is None:
            found = self._by_key[key] = self.new(server, lasting=False)
        return found

    def asker(self, server: RemoteServer, ident: str | int) -> Conversation | None:
        """The conversation of an entry in which an answer of this id is waited for."""
        return next((each for each in self.of(server) if each.asker_of(ident) is not None), None)

    def of(self, server: RemoteServer) -> Iterator[Conversation]:
        return (each for key, each in list(self._by_key.items()) if key[0] == server.id)

    def all(self) -> set[Conversation]:
        return set(self._by_key.values())

    def end_session(self, server: RemoteServer, session: str) -> None:
        self._drop((server.id, "session", session))

    def _keep(self, key: tuple[str, str, str], conversation: Conversation) -> None:
        before = self._by_key.get(key)
        self._by_key[key] = conversation
        if before is not None and before is not conversation:
            self._release(before)

    def _drop(self, key: tuple[str, str, str]) -> None:
        found = self._by_key.pop(key, None)
        if found is not None:
            self._release(found)

    def _release(self, conversation: Conversation) -> None:
        """Nothing leads to it any more; what is under way in it ends first."""
        if conversation in self._by_key.values():
            return
        conversation.unbound = True
        if not conversation.users:
            conversation.close()

    def _make_room(self) -> None:
        now = time.monotonic()
        idle = [(each.used, key) for key, each in self._by_key.items() if not each.users]
        gone = [key for used, key in idle if now - used > IDLE]
        if len(self._by_key) - len(gone) >= MOST:
            gone += [key for _, key in sorted(idle)[: len(self._by_key) - len(gone) - MOST + 1]]
        for key in dict.fromkeys(gone):
            self._drop(key)

    def forget_server(self, ident: str) -> None:
        for key in [key for key in self._by_key if key[0] == ident]:
            self._drop(key)

    def close(self) -> None:
        for conversation in self.all():
            conversation.close()
        self._by_key.clear()


def begins(body: Line) -> bool:
    """Is this the request that begins a conversation of the handshake era?"""
    return b'"initialize"' in body
