"""OAuth metadata of a server whose app logs in itself: asked of us, fetched from the server, rewritten.

Law: the server gets none of the app's headers with it, and nothing but metadata can be fetched so: what has a
well-known name, or what the server itself named when it last asked for a login.
"""

from __future__ import annotations

from mcpgov.remote.access import passthrough
from mcpgov.remote.exchanges.carrier import JSON
from mcpgov.remote.messages.targets import headers_down, value_of
from mcpgov.remote.upstream import UpstreamError
from mcpgov.remote_servers import PASSTHROUGH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.loopback.listener import HttpReply
    from mcpgov.loopback.request_checks import RequestHead
    from mcpgov.remote.parts import RemoteParts
    from mcpgov.remote.routes import Route
    from mcpgov.remote.upstream import UpstreamAnswer
    from mcpgov.remote_servers import RemoteServer

TEXT = [("Content-Type", "text/plain; charset=utf-8")]
LARGEST_METADATA = 256 * 1024
NOT_FOUND = 404


class LoginMetadata:
    """One for the process."""

    def __init__(self, parts: RemoteParts) -> None:
        self._parts = parts
        self._named: dict[str, str] = {}  # by a server's id, the path that it named

    def challenge(self, server: RemoteServer, answer: UpstreamAnswer) -> list[tuple[str, str]]:
        """The headers of a server's wish for a login, as the app gets them."""
        headers = headers_down(answer.headers)
        wanted = value_of(answer.headers, "www-authenticate")
        if wanted is not None:
            self._named[server.id] = passthrough.named_path(wanted)
            headers.append(("WWW-Authenticate", passthrough.challenge(wanted, self._parts.origin, server.id)))
        return headers

    def is_asked(self, head: RequestHead, route: Route) -> bool:
        if head.method != "GET" or route.server.login != PASSTHROUGH:
            return False
        path = path_of(route.url)
        if path.rstrip("/") == path_of(route.server.url).rstrip("/"):
            return False  # the server's stream, which is governed: a server cannot shed that by naming it
        return passthrough.is_metadata(path) or path == self._named.get(route.server.id)

    async def by_name(self, head: RequestHead, reply: HttpReply) -> None:
        """Some apps put the well-known name in front of the whole path; the secret is then inside.

        The server may have its metadata at the name alone. The app's own second guess, that name on our origin, has no
        secret in it, so it is made here.
        """
        for ours in passthrough.in_front(head.target.partition("?")[0]) if head.method == "GET" else ():
            route = self._parts.routes.find(ours)
            if route is None or route.server.login != PASSTHROUGH:
                break
            if await self.answer(route, reply, last=False):
                return
        await reply.whole(NOT_FOUND, TEXT)

    async def answer(self, route: Route, reply: HttpReply, *, last: bool = True) -> bool:
        """False: the server has nothing there, and the app has no answer yet."""
        server = route.server
        try:
            asked = [("Accept", JSON), ("Accept-Encoding", "identity")]
            answer = await self._parts.upstream.send("GET", route.url, asked, None)
            body = await answer.read(LARGEST_METADATA)
        except UpstreamError as problem:
            await reply.whole(502, TEXT, problem.why.encode())
            return True
        if answer.status == NOT_FOUND and not last:
            return False
        ours = f"{self._parts.origin}/{server.id}{path_of(server.url)}"
        await reply.whole(answer.status, headers_down(answer.headers), passthrough.rewritten(body, server.url, ours))
        return True


def path_of(url: str) -> str:
    return "/" + url.partition("://")[2].partition("?")[0].partition("/")[2]
