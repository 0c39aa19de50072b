"""Real HTTP servers of the tests, in the loop of the test: what an upstream does is a function of its request."""

import asyncio
import json
from typing import Any

from aiohttp import web

TOOLS = [
    {"name": name, "description": name, "inputSchema": {"type": "object"}} for name in ("read_it", "delete_it", "echo")
]


class Heard:
    """One request as it came."""

    def __init__(self, request: web.BaseRequest, body: bytes) -> None:
        self.method, self.path, self.body = request.method, request.raw_path, body
        self.headers = request.headers
        self.names = [name for name, _ in request.raw_headers]
        self.request = request

    @property
    def message(self) -> Any:
        return json.loads(self.body)


class Upstream:
    """`answer(heard)` gives the response; whatever it raises is a fault of the test. `gone`: clients that hung up."""

    def __init__(self, answer=None, ssl=None) -> None:
        self.answer = answer or mcp()
        self.heard: list[Heard] = []
        self.gone = 0
        self.hung_up = asyncio.Event()
        self._ssl = ssl
        self.port = 0

    async def __aenter__(self):
        self._server = web.Server(self._serve, handler_cancellation=True, access_log=None, max_field_size=1 << 20)
        loop = asyncio.get_running_loop()
        self._listener = await loop.create_server(self._server, "127.0.0.1", self.port, ssl=self._ssl)
        self.port = self._listener.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_):
        self._listener.close()
        await self._server.shutdown(0.1)

    def url(self, path="/mcp"):
        return f"{'https' if self._ssl else 'http'}://127.0.0.1:{self.port}{path}"

    async def _serve(self, request):
        heard = Heard(request, await request.content.read())
        self.heard.append(heard)
        try:
            return await self.answer(heard)
        except asyncio.CancelledError:
            self.gone += 1
            self.hung_up.set()
            raise

    @property
    def messages(self):
        return [each.message for each in self.heard if each.method == "POST" and each.body]

    @property
    def calls(self):
        """The tools that were called, in order."""
        return [each["params"]["name"] for each in self.messages if each.get("method") == "tools/call"]


def result_of(message, **more):
    method = message.get("method")
    if method == "initialize":
        body = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {}, "serverInfo": {}}
        return {**body, **more}
    if method == "tools/list":
        return {"tools": TOOLS, **more}
    return {"content": [{"type": "text", "text": f"did {message['params'].get('name')}"}], **more}


def answer_to(message, **more):
    return json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result_of(message, **more)}).encode()


def as_json(body, status=200, **headers):
    return web.Response(status=status, body=body, content_type="application/json", headers=headers)


async def as_events(heard, *events, headers=None, finish=True):
    """Raw events, each written by itself."""
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream", **(headers or {})})
    await response.prepare(heard.request)
    for event in events:
        await response.write(event)
    if finish:
        await response.write_eof()
    return response


def event(body, ident=""):
    return (f"id: {ident}\n" if ident else "").encode() + b"event: message\ndata: " + body + b"\n\n"


def mcp(*, session="", events=False):
    """A small MCP server: JSON answers, or events; with a session id from initialize on."""

    async def answer(heard):
        if heard.method == "GET":
            return web.Response(status=405)
        if heard.method == "DELETE":
            return web.Response(status=200)
        message = heard.message
        if "id" not in message or "method" not in message:
            return web.Response(status=202)
        headers = {"Mcp-Session-Id": session} if session and message["method"] == "initialize" else {}
        if session and message["method"] != "initialize" and heard.headers.get("Mcp-Session-Id") != session:
            return as_json(b'{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no session"}}', 404)
        if events:
            return await as_events(heard, event(answer_to(message)), headers=headers)
        return as_json(answer_to(message), **headers)

    return answer
