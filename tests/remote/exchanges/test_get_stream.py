"""Streams of a GET: passed on, resumed also after a restart of ours, ended by either side."""

import asyncio
import json

import aiohttp
import pytest

from tests.helpers import upstreams
from tests.helpers.remote_rooms import ALLOW_ALL, DENY_DELETE, request, room, run, until
from tests.helpers.screened import MAIL, REDACT
from tests.helpers.upstreams import Upstream, answer_to, as_events, event

NEWS = b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'


def get(there, server, **headers):
    named = {"Accept": "text/event-stream", **{key.replace("_", "-"): value for key, value in headers.items()}}
    return there.client.get(there.url(server), headers=named)


def with_stream(stream, session="s"):
    async def answer(heard):
        return await (stream(heard) if heard.method == "GET" else upstreams.mcp(session=session)(heard))

    return answer


def test_what_the_server_says_on_its_own_passes_byte_for_byte(tmp_path):
    raw = b": open\n\nid: 1\ndata: \n\n" + event(NEWS, "2")

    async def scenario():
        async def stream(heard):
            return await as_events(heard, raw)

        async with Upstream(with_stream(stream)) as upstream, room(tmp_path) as there:
            server = there.add(upstream)
            await there.initialize(server)
            async with get(there, server, mcp_session_id="s", last_event_id="0") as response:
                assert (response.status, await response.read()) == (200, raw)
            heard = upstream.heard[-1]
            assert (heard.headers["Last-Event-ID"], heard.headers["Mcp-Session-Id"]) == ("0", "s")

    run(scenario())


def test_the_head_of_a_silent_stream_comes_at_once_and_its_client_is_heard_leaving(tmp_path):
    async def scenario():
        async def stream(heard):
            response = await as_events(heard, finish=False)
            await asyncio.sleep(60)
            return response

        async with Upstream(with_stream(stream)) as upstream, room(tmp_path) as there:
            server = there.add(upstream)
            await there.initialize(server)  # the policy is compiled
            response = await asyncio.wait_for(get(there, server, mcp_session_id="s"), 15)
            [row] = there.service.parts.report(0)["remote"]
            assert (response.status, row["streams"]) == (200, 1)
            response.close()
            await asyncio.wait_for(upstream.hung_up.wait(), 15)
            await until(lambda: there.service.parts.report(0)["streams"] == 0)

    run(scenario())


def test_a_server_without_such_a_stream_says_so(tmp_path):
    async def scenario():
        async with Upstream() as upstream, room(tmp_path) as there:
            async with get(there, there.add(upstream)) as response:
                assert response.status == 405
            assert len(there.service.parts.conversations) == 0

    run(scenario())


def test_an_error_in_words_is_read_for_private_data(tmp_path):
    async def scenario():
        async def answer(heard):
            await asyncio.sleep(0)
            return upstreams.web.Response(status=500, text=f"no such user: {MAIL}")

        policy = ALLOW_ALL + REDACT
        async with (
            Upstream(answer) as upstream, room(tmp_path, policy) as there, get(there, there.add(upstream)) as response
        ):  # fmt: skip
            assert (response.status, await response.text()) == (500, "no such user: [email-1]")

    run(scenario())


def test_an_upstream_that_dies_cuts_the_stream(tmp_path):
    async def scenario():
        async def stream(heard):
            response = await as_events(heard, event(NEWS, "1"), finish=False)
            heard.request.transport.abort()
            return response

        async with Upstream(with_stream(stream)) as upstream, room(tmp_path) as there:
            response = await get(there, there.add(upstream), mcp_session_id="s")
            with pytest.raises(aiohttp.ClientPayloadError):
                await response.read()

    run(scenario())


def test_an_answer_comes_on_the_stream_that_resumes_its_own(tmp_path):
    async def scenario():
        async def stream(heard):
            return await as_events(heard, event(answer_to(request(5, "tools/call", {"name": "echo"})), "2"))

        async def answer(heard):
            if heard.method == "POST" and heard.message["method"] == "tools/call":
                return await as_events(heard, b"id: 1\nretry: 5\ndata: \n\n")
            return await with_stream(stream)(heard)

        async with Upstream(answer) as upstream, room(tmp_path) as there:
            server = there.add(upstream)
            await there.initialize(server)
            sent = request(5, "tools/call", {"name": "echo", "arguments": {}})
            _, _, body = await there.post(server, sent, mcp_session_id="s")
            assert body == b"id: 1\nretry: 5\ndata: \n\n"
            async with get(there, server, mcp_session_id="s", last_event_id="1") as response:
                assert b"did echo" in await response.read()
            assert there.actions(method="tools/call") == ["allow", "answered"]

    run(scenario())


def test_a_session_goes_on_after_a_restart_of_ours_with_the_answer_that_was_open(tmp_path):
    async def scenario():
        async def stream(heard):
            listed = event(answer_to(request(6, "tools/list")), "3")
            return await as_events(heard, event(answer_to(request(5, "tools/call", {"name": "echo"})), "2"), listed)

        async def answer(heard):
            if heard.method == "POST" and heard.message.get("id") == 5:
                return await as_events(heard, b"id: 1\ndata: \n\n")
            return await with_stream(stream)(heard)

        async with Upstream(answer) as upstream:
            async with room(tmp_path, DENY_DELETE) as there:
                server = there.add(upstream)
                await there.initialize(server)
                sent = request(5, "tools/call", {"name": "echo", "arguments": {}})
                await there.post(server, sent, mcp_session_id="s")
            async with room(tmp_path, DENY_DELETE) as there:
                assert (await there.call(server, "echo", 7, mcp_session_id="s"))[0] == 200
                assert (await there.call(server, "delete_it", 8, mcp_session_id="s"))[1]["result"]["isError"]
                async with get(there, server, mcp_session_id="s", last_event_id="1") as response:
                    body = await response.read()
                assert b"did echo" in body
                assert b"delete_it" not in body  # a list is filtered whoever asked for it
                # Without a stream that is resumed, nobody has asked.
                async with get(there, server, mcp_session_id="s") as response:
                    assert await response.read() == b"id: 2\ndata: \n\nid: 3\ndata: \n\n"

    run(scenario())


def test_a_thousand_idle_streams_take_little_memory(tmp_path):
    most = 40 * 1024  # bytes for a stream, in both directions and with the test's own client and server

    async def scenario():
        streams = 0

        async def stream(heard):
            nonlocal streams
            response = await as_events(heard, finish=False)
            streams += 1
            await asyncio.sleep(600)
            return response

        async with Upstream(with_stream(stream)) as upstream, room(tmp_path) as there:
            server = there.add(upstream)
            there.service.listener.is_foreign = lambda *_: False
            await there.initialize(server)
            open_ = [await get(there, server, mcp_session_id="s") for _ in range(50)]
            before = memory()
            open_ += [await get(there, server, mcp_session_id="s") for _ in range(950)]
            await until(lambda: streams == 1000)
            assert memory() - before < 950 * 3 * most
            assert (await there.call(server, "echo", 9, mcp_session_id="s"))[0] == 200
            assert there.service.parts.report(0)["streams"] == 1000
            for response in open_:
                response.close()
            await until(lambda: there.service.parts.report(0)["streams"] == 0)

    run(scenario())


def memory():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def test_an_answer_to_what_the_server_asks_on_the_stream_reaches_it(tmp_path):
    async def scenario():
        answered = asyncio.Event()

        async def stream(heard):
            asked = {"jsonrpc": "2.0", "id": "r1", "method": "roots/list"}
            response = await as_events(heard, event(json.dumps(asked).encode()), finish=False)
            await asyncio.wait_for(answered.wait(), 10)
            return response

        async def answer(heard):
            if heard.method == "POST" and "result" in heard.message:
                answered.set()
                return upstreams.web.Response(status=202)
            return await with_stream(stream, "")(heard)

        async with Upstream(answer) as upstream, room(tmp_path) as there:
            server = there.add(upstream)
            response = await get(there, server)
            assert b"roots/list" in await response.content.readany()
            status, _, _ = await there.post(server, {"jsonrpc": "2.0", "id": "r1", "result": {"roots": []}})
            assert (status, upstream.messages[-1]["id"]) == (202, "r1")

    run(scenario())
