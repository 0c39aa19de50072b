"""The parts of the room put together: requests to the upstream with their credentials, and what all exchanges share."""

from __future__ import annotations

import asyncio
from urllib.parse import unquote

from mcpgov.core.decision import DENY, Decision
from mcpgov.remote.access.tokens import AccessTokens, NoToken
from mcpgov.remote.counters import RemoteCounters
from mcpgov.remote.exchanges.login_metadata import LoginMetadata
from mcpgov.remote.messages.targets import basic_credentials, value_of
from mcpgov.remote.sessions.conversations import Conversations
from mcpgov.remote_servers import OUR_LOGIN, PASSTHROUGH, url_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.core.session.effects import Line
    from mcpgov.remote.exchanges.exchange import Exchange
    from mcpgov.remote.exchanges.get_stream import GetStream
    from mcpgov.remote.routes import OneRoute, ServerRoutes
    from mcpgov.remote.sessions.shared_parts import SharedParts
    from mcpgov.remote.upstream import Upstream, UpstreamAnswer
    from mcpgov.remote_servers import RemoteServer

    Pairs = list[tuple[str, str]]

LARGEST_ERROR = 64 * 1024
ORPHANS = 300.0  # seconds that an exchange goes on without its client
UNAUTHORIZED, FORBIDDEN = 401, 403


class RemoteParts:
    """One for the process. `tell_login`: hears of a server that begins to ask for one."""

    def __init__(
        self,
        shared: SharedParts,
        routes: ServerRoutes | OneRoute,
        upstream: Upstream,
        tokens: AccessTokens,
        counters: RemoteCounters,
        options: dict[str, str] | None = None,
    ) -> None:
        self.shared, self.routes, self.upstream, self.tokens = shared, routes, upstream, tokens
        self.counters = counters
        self.conversations = Conversations(shared, options, counters.retire)
        self.legacy: dict[tuple[str, str], GetStream] = {}
        self.origin = ""
        self.metadata = LoginMetadata(self)
        self.extra: Pairs = []  # headers that every request upstream gets, of a server that is proxied by hand
        self._orphans: set[asyncio.Task[object]] = set()

    # --- upstream

    async def send(
        self, method: str, url: str, server: RemoteServer, headers: Pairs, body: Line | None
    ) -> UpstreamAnswer:
        """With our token where the login is ours; a refused one is replaced once. Raises UpstreamError."""
        token = ""
        if server.login == OUR_LOGIN:
            token = await self._token(server)
            headers = with_token(headers, token)
        elif "@" in server.url and value_of(headers, "authorization") is None:
            own = basic_credentials(server.url)
            headers = [*headers, ("Authorization", own)] if own else headers
        headers = [*headers, *self.extra]
        answer = await self.upstream.send(method, url, headers, body)
        if answer.status == UNAUTHORIZED and token:
            fresh = await self._token(server, instead_of=token)
            if fresh and fresh != token:
                answer.close()
                answer = await self.upstream.send(method, url, with_token(headers, fresh), body)
        if answer.status not in (UNAUTHORIZED, FORBIDDEN) and answer.status < 500:
            self.counters.answered(server)
        return answer

    async def _token(self, server: RemoteServer, *, instead_of: str = "") -> str:
        try:
            return await self.tokens.get(url_digest(server.url), instead_of=instead_of)
        except NoToken:
            return ""  # then the server says what it wants

    # --- logins

    async def login_denial(self, exchange: Exchange, answer: UpstreamAnswer) -> bool:
        """True: the server wants a login, and the client has its answer."""
        server = exchange.route.server
        if server.login == PASSTHROUGH:
            headers = self.metadata.challenge(server, answer)
            exchange.close_request(f"the server answered with status {answer.status}")
            await exchange.send_whole(answer.status, headers, await answer.read(LARGEST_ERROR))
            return True
        if not self._wants_login(answer):
            return False
        why = self._login_words(server, exchange.headers)
        self.counters.wants_login(server, why)
        await exchange.deny(Decision(DENY, None, "policy", why, ""))
        return True

    async def login_needed_for_stream(self, stream: GetStream, answer: UpstreamAnswer) -> bool:
        server = stream.route.server
        if not self._wants_login(answer):
            return False
        if server.login == PASSTHROUGH:
            headers = self.metadata.challenge(server, answer)
            await stream.reply.whole(answer.status, headers, await answer.read(LARGEST_ERROR))
            return True
        self.counters.wants_login(server, self._login_words(server, stream.headers))
        await stream.reply.whole(405, [("Allow", "POST")])
        return True

    @staticmethod
    def _wants_login(answer: UpstreamAnswer) -> bool:
        challenged = value_of(answer.headers, "www-authenticate") is not None
        return answer.status == UNAUTHORIZED or (answer.status == FORBIDDEN and challenged)

    @staticmethod
    def _login_words(server: RemoteServer, headers: Pairs) -> str:
        if server.login != OUR_LOGIN and value_of(headers, "authorization") is not None:
            return f"the server {server.name} refused the credentials of its own entry"
        return f"the server {server.name} asks for a login; ask the user to run: mcpgov login {server.name}"

    # --- legacy conversations

    def begin_legacy(self, stream: GetStream, endpoint: str) -> None:
        self.legacy[stream.route.server.id, unquote(endpoint)] = stream

    def legacy_stream(self, server: RemoteServer, url: str) -> GetStream | None:
        """The stream whose client posts there. Clients may write the URL with other escapes than it was named with."""
        return self.legacy.get((server.id, unquote(url))) if self.legacy else None

    def end_legacy(self, stream: GetStream, endpoint: str) -> None:
        key = (stream.route.server.id, unquote(endpoint))
        if self.legacy.get(key) is stream:
            del self.legacy[key]

    # --- exchanges whose client has gone

    def keep(self, work: asyncio.Task[object]) -> None:
        """Let it end by itself, within bounds."""
        self._orphans.add(work)
        timer = self.shared.loop.call_later(ORPHANS, work.cancel)

        def ended(done: asyncio.Task[object]) -> None:
            self._orphans.discard(done)
            timer.cancel()

        work.add_done_callback(ended)

    def report(self, port: int) -> dict[str, object]:
        servers = list(self.routes.servers().values())
        live = {server.id: [each.session.state for each in set(self.conversations.of(server))] for server in servers}
        rows = self.counters.report(servers, live)
        streams = sum(int(str(row["streams"])) for row in rows)
        return {"remote": rows, "port": port, "sessions": len(self.conversations), "streams": streams}

    async def close(self) -> None:
        for work in list(self._orphans):
            work.cancel()
        self.conversations.close()
        await self.upstream.close()


def with_token(headers: Pairs, token: str) -> Pairs:
    kept = [(name, value) for name, value in headers if name.lower() != "authorization"]
    return [*kept, ("Authorization", token)] if token else kept
