"""The older HTTP+SSE: a stream that names where to post, 202 for every post, answers on the stream."""

import asyncio
import json

import aiohttp
import pytest

from tests.helpers import upstreams
from tests.helpers.remote_rooms import ALLOW_ALL, DENY_DELETE, request, room, run, until
from tests.helpers.screened import MAIL, REDACT
from tests.helpers.upstreams import Upstream, answer_to, as_events, event


class Legacy:
    """A server of 2024-11-05; `endpoint` is what it names."""

    def __init__(self, endpoint="/messages/?session_id=a%2Fb", status=202):
        self.endpoint, self.status = endpoint, status
        self.streams = []

    async def __call__(self, heard):
        if heard.method == "GET":
            named = f"event: endpoint\r\ndata: {self.endpoint}\r\n\r\n".encode()
            response = await as_events(heard, named, finish=False)
            self.streams.append(response)
            await asyncio.sleep(60)
            return response
        message = heard.message
        if self.status == 202 and "id" in message and "method" in message:
            await self.streams[-1].write(event(answer_to(message)))
        return upstreams.web.Response(status=self.status, text="Accepted")


class Client:
    """What an SDK does: the endpoint must be of the stream's origin."""

    def __init__(self, there, response):
        self.there, self.response, self._held = there, response, b""

    @classmethod
    async def open(cls, there, server):
        return cls(there, await there.client.get(there.url(server), headers={"Accept": "text/event-stream"}))

    async def next(self):
        while b"\n\n" not in self._held:
            self._held += (await asyncio.wait_for(self.response.content.readany(), 10)).replace(b"\r\n", b"\n")
        raw, _, self._held = self._held.partition(b"\n\n")
        return dict(line.split(b": ", 1) for line in raw.split(b"\n"))

    async def post(self, endpoint, message):
        url = f"http://127.0.0.1:{self.there.service.port}{endpoint.decode()}"
        async with self.there.client.post(url, json=message) as response:
            return response.status


def test_the_endpoint_is_ours_and_answers_come_on_the_stream(tmp_path):
    async def scenario():
        async with Upstream(Legacy()) as upstream, room(tmp_path, DENY_DELETE) as there:
            server = there.add(upstream, "/sse", transport="sse")
            client = await Client.open(there, server)
            first = await client.next()
            assert first == {b"event": b"endpoint", b"data": f"/{server.id}/messages/?session_id=a%2Fb".encode()}
            assert await client.post(first[b"data"], request(1, "tools/call", {"name": "echo", "arguments": {}})) == 202
            assert b"did echo" in (await client.next())[b"data"]
            assert upstream.heard[-1].path == "/messages/?session_id=a%2Fb"
            # A denial is 202 and an event as well, and nothing goes upstream.
            denied = request(2, "tools/call", {"name": "delete_it", "arguments": {}})
            assert await client.post(first[b"data"], denied) == 202
            said = json.loads((await client.next())[b"data"])
            assert (said["id"], said["result"]["isError"], upstream.calls) == (2, True, ["echo"])
            assert await client.post(first[b"data"], {"jsonrpc": "2.0", "method": "notifications/initialized"}) == 202
            assert there.actions(method="tools/call") == ["allow", "answered", "deny"]
            client.response.close()
            await until(lambda: not there.service.parts.legacy)
            assert await client.post(first[b"data"], denied) == 404
            assert len(there.service.parts.conversations) == 0

    run(scenario())


def test_a_post_that_the_server_refuses_keeps_its_status_and_answers_the_request(tmp_path):
    async def scenario():
        async with Upstream(Legacy(status=404)) as upstream, room(tmp_path) as there:
            client = await Client.open(there, there.add(upstream, "/sse"))
            endpoint = (await client.next())[b"data"]
            assert await client.post(endpoint, request(1, "tools/call", {"name": "echo", "arguments": {}})) == 404
            said = json.loads((await client.next())[b"data"])
            assert (said["id"], said["error"]["code"]) == (1, -32603)
            client.response.close()

    run(scenario())


def test_what_a_server_says_to_a_post_and_beside_its_events_is_read_for_private_data(tmp_path):
    class Telling(Legacy):
        async def __call__(self, heard):
            if heard.method == "GET":
                return await super().__call__(heard)
            await self.streams[-1].write(
                f": {MAIL}\n\nevent: ping\ndata: {MAIL}\n\nevent: ping\ndata: now\n\n".encode()
            )
            return upstreams.web.Response(status=404, text=f"no such user: {MAIL}")

    async def scenario():
        async with Upstream(Telling()) as upstream, room(tmp_path, ALLOW_ALL + REDACT) as there:
            client = await Client.open(there, there.add(upstream, "/sse"))
            endpoint = (await client.next())[b"data"].decode()
            url = f"http://127.0.0.1:{there.service.port}{endpoint}"
            async with there.client.post(
                url, json={"jsonrpc": "2.0", "method": "notifications/initialized"}
            ) as response:
                assert await response.text() == "no such user: [email-1]"
            assert await client.next() == {b"event": b"ping", b"data": b"now"}
            client.response.close()

    run(scenario())


def test_an_endpoint_of_another_origin_ends_the_stream(tmp_path):
    async def scenario():
        async with Upstream(Legacy("http://evil.example/m")) as upstream, room(tmp_path) as there:
            client = await Client.open(there, there.add(upstream, "/sse"))
            with pytest.raises(aiohttp.ClientPayloadError):
                await asyncio.wait_for(client.response.read(), 10)

    run(scenario())


def test_a_server_that_has_gone_is_502_with_an_error_on_the_stream(tmp_path):
    async def scenario():
        async with Upstream(Legacy("/m")) as upstream, room(tmp_path) as there:
            client = await Client.open(there, there.add(upstream, "/sse"))
            endpoint = (await client.next())[b"data"]
            upstream._listener.close()
            await there.service.upstream.close()
            there.service.upstream._session = None
            assert await client.post(endpoint, request(1, "tools/call", {"name": "echo", "arguments": {}})) == 502

    run(scenario())
