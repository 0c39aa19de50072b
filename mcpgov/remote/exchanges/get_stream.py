"""The stream of a GET: what the server says on its own, a resumed stream, or a whole legacy HTTP+SSE conversation."""

from __future__ import annotations

from mcpgov.core.json.json_spans import outline
from mcpgov.core.session.open_requests import OpenRequest
from mcpgov.remote.exchanges.carrier import EVENTS, Carrier
from mcpgov.remote.messages.sse_events import ENDPOINT, SseEvent, SseSplitter, TooLongEvent
from mcpgov.remote.messages.targets import headers_down
from mcpgov.remote.upstream import UpstreamAnswer, UpstreamError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.remote.sessions.conversation import Judged

LARGEST_ERROR = 64 * 1024


class GetStream(Carrier):
    """`endpoint`: where the client of a legacy conversation posts, upstream. `resumes`: it goes on after some event."""

    endpoint = ""
    resumes = False

    async def run(self) -> None:
        answer = None
        try:
            answer = await self._parts.send("GET", self.route.url, self.route.server, self.headers, None)
            await self._pass_on(answer)
        except UpstreamError as problem:
            self._parts.counters.failed(self.route.server, problem.why)
            await self._broken(problem)
        except TooLongEvent:
            await self._broken(UpstreamError("the server sent an event that is too long"))
        finally:
            if answer is not None:
                answer.close()
            self._end_endpoint()

    async def _pass_on(self, answer: UpstreamAnswer) -> None:
        if answer.status in (401, 403) and await self._parts.login_needed_for_stream(self, answer):
            return
        if answer.content_type != EVENTS or not 200 <= answer.status < 300:
            body = self.words(await answer.read(LARGEST_ERROR)) if answer.status >= 400 else b""
            status = answer.status if answer.status >= 400 else 502
            await self.reply.whole(status, headers_down(answer.headers), body)
            return
        await self.reply.begin(answer.status, headers_down(answer.headers))
        splitter = SseSplitter()
        async for part in answer.chunks():
            for event in splitter.feed(part):
                await self.pass_event(event)
            if self.left:
                return
        await self.settle()
        await self.reply.end()

    def judge(self, data: bytes) -> Judged:
        if self.resumes and self.conversation.adopted:
            self._adopt(data)
        return super().judge(data)

    def _adopt(self, data: bytes) -> None:
        """An answer to a request that was sent before this process began: read as the answer to a call of no name."""
        ident, names = outline(data.decode("utf-8", "replace"))
        requests = self.lane.client.requests
        if ident is None or "result" not in names or "method" in names or ident in requests:
            return
        state = self.lane.state
        method = "tools/list" if b'"tools"' in data else "tools/call"
        call = state.call_of(method, "" if method == "tools/call" else None)
        requests.open(ident, OpenRequest(method, None, state.number(), state.clock(), False, call))
        state.others += 1

    async def other_event(self, event: SseEvent) -> bytes:
        if event.kind != ENDPOINT:
            return event.as_it_is()
        named = (event.data or b"").decode("utf-8", "replace")
        ours, there = self._parts.routes.endpoint(self.route.server, named)
        if not ours:
            raise UpstreamError("the server names an endpoint of another origin", refused=True)
        self._end_endpoint()
        self.endpoint = there
        self._parts.begin_legacy(self, there)
        return event.with_data(ours.encode())

    def answer_url(self) -> str:
        return self.endpoint or self.route.url

    def _end_endpoint(self) -> None:
        if self.endpoint:
            self._parts.end_legacy(self, self.endpoint)
            self.endpoint = ""

    async def _broken(self, problem: UpstreamError) -> None:
        if self.reply.begun:
            self.reply.abort()
        else:
            await self.reply.whole(502, [("Content-Type", "text/plain; charset=utf-8")], problem.why.encode())
