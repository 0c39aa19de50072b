"""One POST: judged, sent on, and its answer passed back as it comes, as JSON or as a stream of events.

Laws: nothing goes upstream before its record is written; every request gets one answer. A client that hangs up cancels
its request in the stateless revision and does not in the others, where only what can be resumed is let go of.
"""

from __future__ import annotations

import asyncio
import time

from mcpgov.core.json.values import parse
from mcpgov.core.messages import wire
from mcpgov.core.session.effects import Forward, Reply
from mcpgov.remote.exchanges.carrier import EVENTS, JSON, STREAM_HEADERS, Carrier
from mcpgov.remote.messages import mirrored_headers
from mcpgov.remote.messages.sse_events import SseSplitter, TooLongEvent, message_event
from mcpgov.remote.messages.targets import headers_down, value_of
from mcpgov.remote.upstream import UpstreamAnswer, UpstreamError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.core.decision import Decision
    from mcpgov.core.session.effects import Line

    Pairs = list[tuple[str, str]]

LARGEST_ERROR = 64 * 1024
SESSION_ENDED = 404
MALFORMED = (wire.PARSE_ERROR, wire.INVALID_REQUEST)
AS_JSON = [("Content-Type", JSON)]


class Exchange(Carrier):
    """`modern`: in the stateless revision. `ident`: of the request that is sent on, if it is one."""

    modern = False
    accepts_events = False
    ident: str | int | None = None
    begins_session = False
    status_tells = True  # the client hears of an HTTP status; else of every failure by a message
    gathers = True  # a stream that has ended before it was begun goes out whole
    began = 0.0
    _gathered: list[bytes] | None = None
    _spent = 0.0  # seconds that a request spent here on its way up
    _letters: asyncio.Queue[tuple[list[Forward], list[Reply], bool]] | None = None

    async def run(self, body: Line) -> None:
        if not self.conversation.is_ready:
            await self.conversation.ready()
        self._body = body
        self._held = True  # an answer may be there before the judging is over
        judged = self.conversation.from_client(self.lane, body, self)
        self._held = bool(judged.held)
        if judged.held:
            self.ident = self.lane.client.requests.held.get(judged.held[0])
            await self._wait_for_people()
        elif judged.to_server:
            await self._send_on(judged.to_server[0])
        else:
            await self._answer(judged.to_client)

    # --- ours

    async def _answer(self, replies: list[Reply]) -> None:
        """What we say ourselves: a denial, a refusal, or that it was taken."""
        if self.reply.begun:
            for sent in replies:
                await self.write(message_event(sent.line))
            await self.finish()
        elif replies:
            await self.reply.whole(self.status_of(replies[0].line), AS_JSON, bytes(replies[0].line))
        else:
            await self.reply.whole(202, [])

    def status_of(self, line: Line) -> int:
        """A denial is 200; what cannot be read is 400; in the stateless revision the other errors have theirs too."""
        message = parse(bytes(line).decode("ascii"))
        error = message.get("error") if isinstance(message, dict) else None
        code = error.get("code") if isinstance(error, dict) else None
        if code in MALFORMED or (self.modern and code == wire.INVALID_PARAMS):
            return 400
        return 404 if self.modern and code == wire.METHOD_NOT_FOUND else 200

    # --- held

    @property
    def _mail(self) -> asyncio.Queue[tuple[list[Forward], list[Reply], bool]]:
        """What becomes of a request that is held; few are."""
        if self._letters is None:
            self._letters = asyncio.Queue()
        return self._letters

    def deliver(self, to_server: list[Forward], to_client: list[Reply], *, held: bool) -> None:
        if self._held:
            self._mail.put_nowait((to_server, to_client, held))
        else:
            super().deliver(to_server, to_client, held=held)

    async def _wait_for_people(self) -> None:
        """A request that a person is asked about. What is said meanwhile needs a stream."""
        try:
            while True:
                to_server, to_client, held = await self._mail.get()
                if not held:
                    self._held = False
                    if to_server:
                        await self._send_on(to_server[0])
                    else:
                        await self._answer(to_client)
                    return
                if to_client and self.accepts_events and not self.reply.begun:
                    await self.reply.begin(200, STREAM_HEADERS)
                for sent in to_client if self.reply.begun else ():
                    await self.write(message_event(sent.line))
        except asyncio.CancelledError:
            self.perform_quietly(self.lane.request_dropped(self.ident) if self.ident is not None else [])
            raise

    # --- sent on

    async def _send_on(self, sent: Forward) -> None:
        """In the handshake eras a client that hangs up has not cancelled: the work goes on without it."""
        self.ident = self.ident if self.ident is not None else self._opened(sent)
        if not self.modern:
            self.reply.on_disconnect = self._client_left
        try:
            await self._relay(sent.line)
        except asyncio.CancelledError:
            if self.modern and self.ident is not None:
                self.perform_quietly(self.lane.request_dropped(self.ident))
            raise

    def _client_left(self) -> None:
        self.left = True
        if self.reply.task is not None:
            if self.resumable:
                self.reply.task.cancel()
            else:
                self._parts.keep(self.reply.task)

    def _opened(self, sent: Forward) -> str | int | None:
        requests = self.lane.client.requests
        if sent.request is not None:
            return sent.request
        return requests.latest_opened if requests.latest_opened in requests else None

    async def _relay(self, line: Line) -> None:
        answer = None
        try:
            if self.modern and line != self._body:
                self.headers = self._headers_anew(line)
            self._spent = time.perf_counter() - self.began
            answer = await self._parts.send("POST", self.route.url, self.route.server, self.headers, line)
            self.bind(answer)
            await self._pass_back(answer)
        except UpstreamError as problem:
            await self._failed(problem)
        except TooLongEvent:
            await self._failed(UpstreamError("the server sent an event that is too long", refused=True))
        finally:
            if answer is not None:
                answer.close()

    def _headers_anew(self, line: Line) -> Pairs:
        """What goes out is not what came: headers that repeat arguments say what goes out, or nothing."""
        message = wire.read(wire.decode(line), judged=False)
        kept = [(name, value) for name, value in self.headers if not mirrored_headers.repeats(name)]
        return kept + mirrored_headers.headers_for(message, self.lane.tool_list.pins.accepted or {})

    def bind(self, answer: UpstreamAnswer) -> None:
        """The answer that begins a session names it."""
        if self.begins_session and 200 <= answer.status < 300:
            session = value_of(answer.headers, "mcp-session-id")
            conversations = self._parts.conversations
            if session:
                conversations.bind(self.route.server, session, self.conversation)
            else:
                conversations.bind_plain(self.route.server, self.conversation)

    async def _pass_back(self, answer: UpstreamAnswer) -> None:
        if answer.status >= 400:
            session = value_of(self.headers, "mcp-session-id") if answer.status == SESSION_ENDED else None
            if session is not None and self.conversation.lasting:
                self._parts.conversations.end_session(self.route.server, session)
            if answer.status in (401, 403) and await self._parts.login_denial(self, answer):
                return
        if answer.content_type == EVENTS and 200 <= answer.status < 300:
            await self._pass_stream(answer)
        elif answer.content_type == JSON:
            await self._pass_json(answer)
        else:
            await self._pass_other(answer)

    async def _pass_stream(self, answer: UpstreamAnswer) -> None:
        splitter = SseSplitter()
        if self.gathers and answer.all_here and not self.reply.begun:
            whole = await answer.read()
            # Nothing in it can make us wait for anybody: the usual answer, which goes out in one piece.
            if b'"method"' not in whole and b"\\u" not in whole and await self._pass_at_once(answer, splitter, whole):
                return
        else:
            whole = b""
        if not self.reply.begun and not self.left:
            await self._begin(answer.status, headers_down(answer.headers))
        gathered, self._gathered = self._gathered, None
        if gathered is not None:
            await self.write(b"".join(gathered))
        for event in splitter.feed(whole) if whole and gathered is None else ():
            await self.pass_event(event)
        async for part in answer.chunks():
            for event in splitter.feed(part):
                await self.pass_event(event)
        if self.ident in self.lane.client.requests and not (self.resumable and self.conversation.lasting):
            for line in self.close_request("the server ended its answer without a result"):
                await self.write(message_event(line))
        await self.settle()
        await self.finish()

    async def _pass_at_once(self, answer: UpstreamAnswer, splitter: SseSplitter, whole: bytes) -> bool:
        """False: its request is still open, so more is to be said than what was gathered."""
        gathered: list[bytes] = []
        self._gathered = gathered
        for event in splitter.feed(whole):
            await self.pass_event(event)
        if self.ident is None or self.ident in self.lane.client.requests or self._tasks:
            return False
        self._gathered = None
        await self.send_whole(answer.status, headers_down(answer.headers), b"".join(gathered))
        return True

    async def _pass_json(self, answer: UpstreamAnswer) -> None:
        body = await answer.read()
        came = time.perf_counter()
        judged = self.judge(body) if body.strip() else None
        lines = [bytes(sent.line) for sent in judged.to_client] if judged is not None else []
        if judged is not None and judged.to_server:
            await self.answer_upstream(judged.to_server)
        if self.ident is None and not lines:
            if answer.status >= 400 and not _is_message(body):
                lines = [self.words(body)]  # what a server says of a notification that it does not take
            await self.send_whole(answer.status, headers_down(answer.headers), b"".join(lines))
            return
        lines += self.close_request("the server's answer is none to this request") if not lines else []
        if answer.status >= 400 and not _is_message(body) and self.status_tells:
            lines = [self.words(body)]
        await self.send_whole(answer.status, headers_down(answer.headers), b"".join(lines[:1]))
        self._parts.counters.took(self.route.server, self._spent + time.perf_counter() - came)

    async def _pass_other(self, answer: UpstreamAnswer) -> None:
        """No message: a status alone, or an error in words."""
        body = self.words(await answer.read(LARGEST_ERROR)) if answer.status >= 400 else b""
        if 200 <= answer.status < 300 and self.ident is not None and self.expects_answer:
            lines = self.close_request("the server's answer is neither JSON nor a stream of events")
            await self.send_whole(502, AS_JSON, b"".join(lines))
            return
        if self.ident is not None and answer.status >= 400:
            lines = self.close_request(f"the server answered with status {answer.status}")
            if self.reply.begun or not self.status_tells:
                body = b"".join(lines)
        await self.send_whole(answer.status, headers_down(answer.headers), body)

    expects_answer = True

    def close_request(self, why: str) -> list[bytes]:
        """Our answer to a request that gets none from the server."""
        if self.ident is None:
            return []
        judged = self.perform_quietly(self.lane.request_failed(self.ident, why))
        return [bytes(sent.line) for sent in judged.to_client]

    async def deny(self, decision: Decision) -> None:
        """The request was sent, and the server wants something of a person first."""
        effects = self.lane.request_denied(self.ident, decision) if self.ident is not None else []
        await self._answer(self.perform_quietly(effects).to_client)

    async def break_off(self, problem: Exception) -> None:
        """Something went wrong here, in our own part."""
        why = f"mcpgov: internal error: {type(problem).__name__}"
        self._parts.shared.say(f"{why}: {problem}")
        lines = self.close_request(why) or [wire.error(None, wire.INTERNAL_ERROR, why)]
        if self.reply.begun:
            self.reply.abort()
        elif not self.left:
            await self.reply.whole(500, AS_JSON, lines[0])

    async def _failed(self, problem: UpstreamError) -> None:
        """The server gave no answer, or half of one. What was begun is cut, so that the client sees it."""
        self._parts.counters.failed(self.route.server, problem.why)
        if self.reply.begun:
            if not (self.resumable and self.conversation.lasting):
                self.close_request(problem.why)
            if not self.left:
                self.reply.abort()
            return
        lines = self.close_request(problem.why) or [wire.error(None, wire.INTERNAL_ERROR, problem.why)]
        await self.send_whole(502, AS_JSON, lines[0])

    # --- the reply, if there is still somebody to read it

    async def _begin(self, status: int, headers: list[tuple[str, str]]) -> None:
        try:
            await self.reply.begin(status, headers)
        except ConnectionError:
            self.left = True

    async def send_whole(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        if self.left:
            return
        if self.reply.begun:
            if body:
                await self.write(message_event(body))
            await self.finish()
            return
        await self.reply.whole(status, headers, body)

    async def write(self, data: bytes) -> None:
        if self._gathered is None:
            await super().write(data)
        else:
            self._gathered.append(data)

    async def finish(self) -> None:
        if not self.left and self.reply.begun:
            await self.reply.end()


def _is_message(body: bytes) -> bool:
    return b'"jsonrpc"' in body
