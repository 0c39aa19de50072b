"""Every request of a browser: is it let in, what does it ask for, and the answer.

Laws: anything of this machine is told to a session only (the page's own files are no secret); what changes something is
a POST of JSON with the session's token; a GET changes nothing; every answer has the headers that keep other pages out.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable

from mcpgov.daemon_client import DaemonDeclined, DaemonGone
from mcpgov.errors import McpgovError
from mcpgov.loopback.listener import HttpReply, HttpRequest
from mcpgov.loopback.request_checks import is_json
from mcpgov.web.access.rate_limits import RequestRate
from mcpgov.web.access.request_rules import (
    ENTER,
    JSON,
    NO_STORE,
    SECURITY_HEADERS,
    TOKEN,
    cookie_of,
    form_code,
    json_object,
    json_text,
    path_of,
    query_of,
    set_cookie,
)
from mcpgov.web.access.sessions import LIFETIME, OneTimeCodes, PageSession, PageSessions, is_token, is_typed
from mcpgov.web.changes import PageChanges
from mcpgov.web.commands import CommandFailed
from mcpgov.web.exports import Exports
from mcpgov.web.page_errors import PageError
from mcpgov.web.reads import PageReads
from mcpgov.web.static_files import StaticFile
from mcpgov.web.stream.event_stream import RETRY, EventStream, ServerEvent
from mcpgov.web.stream.feed import LiveFeed

MOST_STREAMS = 8  # of one session
HTML = ("Content-Type", "text/html; charset=utf-8")
EVENTS = ("Content-Type", "text/event-stream; charset=utf-8")
STATIC, API = "static/", "api/"
GONE = ServerEvent("gone", json_text({"why": "session"}))
RUN_OPEN = "mcpgov open"
Pairs = list[tuple[str, str]]


class PageApp:
    """`base`: the path that everything is below. `hello`: what a page is told first, but for its token."""

    def __init__(
        self,
        base: str,
        files: dict[str, StaticFile],
        parts: tuple[PageReads, PageChanges, LiveFeed, Exports],
        sessions: PageSessions,
        hello: Callable[[], dict[str, object]],
        removed: Callable[[list[str]], None],
    ) -> None:
        """`removed`: files whose code no longer holds."""
        self.base, self._files, self.sessions, self._hello, self._removed = base, files, sessions, hello, removed
        reads, changes, self.feed, self._exports = parts
        self._reads, self._changes = reads.table(), changes.table()
        self.codes = OneTimeCodes()
        self._streams: dict[str, set[EventStream]] = {}  # of each session
        self._read_rate, self._change_rate = RequestRate(50, 20), RequestRate(20, 5)
        self._wrong_codes = RequestRate(10, 0.2)
        self.used = time.monotonic()
        self.sessions_changed: Callable[[], None] = lambda: None  # a session began, or ended: keep them

    async def handle(self, request: HttpRequest, reply: HttpReply) -> None:
        self.used = time.monotonic()
        path, method = path_of(request.head.target), request.head.method
        if not path.startswith(self.base):
            return await self._text(reply, 404, "nothing is here")
        name = path[len(self.base) :]
        if name.startswith(API):
            return await self._api(name[len(API) :], request, reply)
        if name == ENTER and method == "POST":
            return await self._enter(request, reply)
        if method != "GET":
            return await self._text(reply, 405, "nothing is changed here")
        if name.startswith(STATIC) and (file := self._files.get(name[len(STATIC) :])) is not None:
            status, headers, body = file.answer(
                request.head.get(b"if-none-match"), request.head.get(b"accept-encoding")
            )
            return await reply.whole(status, [*headers, *SECURITY_HEADERS], body)
        if name:
            return await self._text(reply, 404, "nothing is here")
        if self._session(request) is None:
            return await self._page(reply, "enter.html", 401)
        return await self._page(reply, "index.html", 200)

    # --- who is there

    def _session(self, request: HttpRequest) -> PageSession | None:
        cookie = cookie_of(request.head)
        return self.sessions.find(cookie, time.time()) if cookie else None

    async def _enter(self, request: HttpRequest, reply: HttpReply) -> None:
        """A code becomes a session. The answer continues by itself: after a redirect the cookie would not be sent."""
        code = form_code(request.head.get(b"content-type"), bytes(await request.body()))
        now = time.monotonic()
        # One that can be typed could be guessed: after so many wrong ones none is looked at. A file's is too long.
        if is_typed(code) and self._wrong_codes.wait("", now):
            return await self._page(reply, "refused.html", 429)
        right, files = self.codes.redeem(code, now)
        self._removed(files)
        if not right:
            wait = self._wrong_codes.take("", now)
            return await self._page(reply, "refused.html", 429 if wait else 403)
        cookie = secrets.token_urlsafe(32)
        self.sessions.begin(cookie, time.time())
        self.sessions_changed()
        return await self._page(reply, "entered.html", 200, [set_cookie(cookie, self.base, LIFETIME)])

    def _leave(self, session: PageSession) -> None:
        self.sessions.end(session)
        for stream in self._streams.get(session.key, ()):
            stream.end(GONE)
        self.sessions_changed()

    # --- what is asked

    async def _api(self, name: str, request: HttpRequest, reply: HttpReply) -> None:
        try:
            session = self._session(request)
            if session is None:
                raise PageError("session", "this page's session has ended", RUN_OPEN)
            if request.head.method == "POST":
                data = await self._change(name, session, request)
            elif name == "stream":
                return await self._stream(session, request, reply)
            elif name == "export":
                return await self._exports.send(query_of(request.head.target), reply)
            else:
                data = await self._read(name, session, request)
        except (PageError, McpgovError, ValueError) as problem:
            told = _page_error(problem)
            headers = [JSON, NO_STORE, *SECURITY_HEADERS, *([("Retry-After", "1")] if told.status == 429 else [])]
            return await reply.whole(told.status, headers, told.body)
        return await reply.whole(200, [JSON, NO_STORE, *SECURITY_HEADERS], json_text(data))

    async def _read(self, name: str, session: PageSession, request: HttpRequest) -> dict[str, object]:
        self._limit(self._read_rate, session)
        if name == "hello":
            return {**self._hello(), "token": session.token, "session_ends": session.ends}
        if (read := self._reads.get(name)) is None:
            raise PageError("unknown", "there is no such thing to read")
        return {"data": await read(query_of(request.head.target))}

    async def _change(self, name: str, session: PageSession, request: HttpRequest) -> dict[str, object]:
        head = request.head
        if not is_token(session, (head.get(TOKEN) or b"").decode("ascii")):
            raise PageError("token", "the page's token is missing or wrong", "load the page again")
        if not is_json(head.get(b"content-type")):
            raise PageError("type", "only JSON is taken")
        self._limit(self._change_rate, session)
        body = json_object(bytes(await request.body()))
        if body is None:
            raise PageError("wrong", "the body is no JSON object")
        if name == "leave":
            self._leave(session)
            return {"data": {}}
        if (change := self._changes.get(name)) is None:
            raise PageError("unknown", "there is no such thing to change")
        try:
            return {"data": await change(body)}
        finally:
            self.feed.poke()

    def _limit(self, rate: RequestRate, session: PageSession) -> None:
        if rate.take(session.key, time.monotonic()):
            raise PageError("too-many", "that is asked too often")

    # --- the stream

    async def _stream(self, session: PageSession, request: HttpRequest, reply: HttpReply) -> None:
        mine = self._streams.setdefault(session.key, set())
        if len(mine) >= MOST_STREAMS:
            raise PageError("too-many", "too many pages are open")
        stream = EventStream()
        mine.add(stream)
        last_id = (request.head.get(b"last-event-id") or b"").decode("ascii")
        try:
            await reply.begin(200, [EVENTS, NO_STORE, *SECURITY_HEADERS])
            await reply.write(RETRY)
            await self.feed.join(stream, last_id)
            while not stream.ended:
                await reply.write(await stream.next())
                self._keep_alive(session, stream)
            await reply.write(stream.take())
            await reply.end()
        finally:
            self.feed.leave(stream)
            mine.discard(stream)
            if not mine and self._streams.get(session.key) is mine:
                del self._streams[session.key]

    def _keep_alive(self, session: PageSession, stream: EventStream) -> None:
        """An open page is a page in use, as long as its session holds."""
        now = time.time()
        if not self.sessions.holds(session, now):
            stream.end(GONE)
            return
        session.used, self.used = now, time.monotonic()

    # --- pages

    async def _page(self, reply: HttpReply, name: str, status: int, more: Pairs | None = None) -> None:
        file = self._files.get(name)
        body = file.raw if file is not None else b"mcpgov: this page is not installed\n"
        await reply.whole(status, [HTML, NO_STORE, *SECURITY_HEADERS, *(more or [])], body)

    async def _text(self, reply: HttpReply, status: int, why: str) -> None:
        kind = ("Content-Type", "text/plain; charset=utf-8")
        await reply.whole(status, [kind, NO_STORE, *SECURITY_HEADERS], f"mcpgov: {why}\n".encode())


def _page_error(problem: Exception) -> PageError:
    if isinstance(problem, PageError):
        return problem
    if isinstance(problem, DaemonGone):
        return PageError("daemon", str(problem), problem.hint)
    if isinstance(problem, (DaemonDeclined, CommandFailed)):
        return PageError(problem.code or "declined", str(problem), problem.hint)
    return PageError("wrong", "that cannot be read")
