"""Every request of a client: which server it is for, what kind of exchange it is, and that one run to its end."""

from __future__ import annotations

import asyncio
import time

from mcpgov.core.json.json_spans import outline
from mcpgov.core.messages import wire
from mcpgov.core.session.call_records import passed
from mcpgov.loopback.request_checks import is_json, texts
from mcpgov.remote.exchanges.exchange import AS_JSON, Exchange
from mcpgov.remote.exchanges.get_stream import GetStream
from mcpgov.remote.exchanges.legacy_sse import LegacyPost
from mcpgov.remote.messages import mirrored_headers
from mcpgov.remote.messages.targets import headers_down, headers_up
from mcpgov.remote.sessions.conversations import MODERN, PLAIN, begins
from mcpgov.remote.upstream import UpstreamError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mcpgov.core.session.effects import Line
    from mcpgov.loopback.listener import HttpReply, HttpRequest
    from mcpgov.loopback.request_checks import RequestHead
    from mcpgov.remote.parts import RemoteParts
    from mcpgov.remote.routes import Route
    from mcpgov.remote.sessions.conversation import Conversation

TEXT = [("Content-Type", "text/plain; charset=utf-8")]
VERSION = b"io.modelcontextprotocol/protocolVersion"
ESCAPE = b"\\u"
LARGEST_ERROR = 64 * 1024


class RemoteHandler:
    """`noticed`: told of every request, for what wants to be looked at now and then."""

    def __init__(self, parts: RemoteParts) -> None:
        self._parts = parts
        self._metadata = parts.metadata
        self.noticed: Callable[[], None] = _nobody
        self._streams: set[asyncio.Task[object]] = set()

    def end_streams(self) -> None:
        """Cut every stream: their clients come back, and go on where they were."""
        for task in list(self._streams):
            task.cancel()

    async def handle(self, request: HttpRequest, reply: HttpReply) -> None:
        self.noticed()
        head = request.head
        route = self._route(head)
        if route is None:
            await self._metadata.by_name(head, reply)
        elif self._metadata.is_asked(head, route):
            await self._metadata.answer(route, reply)
        elif head.method == "POST":
            await self._post(request, reply, route)
        elif not route.entry:
            await reply.whole(404, TEXT)
        elif head.method == "GET":
            await self._get(head, reply, route)
        else:
            await self._delete(head, reply, route)

    def _route(self, head: RequestHead) -> Route | None:
        """Where a request leads; what the same client has asked before is looked up when the servers have changed."""
        routes = self._parts.routes
        servers = routes.servers()
        if head.route is None or head.route[0] is not servers:
            head.route = (servers, routes.find(head.target))
        return head.route[1]

    # --- POST

    async def _post(self, request: HttpRequest, reply: HttpReply, route: Route) -> None:
        head = request.head
        legacy = self._parts.legacy_stream(route.server, route.url)
        if legacy is None and not route.entry:
            await reply.whole(404, TEXT)
            return
        if not is_json(head.get(b"content-type")):
            await reply.whole(415, TEXT, b"mcpgov: the body must be application/json\n")
            return
        body = request.body_at_hand() or await request.body()
        began = time.perf_counter()
        if head.upstream_headers is None:
            head.upstream_headers = headers_up(texts(head.headers))
        headers = head.upstream_headers
        if legacy is not None:
            await LegacyPost(self._parts, legacy, reply, headers, route).run(body)
            return
        modern, message = self._era(head, body)
        conversation, new = self._conversation(head, route, body, modern=modern)
        if modern and message is not None:
            problem = mirrored_headers.mismatch(head, message) or self._param_problem(head, message, conversation)
            if problem:
                await self._mismatch(reply, conversation, message, problem)
                return
        await self._exchange(head, reply, route, body, conversation, headers, modern=modern, new=new, began=began)

    async def _exchange(
        self,
        head: RequestHead,
        reply: HttpReply,
        route: Route,
        body: Line,
        conversation: Conversation,
        headers: list[tuple[str, str]],
        *,
        modern: bool,
        new: bool,
        began: float,
    ) -> None:
        lane, owns = conversation.enter(body)
        exchange = Exchange(self._parts, route, conversation, lane, reply, headers)
        exchange.modern, exchange.begins_session, exchange.began = modern, new, began
        accept = head.get(b"accept") or b""
        exchange.accepts_events = b"text/event-stream" in accept or b"*/*" in accept
        counts = self._parts.counters.of(route.server)
        counts.streams += 1
        try:
            await exchange.run(body)
        except Exception as problem:
            # INVARIANT: whatever breaks here, the request has its answer and nothing more of it goes out.
            await exchange.break_off(problem)
        finally:
            counts.streams -= 1
            conversation.leave(lane, ends=owns)
            if new and not conversation.users and not self._is_bound(conversation):
                conversation.close()

    def _is_bound(self, conversation: Conversation) -> bool:
        return conversation in self._parts.conversations.all()

    def _era(self, head: RequestHead, body: Line) -> tuple[bool, dict[str, object] | None]:
        """Is it of the stateless revision? And its message, where it can be read."""
        modern = mirrored_headers.is_modern_header(head.get(b"mcp-protocol-version"))
        # One byte is found far faster than two, and most long bodies do not have it.
        if not modern and VERSION not in body and (ESCAPE[:1] not in body or ESCAPE not in body):
            return False, None
        try:
            message = wire.read(wire.decode(bytes(body)), judged=False)
        except wire.Refused:
            return modern, None
        modern = modern or mirrored_headers.version_in(message) is not None
        return modern, message if modern and "method" in message else None

    def _conversation(self, head: RequestHead, route: Route, body: Line, *, modern: bool) -> tuple[Conversation, bool]:
        """And whether the answer will tell which session it is."""
        known = self._parts.conversations
        session = head.get(b"mcp-session-id")
        if modern:
            return known.stateless(route.server, MODERN), False
        if session is not None:
            return known.of_session(route.server, session.decode("ascii")), False
        if begins(body) and b'"method"' in body:
            return known.new(route.server, lasting=True), True
        if b'"method"' not in body:
            ident = outline(bytes(body).decode("utf-8", "replace"))[0]
            asker = known.asker(route.server, ident) if ident is not None else None
            if asker is not None:
                return asker, False
        return known.stateless(route.server, PLAIN), False

    @staticmethod
    def _param_problem(head: RequestHead, message: dict[str, object], conversation: Conversation) -> str:
        params = message.get("params")
        tool = params.get("name") if isinstance(params, dict) else None
        if message.get("method") != "tools/call" or not isinstance(params, dict) or not isinstance(tool, str):
            return ""
        schema = mirrored_headers.schema_of(conversation.session.tool_list.pins.accepted or {}, tool)
        found = mirrored_headers.differing_param(head, params.get("arguments"), schema)
        return f"{found} differs from the body" if found else ""

    @staticmethod
    async def _mismatch(reply: HttpReply, conversation: Conversation, message: dict[str, object], why: str) -> None:
        method = message.get("method")
        note = passed("client", method if isinstance(method, str) else "")
        conversation.note({**note, "action": "refused", "why": why, "code": mirrored_headers.MISMATCH})
        error = wire.error(wire.usable(message.get("id")), mirrored_headers.MISMATCH, f"Header mismatch: {why}")
        await reply.whole(400, AS_JSON, error)

    # --- GET

    async def _get(self, head: RequestHead, reply: HttpReply, route: Route) -> None:
        known, session = self._parts.conversations, head.get(b"mcp-session-id")
        if session is not None:
            conversation = known.of_session(route.server, session.decode("ascii"))
        else:
            # A legacy stream is a conversation of its own, and so is the stream of a server without sessions.
            conversation = known.of_stream(route.server)
        await conversation.ready()
        lane, _ = conversation.enter()
        stream = GetStream(self._parts, route, conversation, lane, reply, headers_up(texts(head.headers)))
        stream.resumes = head.get(b"last-event-id") is not None
        counts = self._parts.counters.of(route.server)
        task = asyncio.current_task()
        assert task is not None
        counts.streams += 1
        self._streams.add(task)
        try:
            await stream.run()
        finally:
            self._streams.discard(task)
            counts.streams -= 1
            conversation.leave(lane)
            if session is None:
                known.end_stream(route.server, conversation)

    # --- DELETE

    async def _delete(self, head: RequestHead, reply: HttpReply, route: Route) -> None:
        session = head.get(b"mcp-session-id")
        try:
            answer = await self._parts.send("DELETE", route.url, route.server, headers_up(texts(head.headers)), None)
            body = await answer.read(LARGEST_ERROR)
        except UpstreamError as problem:
            await reply.whole(502, TEXT, problem.why.encode())
            return
        if session is not None and (200 <= answer.status < 300 or answer.status == 404):
            self._parts.conversations.end_session(route.server, session.decode("ascii"))
        await reply.whole(answer.status, headers_down(answer.headers), body)


def _nobody() -> None:
    return
