"""A POST of a legacy HTTP+SSE conversation: 202, and whatever there is to say comes as an event on its stream."""

from __future__ import annotations

from mcpgov.core.session.effects import Reply
from mcpgov.remote.messages.sse_events import message_event
from mcpgov.remote.messages.targets import headers_down
from mcpgov.remote.upstream import UpstreamError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.core.session.effects import Forward, Line
    from mcpgov.loopback.listener import HttpReply
    from mcpgov.remote.exchanges.get_stream import GetStream
    from mcpgov.remote.parts import RemoteParts
    from mcpgov.remote.routes import Route

    Pairs = list[tuple[str, str]]

LARGEST_ERROR = 64 * 1024


class LegacyPost:
    def __init__(self, parts: RemoteParts, stream: GetStream, reply: HttpReply, headers: Pairs, route: Route) -> None:
        self._parts, self._stream, self._reply, self._headers, self._route = parts, stream, reply, headers, route

    async def run(self, body: Line) -> None:
        conversation = self._stream.conversation
        await conversation.ready()
        judged = conversation.from_client(self._stream.lane, body, self._stream)
        await self._say(judged.to_client)
        if judged.to_server:
            await self._send_on(judged.to_server[0])
        else:
            await self._reply.whole(202, [], b"")

    async def _say(self, replies: list[Reply]) -> None:
        for sent in replies:
            await self._stream.write(message_event(sent.line))

    async def _send_on(self, sent: Forward) -> None:
        requests = self._stream.lane.client.requests
        ident = sent.request if sent.request is not None else requests.latest_opened
        try:
            answer = await self._parts.send("POST", self._stream.endpoint, self._route.server, self._headers, sent.line)
            body = self._stream.words(await answer.read(LARGEST_ERROR)) if answer.status >= 400 else b""
            answer.close()
        except UpstreamError as problem:
            self._parts.counters.failed(self._route.server, problem.why)
            await self._give_up(ident, problem.why)
            await self._reply.whole(502, [("Content-Type", "text/plain; charset=utf-8")], problem.why.encode())
            return
        if answer.status >= 400:
            await self._give_up(ident, f"the server answered with status {answer.status}")
        await self._reply.whole(answer.status, headers_down(answer.headers), body)

    async def _give_up(self, ident: str | int | None, why: str) -> None:
        if ident is not None:
            lane, conversation = self._stream.lane, self._stream.conversation
            judged = conversation.perform(lane, lane.request_failed(ident, why), self._stream, at_once=True)
            await self._say(judged.to_client)
