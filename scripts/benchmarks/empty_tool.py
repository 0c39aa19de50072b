"""The least an SDK server can be: one tool that answers at once, on stdio or (with `http`) at a printed port."""

import asyncio
import socket
import sys

import uvicorn
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server


async def list_tools(_context, _params):
    return types.ListToolsResult(tools=[types.Tool(name="empty", input_schema={"type": "object"})])


async def call_tool(_context, _params):
    value = {"allowed": True}
    content = [types.TextContent(type="text", text='{"allowed":true}')]
    return types.CallToolResult(content=content, structured_content=value)


server = Server("empty", on_list_tools=list_tools, on_call_tool=call_tool)


async def on_stdio():
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def on_http():
    app = server.streamable_http_app(json_response=True)
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # or asyncio leaves TCP_NODELAY off
    sock.bind(("127.0.0.1", 0))
    sock.listen()
    print(sock.getsockname()[1], flush=True)
    config = uvicorn.Config(app, log_config=None, access_log=False, http="h11", loop="asyncio")
    uvicorn.Server(config).run(sockets=[sock])


if sys.argv[1:] == ["http"]:
    on_http()
else:
    asyncio.run(on_stdio())
