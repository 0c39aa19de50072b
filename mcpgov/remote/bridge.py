"""A remote server for an app that only speaks stdio: lines in, POSTs out; messages of the server back as lines.

Here we are the HTTP client: session id, revision headers, the stream of the server's own messages and its resumption
are ours. What is judged, recorded and asked is as everywhere.
"""

from __future__ import annotations

import asyncio
import os
import stat
import sys

from mcpgov.core.messages import wire
from mcpgov.remote.exchanges.carrier import EVENTS, JSON
from mcpgov.remote.exchanges.exchange import Exchange
from mcpgov.remote.exchanges.get_stream import GetStream
from mcpgov.remote.exchanges.legacy_sse import LegacyPost
from mcpgov.remote.messages import mirrored_headers
from mcpgov.remote.messages.sse_events import SseEvent
from mcpgov.remote.messages.targets import value_of
from mcpgov.remote.routes import BY_HAND
from mcpgov.remote.sessions.conversations import MODERN, PLAIN
from mcpgov.remote_servers import SSE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mcpgov.core.session.effects import Line
    from mcpgov.remote.by_hand import ByHand
    from mcpgov.remote.main import RemoteProcess
    from mcpgov.remote.sessions.conversation import Conversation
    from mcpgov.remote.upstream import UpstreamAnswer

    Pairs = list[tuple[str, str]]

BOTH = f"{JSON}, {EVENTS}"
AGAIN = 1.0  # seconds until a stream that ended is opened again
POLITE = 1.0  # seconds for answers after the app's last line
CHUNK = 1 << 16


class LineWriter:
    """Standard output: one message a line, as fast as the app reads."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        kind = os.fstat(1).st_mode
        if stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind):
            # Our end of a pipe or socket is ours alone; a terminal is shared, so it stays as it is.
            os.set_blocking(1, False)

    async def line(self, line: Line) -> None:
        # Line ends stand between values only: the message was read as JSON.
        text = bytes(line).strip().replace(b"\n", b" ").replace(b"\r", b" ")
        async with self._lock:
            await _write_all(text + b"\n")


async def _write_all(data: bytes) -> None:
    loop = asyncio.get_running_loop()
    while data:
        try:
            data = data[os.write(1, data) :]
        except BlockingIOError:
            ready = loop.create_future()
            loop.add_writer(1, _set, ready)
            try:
                await ready
            finally:
                loop.remove_writer(1)


async def _read_some() -> bytes:
    """Standard input; a file is always ready, and cannot be waited for."""
    loop = asyncio.get_running_loop()
    ready = loop.create_future()
    try:
        loop.add_reader(0, _set, ready)
    except OSError:
        return os.read(0, CHUNK)
    try:
        await ready
    finally:
        loop.remove_reader(0)
    return os.read(0, CHUNK)


def _set(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)


class LineReply:
    """In the place of an HTTP reply: whatever is a message goes out as a line."""

    def __init__(self, out: LineWriter) -> None:
        self._out = out
        self.begun = False
        self.task = asyncio.current_task()
        self.on_disconnect: Callable[[], None] = lambda: None

    async def whole(self, status: int, headers: Pairs, body: Line = b"") -> None:
        if bytes(body[:1]) == b"{":
            await self._out.line(body)

    async def begin(self, status: int, headers: Pairs) -> None:
        self.begun = True

    async def write(self, data: bytes) -> None:
        """One event."""
        event = SseEvent(data)
        if event.is_message and event.data is not None:
            await self._out.line(event.data)

    async def end(self) -> None:
        return

    def abort(self) -> None:
        return


class BridgePost(Exchange):
    """A line of the app on its way. `session`: told when the server names one."""

    status_tells = False
    accepts_events = True
    gathers = False
    session: str | None = None

    def bind(self, answer: UpstreamAnswer) -> None:
        if self.begins_session:
            self.session = value_of(answer.headers, "mcp-session-id") or ""


class Bridge:
    """`plain` and `modern`: the app's conversation in each era. One app, so one of each."""

    def __init__(self, service: RemoteProcess, asked: ByHand) -> None:
        self._service, self._parts, self._server = service, service.parts, asked.server
        route = self._parts.routes.find(BY_HAND)
        assert route is not None
        self._route = route
        self._out = LineWriter()
        self._session = ""
        self._version = ""
        self._posts: dict[asyncio.Task[None], str | int | None] = {}
        self._streams: set[asyncio.Task[None]] = set()
        self._legacy: GetStream | None = None

    # --- lines of the app

    async def hear(self, line: bytes) -> None:
        """One line. Requests go on side by side."""
        message = _read(line)
        modern = message is not None and mirrored_headers.version_in(message) is not None
        if modern and message is not None and message.get("method") == "notifications/cancelled":
            self._cancel(message)
            return
        ident = wire.usable(message.get("id")) if message is not None and "method" in message else None
        work = self._post_legacy(line) if self._legacy is not None else self._post(line, message, modern=modern)
        task = asyncio.get_running_loop().create_task(work)
        self._posts[task] = ident
        task.add_done_callback(lambda done: self._posts.pop(done, None))
        if ident is None or (message is not None and message.get("method") == "initialize"):
            await asyncio.wait([task])

    def _cancel(self, message: dict[str, object]) -> None:
        """In the stateless revision a request is cancelled by hanging up."""
        params = message.get("params")
        wanted = wire.usable(params.get("requestId")) if isinstance(params, dict) else None
        for task, ident in list(self._posts.items()):
            if wanted is not None and ident == wanted:
                task.cancel()

    async def _post(self, line: bytes, message: dict[str, object] | None, *, modern: bool) -> None:
        conversation = self._parts.conversations.stateless(self._server, MODERN if modern else PLAIN)
        conversation.lasting = True  # one app, whose ids are open once
        lane, _ = conversation.enter(line)
        post = BridgePost(self._parts, self._route, conversation, lane, LineReply(self._out), [])  # type: ignore[arg-type]
        post.modern = modern
        post.begins_session = message is not None and message.get("method") == "initialize"
        post.headers = self._headers(message, conversation, modern=modern)
        try:
            await post.run(line)
            if post.begins_session and post.session is not None:
                self._session, self._version = post.session, conversation.session.state.version
            if message is not None and message.get("method") == "notifications/initialized" and not modern:
                self._listen(conversation)
            if post.resumable and post.ident in lane.client.requests:
                await self._resume(post)
        finally:
            conversation.leave(lane)

    def _headers(self, message: dict[str, object] | None, conversation: Conversation, *, modern: bool) -> Pairs:
        headers = [("Accept", BOTH), ("Content-Type", JSON), ("Accept-Encoding", "identity")]
        if modern and message is not None:
            known = (
                (conversation.session.tool_list.pins.accepted or {}) if message.get("method") == "tools/call" else {}
            )
            return headers + mirrored_headers.headers_for(message, known)
        beginning = message is not None and message.get("method") == "initialize"
        return headers if beginning else headers + self._session_headers()

    def _session_headers(self) -> Pairs:
        session = [("Mcp-Session-Id", self._session)] if self._session else []
        return session + ([("MCP-Protocol-Version", self._version)] if self._version else [])

    # --- streams

    def _listen(self, conversation: Conversation) -> None:
        """What the server says on its own."""
        task = asyncio.get_running_loop().create_task(self._listen_on(conversation))
        self._streams.add(task)
        task.add_done_callback(self._streams.discard)

    async def _listen_on(self, conversation: Conversation, last: str = "") -> None:
        while True:
            stream = await self._stream(conversation, last)
            if not stream.reply.begun:
                return  # it has no such stream
            last = stream.last or last
            await asyncio.sleep(stream.retry / 1000 if stream.retry else AGAIN)

    async def _stream(self, conversation: Conversation, last: str) -> GetStream:
        lane, _ = conversation.enter()
        headers = [("Accept", EVENTS), ("Accept-Encoding", "identity"), *self._session_headers()]
        headers += [("Last-Event-ID", last)] if last else []
        stream = GetStream(self._parts, self._route, conversation, lane, LineReply(self._out), headers)  # type: ignore[arg-type]
        try:
            await stream.run()
        finally:
            conversation.leave(lane)
        return stream

    async def _resume(self, post: BridgePost) -> None:
        """The stream of an answer ended before the answer came: go on where it was."""
        last, wait, tries = post.last, post.retry, 0
        while post.ident in post.lane.client.requests and tries < 5:
            await asyncio.sleep(wait / 1000 if wait else AGAIN)
            stream = await self._stream(post.conversation, last)
            tries = 0 if stream.last and stream.last != last else tries + 1
            last, wait = stream.last or last, stream.retry or wait
        if post.ident in post.lane.client.requests:
            for line in post.close_request("the server ended its answer without a result"):
                await self._out.line(line)

    # --- the older transport

    async def begin_legacy(self) -> bool:
        """True: the server has named where to post. Its stream is the conversation."""
        conversation = self._parts.conversations.of_stream(self._server)
        await conversation.ready()
        lane, _ = conversation.enter()
        headers = [("Accept", EVENTS), ("Accept-Encoding", "identity")]
        stream = GetStream(self._parts, self._route, conversation, lane, LineReply(self._out), headers)  # type: ignore[arg-type]
        task = asyncio.get_running_loop().create_task(stream.run())
        self._streams.add(task)
        while not stream.endpoint and not task.done():
            await asyncio.wait([task], timeout=0.01)
        task.add_done_callback(lambda _: self._service.done.set())
        self._legacy = stream if stream.endpoint else None
        return self._legacy is not None

    async def _post_legacy(self, line: bytes) -> None:
        stream = self._legacy
        assert stream is not None
        headers = [("Accept", BOTH), ("Content-Type", JSON), ("Accept-Encoding", "identity")]
        route = self._route._replace(url=stream.endpoint, entry=False)
        reply = LineReply(self._out)
        await LegacyPost(self._parts, stream, reply, headers, route).run(line)  # type: ignore[arg-type]

    # --- the end

    async def end(self) -> None:
        """The app has said its last word: a moment for answers, then the session ends."""
        if self._posts:
            await asyncio.wait(list(self._posts), timeout=POLITE)
        for task in [*self._posts, *self._streams]:
            task.cancel()
        if self._session:
            try:
                async with asyncio.timeout(POLITE):
                    headers = [("Accept-Encoding", "identity"), *self._session_headers()]
                    answer = await self._parts.send("DELETE", self._route.url, self._server, headers, None)
                    answer.close()
            except Exception:
                return  # the server will notice by itself


async def run_bridge(asked: ByHand, home: dict[str, str]) -> int:
    from mcpgov.remote.by_hand import service_of

    service = service_of(asked, home)
    service.end_by_signals()
    bridge = Bridge(service, asked)
    if asked.server.transport == SSE and not await bridge.begin_legacy():
        sys.stderr.write("mcpgov: the server does not open a stream\n")
        return 1
    reader = asyncio.create_task(_read_lines(bridge))
    ended = asyncio.create_task(service.done.wait())
    await asyncio.wait([reader, ended], return_when=asyncio.FIRST_COMPLETED)
    reader.cancel()
    await bridge.end()
    await service.close()
    return 0


async def _read_lines(bridge: Bridge) -> None:
    held = bytearray()
    while data := await _read_some():
        held += data
        *lines, rest = held.split(b"\n")
        held = bytearray(rest)
        for line in lines:
            if line.strip():
                await bridge.hear(bytes(line))
        if len(held) > wire.CLIENT_LINE_LIMIT:
            return  # no app sends such a line, and it cannot be answered


def _read(line: bytes) -> dict[str, object] | None:
    try:
        return wire.read(wire.decode(line), judged=False)
    except wire.Refused:
        return None
