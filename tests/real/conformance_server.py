"""A server on the real SDK with everything the official conformance suite asks for, in every revision.

usage: conformance_server.py http | sse | SOCKET

`http` and `sse` take a free port of 127.0.0.1; a path is that of a Unix socket on which every connection is a
conversation as on stdio (`stdio_to_socket.py`). The first line of standard output says where it listens; it ends with
its standard input. Runs in the SDK's own venv, as a child process.
"""

import contextlib
import json
import logging
import os
import socket
import sys
import threading
import warnings
from collections.abc import AsyncIterator
from typing import Any

import anyio
import anyio.abc
import conformance_inputs
import mcp_types as types
import uvicorn
from anyio.streams.buffered import BufferedByteReceiveStream
from conformance_tools import PNG, TOOLS, Asked, Result, bus, embedded, image, text
from mcp import MCPError
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.sse import SseServerTransport
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http import EventCallback, EventMessage, EventStore
from mcp.server.subscriptions import ListenHandler
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)
RETRY_MS = 100
LONGEST = 1 << 24
TEMPLATE = "test://template/{id}/data"
WATCHED = "test://watched-resource"


async def list_tools(_asked: Asked, _params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    shown = [
        {"name": name, "description": f"{name} for the suite", "inputSchema": tool.schema}
        for name, tool in TOOLS.items()
    ]
    return types.ListToolsResult.model_validate({"tools": shown})


async def call_tool(asked: Asked, params: types.CallToolRequestParams) -> Result:
    found = TOOLS.get(params.name)
    if found is None:
        raise MCPError(code=types.INVALID_PARAMS, message=f"Unknown tool: {params.name}")
    return await found.run(asked, params)


RESOURCES: dict[str, dict[str, str]] = {
    "test://static-text": {"mimeType": "text/plain", "text": "This is the content of the static text resource."},
    "test://static-binary": {"mimeType": "image/png", "blob": PNG},
    WATCHED: {"mimeType": "text/plain", "text": "watched"},
}


async def list_resources(_asked: Asked, _params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
    shown = [{"uri": uri, "name": uri, "mimeType": body["mimeType"]} for uri, body in RESOURCES.items()]
    return types.ListResourcesResult.model_validate({"resources": shown})


async def list_templates(
    _asked: Asked, _params: types.PaginatedRequestParams | None
) -> types.ListResourceTemplatesResult:
    return types.ListResourceTemplatesResult.model_validate(
        {"resourceTemplates": [{"uriTemplate": TEMPLATE, "name": "data of an id", "mimeType": "application/json"}]}
    )


async def read_resource(_asked: Asked, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    uri = str(params.uri)
    before, _, after = TEMPLATE.partition("{id}")
    body = RESOURCES.get(uri)
    if body is None and uri.startswith(before) and uri.endswith(after):
        ident = uri[len(before) : -len(after)]
        words = json.dumps({"id": ident, "templateTest": True, "data": f"Data for ID: {ident}"})
        body = {"mimeType": "application/json", "text": words}
    if body is None:
        raise MCPError(code=types.INVALID_PARAMS, message="Resource not found", data={"uri": uri})
    return types.ReadResourceResult.model_validate({"contents": [{"uri": uri, **body}]})


async def accept(_asked: Asked, _params: Any) -> types.EmptyResult:
    return types.EmptyResult()


PROMPTS = {
    "test_simple_prompt": [],
    "test_prompt_with_arguments": ["arg1", "arg2"],
    "test_prompt_with_embedded_resource": ["resourceUri"],
    "test_prompt_with_image": [],
    "test_input_required_result_prompt": [],
}


async def list_prompts(_asked: Asked, _params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
    shown = [
        {"name": name, "description": name, "arguments": [{"name": each, "required": True} for each in arguments]}
        for name, arguments in PROMPTS.items()
    ]
    return types.ListPromptsResult.model_validate({"prompts": shown})


async def get_prompt(
    _asked: Asked, params: types.GetPromptRequestParams
) -> types.GetPromptResult | types.InputRequiredResult:
    given = params.arguments or {}
    if params.name == "test_input_required_result_prompt":
        return await conformance_inputs.prompt(params)
    uri = given.get("resourceUri", "test://none")
    parts = {
        "test_simple_prompt": [text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments": [text(f"arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'")],
        "test_prompt_with_embedded_resource": [embedded(uri, "Embedded resource content for testing.")],
        "test_prompt_with_image": [image(), text("Please analyze the image above.")],
    }.get(params.name)
    if parts is None:
        raise MCPError(code=types.INVALID_PARAMS, message=f"Unknown prompt: {params.name}")
    messages = [{"role": "user", "content": part} for part in parts]
    return types.GetPromptResult.model_validate({"messages": messages})


async def complete(_asked: Asked, params: types.CompleteRequestParams) -> types.CompleteResult:
    values = [word for word in ("paris", "park", "party") if word.startswith(params.argument.value)]
    return types.CompleteResult.model_validate({"completion": {"values": values, "hasMore": False}})


class Events(EventStore):
    """Every event of every stream, for as long as the server runs."""

    def __init__(self) -> None:
        self._kept: list[tuple[str, types.JSONRPCMessage | None]] = []

    async def store_event(self, stream_id: str, message: types.JSONRPCMessage | None) -> str:
        self._kept.append((stream_id, message))
        return str(len(self._kept))

    async def replay_events_after(self, last_event_id: str, send_callback: EventCallback) -> str | None:
        if not last_event_id.isdigit() or not 0 < int(last_event_id) <= len(self._kept):
            return None
        stream = self._kept[int(last_event_id) - 1][0]
        for number, (each, message) in enumerate(self._kept[int(last_event_id) :], int(last_event_id) + 1):
            if each == stream and message is not None:
                await send_callback(EventMessage(message, str(number)))
        return stream


def made() -> Server[Any]:
    server: Server[Any] = Server(
        "conformance", version="1", get_tool_input_schema=lambda name: TOOLS[name].schema if name in TOOLS else None,
        on_list_tools=list_tools, on_call_tool=call_tool, on_list_resources=list_resources,
        on_list_resource_templates=list_templates, on_read_resource=read_resource, on_subscribe_resource=accept,
        on_unsubscribe_resource=accept, on_subscriptions_listen=ListenHandler(bus), on_list_prompts=list_prompts,
        on_get_prompt=get_prompt, on_completion=complete, on_set_logging_level=accept,
    )  # fmt: skip
    server.middleware.append(RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience="conformance"))
    return server


def legacy_app(server: Server[Any]) -> Starlette:
    """HTTP+SSE of 2024-11-05: a stream to listen on, another address to post to."""
    transport = SseServerTransport("/messages/")

    async def stream(request: Request) -> Response:
        async with transport.connect_sse(request.scope, request.receive, request._send) as (read, write):
            await server.run(read, write, server.create_initialization_options())
        return Response()

    return Starlette(routes=[Route("/sse", stream), Mount("/messages/", transport.handle_post_message)])


def serve(server: Server[Any], kind: str) -> None:
    listening = socket.create_server(("127.0.0.1", 0))
    base = f"http://127.0.0.1:{listening.getsockname()[1]}"
    if kind == "sse":
        app, path = legacy_app(server), "/sse"
    else:
        app, path = server.streamable_http_app(event_store=Events(), retry_interval=RETRY_MS), "/mcp"
    print(base + path, flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="on")).run(sockets=[listening])


class Lines:
    """A connection as the text files that the SDK's stdio transport takes."""

    def __init__(self, stream: anyio.abc.SocketStream) -> None:
        self._stream = stream
        self._buffered = BufferedByteReceiveStream(stream)

    async def __aiter__(self) -> AsyncIterator[str]:
        try:
            while True:
                yield (await self._buffered.receive_until(b"\n", LONGEST)).decode()
        except (anyio.EndOfStream, anyio.IncompleteRead, anyio.BrokenResourceError):
            return

    async def write(self, words: str) -> None:
        with contextlib.suppress(anyio.BrokenResourceError):
            await self._stream.send(words.encode())

    async def flush(self) -> None:
        return


async def on_socket(server: Server[Any], path: str) -> None:
    async def converse(stream: anyio.abc.SocketStream) -> None:
        lines = Lines(stream)
        async with stream, stdio_server(lines, lines) as (read, write):  # type: ignore[arg-type]
            await server.run(read, write, server.create_initialization_options(NotificationOptions(True, True, True)))

    listener = await anyio.create_unix_listener(path)
    print(path, flush=True)
    await listener.serve(converse)


if __name__ == "__main__":
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    if sys.argv[1] in ("http", "sse"):
        serve(made(), sys.argv[1])
    else:
        anyio.run(on_socket, made(), sys.argv[1])
