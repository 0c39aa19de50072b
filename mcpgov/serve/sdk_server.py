"""The official SDK's server with our four tools: both eras, both transports. The only `mcp` of this room.

Laws: a wrong argument, or a daemon that cannot be reached, is a result with `isError`, which a model can read; too many
calls and an unknown tool are errors of the protocol. Every message leaves through `plain_answers`.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, MutableMapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from mcp import MCPError, types
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from mcpgov import __version__
from mcpgov.serve.answers import GONE, CallingParty, ToolAnswers, ToolFailed
from mcpgov.serve.arguments import WrongArguments, checked
from mcpgov.serve.messages.last_answers import ReadToTheEnd, UnansweredRequests, WrittenAnswers
from mcpgov.serve.messages.plain_answers import is_plain_id, plain_events, plain_message, plain_words
from mcpgov.serve.tools import BY_NAME, CHECK, INSTRUCTIONS, PERMIT, POLICY, REPORT, TOOLS

RATE_LIMITED = -32000
WHY = "mcpgov/why"  # of a permission: in `_meta`, beside the fields that clients know
MOST_SESSIONS, IDLE = 2048, 900.0
NEW_LINE = "\n"
CONTENT_TYPE, CONTENT_LENGTH = b"content-type", b"content-length"
JSON, EVENTS = "application/json", "text/event-stream"
LONGEST_METHOD = 100  # characters
Context = ServerRequestContext[Any, Any]


class LinesIn(Protocol):
    def __aiter__(self) -> AsyncIterator[str]: ...


class LinesOut(Protocol):
    async def write(self, text: str) -> object: ...
    async def flush(self) -> None: ...


class LimitsLike(Protocol):
    async def retry_after(self, caller: str, tool: str) -> float: ...


class GovernorServer:
    """`caller`: who calls, from what the transport knows of a request (None on stdio)."""

    def __init__(
        self,
        answers: ToolAnswers,
        limits: LimitsLike,
        caller: Callable[[Mapping[str, Any] | None], Awaitable[CallingParty]],
    ) -> None:
        self._answers, self._limits, self._caller = answers, limits, caller
        logging.getLogger("mcp").setLevel(logging.CRITICAL)  # it would write what requests hold
        self._tools = [types.Tool.model_validate(tool, by_alias=True) for tool in TOOLS]
        self.server: Server[Any] = Server(
            "mcpgov", version=__version__, title="mcpgov", instructions=INSTRUCTIONS,
            on_list_tools=self._list, on_call_tool=self._call,
        )  # fmt: skip
        # Nothing is traced: a trace would hold what requests hold.
        self.server.middleware[:] = [_plain_method]

    async def _list(self, _context: Context, _params: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=self._tools)

    async def _call(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = BY_NAME.get(params.name)
        if tool is None:
            raise MCPError(code=types.INVALID_PARAMS, message="Unknown tool")
        scope = context.request.scope if context.request is not None else None
        caller = await self._caller(scope)
        wait = await self._limits.retry_after(caller.name, params.name)
        if wait:
            data = {"kind": "rate_limit", "retry_after": round(wait, 3)}
            raise MCPError(code=RATE_LIMITED, message="Rate limit exceeded", data=data)
        try:
            answer = self._answer(tool, checked(tool, params.arguments), caller)
            if scope is None or params.name != PERMIT:
                return await answer
            return await _unless_gone(answer, scope[GONE]())
        except WrongArguments as problem:
            return _failed(f"Invalid arguments: {problem}")
        except ToolFailed as problem:
            return _failed(str(problem))

    async def _answer(
        self, tool: Mapping[str, Any], given: dict[str, Any], caller: CallingParty
    ) -> types.CallToolResult:
        if tool["name"] == PERMIT:
            value, why = await self._answers.request_permission(given, caller)
            return _answered(value, {WHY: why})
        tools = {
            CHECK: self._answers.check_intent,
            REPORT: self._answers.report_action,
            POLICY: self._answers.get_policy,
        }
        return _answered(await tools[tool["name"]](given, caller))

    async def serve_stdio(self, lines: LinesIn, out: LinesOut) -> None:
        """Until the lines end."""
        requests, plain = UnansweredRequests(), PlainLines(out)
        async with stdio_server(lines, plain) as (read, write):  # type: ignore[arg-type]  # all it asks of a file
            options = self.server.create_initialization_options()
            await self.server.run(ReadToTheEnd(read, requests), WrittenAnswers(write, requests), options)

    def http_sessions(self, largest: int) -> HttpSessions:
        return HttpSessions(self.server, largest)


class HttpSessions:
    """The SDK's Streamable HTTP as an ASGI application; `http_gate` checks what comes before it does."""

    def __init__(self, server: Server[Any], largest: int) -> None:
        self._manager = StreamableHTTPSessionManager(
            server, json_response=True, max_request_body_size=largest, max_sessions=MOST_SESSIONS,
            session_idle_timeout=IDLE,
        )  # fmt: skip

    def running(self) -> AbstractAsyncContextManager[None]:
        return self._manager.run()

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        # A session can only be used with the token that began it.
        holder = scope["mcpgov.caller"].name
        scope["user"] = AuthenticatedUser(AccessToken(token="", client_id=holder, scopes=[]))
        await self._manager.handle_request(scope, receive, PlainResponse(send))


class PlainLines:
    """Standard output, for messages that are plain."""

    def __init__(self, out: LinesOut) -> None:
        self._out = out

    async def write(self, text: str) -> None:
        await self._out.write(f"{plain_message(text.rstrip(NEW_LINE))}{NEW_LINE}")

    async def flush(self) -> None:
        await self._out.flush()


class PlainResponse:
    """The ASGI `send` of one request: a body that is no stream of events is made plain as a whole."""

    def __init__(self, send: Callable[[MutableMapping[str, Any]], Awaitable[None]]) -> None:
        self._send = send
        self._begin: MutableMapping[str, Any] | None = None
        self._kind, self._body = "", b""

    async def __call__(self, message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self._kind = next(
                (value for name, value in message["headers"] if name.lower() == CONTENT_TYPE), b""
            ).decode()
            if not self._kind.startswith(EVENTS):
                self._begin = message
                return
        elif message["type"] == "http.response.body":
            if self._begin is not None:
                self._body += message.get("body", b"")
                if not message.get("more_body"):
                    await self._whole(self._begin)
                return
            message = {**message, "body": plain_events(message.get("body", b"").decode("utf-8", "replace")).encode()}
        await self._send(message)

    async def _whole(self, begin: MutableMapping[str, Any]) -> None:
        text = self._body.decode("utf-8", "replace")
        body = (plain_message(text) if self._kind.startswith(JSON) else plain_words(text)).encode()
        headers = [(name, value) for name, value in begin["headers"] if name.lower() != CONTENT_LENGTH]
        if len(headers) < len(begin["headers"]):
            headers.append((CONTENT_LENGTH, str(len(body)).encode("ascii")))
        self._begin = None
        await self._send({**begin, "headers": headers})
        await self._send({"type": "http.response.body", "body": body})


async def _plain_method(ctx: Context, call_next: CallNext) -> HandlerResult:
    """The SDK's own errors repeat the method: one that cannot be printed, or is long, is refused without it.

    An answer repeats the id: nothing is done for one that could not be told.
    """
    if not is_plain_id(ctx.request_id):
        raise MCPError(code=types.INVALID_REQUEST, message="Invalid request id")
    if not ctx.method.isprintable() or len(ctx.method) > LONGEST_METHOD:
        raise MCPError(code=types.METHOD_NOT_FOUND, message="Method not found")
    return await call_next(ctx)


async def _unless_gone(
    answer: Coroutine[Any, Any, types.CallToolResult], gone: Coroutine[Any, Any, None]
) -> types.CallToolResult:
    """On stdio a caller that has gone ends this process; over HTTP its question is taken back here."""
    answering, going = asyncio.create_task(answer), asyncio.create_task(gone)
    try:
        await asyncio.wait((answering, going), return_when=asyncio.FIRST_COMPLETED)
        if not answering.done():
            raise ToolFailed("whoever asked has gone")
        return answering.result()
    finally:
        answering.cancel()
        going.cancel()


def _answered(value: dict[str, object], meta: dict[str, Any] | None = None) -> types.CallToolResult:
    text = types.TextContent(type="text", text=json.dumps(value, separators=(",", ":")))
    return types.CallToolResult(content=[text], structured_content=value, _meta=meta)


def _failed(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True)
