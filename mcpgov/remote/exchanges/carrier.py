"""What messages of an upstream come on: the answer to a POST, or a stream of a GET. Judged, and passed to the client.

Laws: an unchanged event goes out byte for byte; one that is left out leaves its id; what answers a request of the
server on the client's behalf goes upstream as a POST of ours. A slow client stops the reading of its stream. What is no
message (a comment, a field, an error in words) is read for private data, too, and left out where some is to be cut.
"""

from __future__ import annotations

import asyncio

from mcpgov.core.session.effects import Forward, Reply
from mcpgov.remote.messages.sse_events import ENDPOINT, SseEvent, message_event
from mcpgov.remote.upstream import UpstreamError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Coroutine

    from mcpgov.core.session.effects import Effect
    from mcpgov.core.session.session import Session
    from mcpgov.loopback.listener import HttpReply
    from mcpgov.remote.parts import RemoteParts
    from mcpgov.remote.routes import Route
    from mcpgov.remote.sessions.conversation import Conversation, Judged

    Pairs = list[tuple[str, str]]

JSON = "application/json"
EVENTS = "text/event-stream"
STREAM_HEADERS = [("Content-Type", EVENTS), ("Cache-Control", "no-cache"), ("X-Accel-Buffering", "no")]


class Carrier:
    """`headers`: the client's, for requests of ours that belong to the same conversation."""

    def __init__(
        self,
        parts: RemoteParts,
        route: Route,
        conversation: Conversation,
        lane: Session,
        reply: HttpReply,
        headers: Pairs,
    ) -> None:
        self._parts, self.route, self.conversation, self.lane = parts, route, conversation, lane
        self.reply = reply
        self.headers = headers
        self.resumable = False  # an event had an id: whoever was cut off can go on from there
        self.last = ""  # the id of the last event
        self.retry = 0  # milliseconds until a stream is to be resumed, as the server says
        self.left = False  # the client has gone
        self._writing = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    # --- to the client

    async def write(self, data: bytes) -> None:
        """An event. Once the client has gone there is nobody to write to."""
        if self.left or not data:
            return
        try:
            async with self._writing:
                await self.reply.write(data)
        except ConnectionError:
            self.left = True

    def deliver(self, to_server: list[Forward], to_client: list[Reply], *, held: bool) -> None:
        """What became of a request of the server that was held."""
        self.spawn(self._deliver(to_server, to_client))

    async def _deliver(self, to_server: list[Forward], to_client: list[Reply]) -> None:
        for sent in to_client:
            await self.write(message_event(sent.line))
        await self.answer_upstream(to_server)

    def spawn(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def settle(self) -> None:
        """Wait for what is still on its way."""
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)

    # --- from the upstream

    async def pass_event(self, event: SseEvent) -> None:
        if event.around and self.words(event.around) != event.around:
            event = event.bare()
        if event.ident is not None:
            self.resumable, self.last = True, event.ident.decode("ascii", "replace")
        if event.retry is not None:
            self.retry = int(event.retry[:9])
        data = event.data
        if data is None or not data.strip():
            await self.write(event.as_it_is())
        elif event.is_message or data.lstrip()[:1] in (b"{", b"["):
            await self._pass_message(event, data)
        elif event.kind != ENDPOINT and self.words(data) != data:
            await self.write(event.without_data())
        else:
            await self.write(await self.other_event(event))

    async def other_event(self, event: SseEvent) -> bytes:
        """An event of another kind, as it may go out. Nobody but a legacy stream says where to post."""
        return event.without_data() if event.kind == ENDPOINT else event.as_it_is()

    async def _pass_message(self, event: SseEvent, data: bytes) -> None:
        if b'"method"' in data:
            await self.conversation.ready()  # a request of the server is judged by what is in force now
        judged = self.judge(data)
        first = True
        for sent in judged.to_client:
            if first and sent.line is data and event.plain:
                await self.write(event.raw)
            else:
                await self.write(event.with_data(sent.line) if first else message_event(sent.line))
            first = False
        if first:
            await self.write(event.without_data())
        if judged.to_server:
            await self.answer_upstream(judged.to_server)

    def judge(self, data: bytes) -> Judged:
        return self.conversation.from_server(self.lane, data, self)

    def words(self, data: bytes) -> bytes:
        """What a server says besides messages, as it may be told."""
        said, records = self.lane.words(data)
        if records:
            self.perform_quietly(records)
        return said

    def perform_quietly(self, effects: list[Effect]) -> Judged:
        return self.conversation.perform(self.lane, effects, self, at_once=True)

    # --- to the upstream, on the client's behalf

    async def answer_upstream(self, answers: list[Forward]) -> None:
        for sent in answers:
            try:
                answer = await self._parts.send("POST", self.answer_url(), self.route.server, self.headers, sent.line)
                answer.close()
            except UpstreamError:
                continue  # the server does not hear that its request was denied, and gets no other answer either

    def answer_url(self) -> str:
        return self.route.url
