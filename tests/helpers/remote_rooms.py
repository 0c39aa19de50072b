"""The remote room in the loop of a test: real sockets on both sides, a temporary home, an aiohttp client."""

import asyncio
import contextlib
import io
import json
import signal
from urllib.parse import urlsplit

import aiohttp
from yarl import URL

from mcpgov.front.install.remote_process import remote_home
from mcpgov.loopback.request_checks import Limits
from mcpgov.loopback.sockets import bind
from mcpgov.places import Places
from mcpgov.remote.main import RemoteProcess
from mcpgov.remote.routes import ServerRoutes
from mcpgov.remote_servers import RemoteServer, keep_server, new_id
from mcpgov.settings import Settings
from tests.helpers.talks import ALLOW_ALL

WAIT = 10.0
BOTH = "application/json, text/event-stream"
MODERN = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
}
DENY_DELETE = '[[rule]]\nname = "no"\naction = "deny"\ntool = "delete_*"\nmessage = "never"\n' + ALLOW_ALL


def run(scenario):
    """One asyncio test, bounded; signal handlers as they were."""
    before = signal.getsignal(signal.SIGIO)
    try:
        return asyncio.run(asyncio.wait_for(scenario, 60))
    finally:
        signal.signal(signal.SIGIO, before)


def home(root, policy=ALLOW_ALL):
    places = Places(root)
    places.config.mkdir(parents=True, exist_ok=True)
    write_policy(root, policy)
    return places


def write_policy(root, text):
    file = Places(root).config / "policy.toml"
    file.write_text(text)
    file.chmod(0o600)


def records(root):
    files = sorted((root / "state" / "journal").glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text("ascii").splitlines()]


class Room:
    def __init__(self, root, service, client):
        self.root, self.service, self.client = root, service, client
        self.places = Places(root)

    def add(self, upstream, path="/mcp", name="docs", **fields):
        url = upstream if isinstance(upstream, str) else upstream.url(path)
        server = RemoteServer(new_id(), name, "cursor", "", url, **fields)
        keep_server(self.places.remote_servers, server)
        return server

    def url(self, server, path=None):
        path = urlsplit(server.url).path if path is None else path
        return URL(f"http://127.0.0.1:{self.service.port}/{server.id}{path}", encoded=True)

    async def post(self, server, message, path=None, **headers):
        """(status, headers, body) of a whole exchange."""
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        named = {"Content-Type": "application/json", "Accept": BOTH, **_named(headers)}
        async with self.client.post(self.url(server, path), data=io.BytesIO(body), headers=named) as response:
            return response.status, response.headers, await response.read()

    async def call(self, server, tool, ident=1, arguments=None, **headers):
        params = {"name": tool, "arguments": arguments or {}}
        status, _, body = await self.post(server, request(ident, "tools/call", params), **headers)
        return status, message_in(body)

    async def modern(self, server, method, params, ident=1, **headers):
        named = {"mcp_protocol_version": MODERN, "mcp_method": method}
        if isinstance(params.get("name", params.get("uri")), str):
            named["mcp_name"] = params.get("name", params.get("uri"))
        sent = request(ident, method, {**params, "_meta": META})
        status, _, body = await self.post(server, sent, **{**named, **headers})
        return status, message_in(body)

    async def initialize(self, server, version="2025-11-25", capabilities=None):
        params = {
            "protocolVersion": version,
            "capabilities": capabilities or {},
            "clientInfo": {"name": "t", "version": "1"},
        }
        _, headers, body = await self.post(server, request(0, "initialize", params))
        return headers.get("Mcp-Session-Id"), message_in(body)

    def actions(self, **wanted):
        for conversation in self.service.parts.conversations.all():
            conversation.flush()
        found = [each for each in records(self.root) if all(each.get(key) == value for key, value in wanted.items())]
        return [each["action"] for each in found]


def _named(headers):
    return {name.replace("_", "-"): value for name, value in headers.items() if value is not None}


def request(ident, method, params=None):
    return {"jsonrpc": "2.0", "id": ident, "method": method, "params": params or {}}


def message_in(body):
    """The message of a JSON body, or the last one of a stream."""
    if not body:
        return None
    if body.lstrip().startswith(b"{"):
        return json.loads(body)
    lines = [line[5:].strip() for line in body.splitlines() if line.startswith(b"data:") and line[5:].strip()]
    return json.loads(lines[-1])


def messages_in(body):
    lines = [line[5:].strip() for line in body.splitlines() if line.startswith(b"data:") and line[5:].strip()]
    return [json.loads(line) for line in lines]


@contextlib.asynccontextmanager
async def room(root, policy=ALLOW_ALL, limits=None, routes=None, where=None, options=None):
    places = home(root, policy)
    there = {**remote_home(places, Settings()), **(where or {})}
    service = RemoteProcess(there, routes or ServerRoutes(places.remote_servers), limits or Limits(), options)
    await service.open(bind(0))
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector, auto_decompress=False) as client:
        try:
            yield Room(root, service, client)
        finally:
            await service.close()


async def until(condition, wait=WAIT):
    """Wait for something that another task brings about."""
    end = asyncio.get_running_loop().time() + wait
    while not condition():
        assert asyncio.get_running_loop().time() < end, "it does not happen"
        await asyncio.sleep(0.005)
