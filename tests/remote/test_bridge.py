"""A remote server on standard input and output."""

import asyncio
import json
import sys
from pathlib import Path

from tests.helpers import upstreams
from tests.helpers.remote_rooms import DENY_DELETE, META, home, records, request, run
from tests.helpers.upstreams import Upstream, answer_to, as_events, event, mcp
from tests.remote.exchanges.test_legacy_sse import Legacy

web = upstreams.web
INITIALIZE = request(0, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}})
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


class App:
    """What an app is that only speaks stdio."""

    def __init__(self, root, upstream, *words, path="/mcp"):
        mcpgov = str(Path(sys.executable).with_name("mcpgov"))
        self.command = [mcpgov, "--root", str(root), "proxy", "--server", "docs", "--url", upstream.url(path), *words]

    async def __aenter__(self):
        pipe = asyncio.subprocess.PIPE
        self.child = await asyncio.create_subprocess_exec(*self.command, stdin=pipe, stdout=pipe, limit=1 << 24)
        return self

    async def __aexit__(self, *_):
        if self.child.returncode is None:
            self.child.terminate()
        await self.child.communicate()

    def send(self, message):
        raw = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.child.stdin.write(raw + b"\n")

    async def next(self):
        return json.loads(await asyncio.wait_for(self.child.stdout.readline(), 30))

    async def ask(self, message):
        self.send(message)
        return await self.next()

    async def begin(self):
        answer = await self.ask(INITIALIZE)
        self.send(INITIALIZED)
        return answer

    async def end(self):
        self.child.stdin.close()
        return await asyncio.wait_for(self.child.wait(), 30)


def call(ident, tool, **more):
    return request(ident, "tools/call", {"name": tool, "arguments": {}, **more})


def test_lines_become_posts_of_one_session_and_denials_lines(tmp_path):
    home(tmp_path, DENY_DELETE)

    async def scenario():
        async with Upstream(mcp(session="s", events=True)) as upstream, App(tmp_path, upstream) as app:
            assert (await app.begin())["result"]["protocolVersion"] == "2025-11-25"
            assert (await app.ask(call(1, "echo")))["result"]["content"][0]["text"] == "did echo"
            assert (await app.ask(call(2, "delete_it")))["result"]["isError"]
            assert (await app.ask(b"{"))["error"]["code"] == -32700
            assert (await app.ask(call(3, "echo")))["id"] == 3
            assert await app.end() == 0
            sent = [(heard.method, heard.headers.get("Mcp-Session-Id")) for heard in upstream.heard]
            assert sent[0] == ("POST", None)
            assert ("GET", "s") in sent
            assert sent[-1] == ("DELETE", "s")
            assert upstream.heard[1].headers["MCP-Protocol-Version"] == "2025-11-25"
            assert upstream.calls == ["echo", "echo"]
        kept = [each["action"] for each in records(tmp_path) if each["method"] == "tools/call"]
        assert kept == ["allow", "answered", "deny", "allow", "answered"]

    run(scenario())


def test_the_stateless_revision_gets_its_headers_and_a_cancellation_hangs_up(tmp_path):
    home(tmp_path)

    async def scenario():
        async def answer(heard):
            if heard.message["params"].get("name") == "slow":
                await asyncio.sleep(60)
            return await mcp()(heard)

        async with Upstream(answer) as upstream, App(tmp_path, upstream) as app:
            assert (await app.ask(call(1, "hö", _meta=META)))["id"] == 1
            heard = upstream.heard[0].headers
            assert (heard["Mcp-Method"], heard["MCP-Protocol-Version"]) == ("tools/call", "2026-07-28")
            assert heard["Mcp-Name"] == "=?base64?aMO2?="
            app.send(call(2, "slow", _meta=META))
            while len(upstream.heard) < 2:
                await asyncio.sleep(0.01)
            note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2, "_meta": META}}
            app.send(note)
            await asyncio.wait_for(upstream.hung_up.wait(), 10)
            assert (await app.ask(call(3, "echo", _meta=META)))["id"] == 3

    run(scenario())


def test_a_status_of_the_server_becomes_an_error_for_the_request(tmp_path):
    home(tmp_path)

    async def scenario():
        async def answer(heard):
            return web.Response(status=500, text="broken")

        async with Upstream(answer) as upstream, App(tmp_path, upstream) as app:
            answered = await app.ask(call(1, "echo"))
            assert (answered["id"], "500" in answered["error"]["message"]) == (1, True)
            upstream._listener.close()
            await upstream._server.shutdown(0.1)
            assert (await app.ask(call(2, "echo")))["error"]["code"] == -32603

    run(scenario())


def test_a_stream_that_ends_too_early_is_resumed_and_messages_of_the_server_come_as_lines(tmp_path):
    home(tmp_path)

    async def scenario():
        async def answer(heard):
            if heard.method == "GET" and heard.headers.get("Last-Event-ID") == "e1":
                return await as_events(heard, event(answer_to(call(1, "echo")), "e2"))
            if heard.method == "GET":
                pretty = json.dumps({"jsonrpc": "2.0", "method": "notifications/message"}, indent=1)
                lines = "".join(f"data: {line}\n" for line in pretty.split("\n"))
                response = await as_events(heard, lines.encode() + b"\n", finish=False)
                await asyncio.sleep(60)
                return response
            if heard.message.get("method") == "tools/call":
                return await as_events(heard, b"id: e1\nretry: 10\ndata: \n\n")
            return await mcp(session="s")(heard)

        async with Upstream(answer) as upstream, App(tmp_path, upstream) as app:
            await app.begin()
            assert (await app.next())["method"] == "notifications/message"
            assert (await app.ask(call(1, "echo")))["id"] == 1
            assert await app.end() == 0

    run(scenario())


def test_a_server_of_the_older_transport(tmp_path):
    home(tmp_path, DENY_DELETE)

    async def scenario():
        async with Upstream(Legacy()) as upstream, App(tmp_path, upstream, "--sse", path="/sse") as app:
            await app.begin()
            assert (await app.ask(call(1, "echo")))["result"]["content"][0]["text"] == "did echo"
            assert (await app.ask(call(2, "delete_it")))["result"]["isError"]
            assert await app.end() == 0
            assert upstream.calls == ["echo"]

    run(scenario())
