"""Messages of an upstream on a stream: left out, replaced, held back by a slow client."""

import asyncio
import json

import pytest

from tests.helpers.remote_rooms import ALLOW_ALL, BOTH, DENY_DELETE, messages_in, records, request, room, run, until
from tests.helpers.screened import MAIL, REDACT
from tests.helpers.upstreams import Upstream, answer_to, as_events, event

CALL = request(3, "tools/call", {"name": "echo", "arguments": {}})
LIST = request(4, "tools/list")


def test_an_event_that_is_left_out_keeps_its_id_and_one_that_is_changed_its_fields(tmp_path):
    async def scenario():
        async def answer(heard):
            stray = b'{"jsonrpc":"2.0","id":99,"result":{}}'
            changed = event(answer_to(LIST), "2").replace(b"event: message\n", b"event: message\nretry: 9\n")
            return await as_events(heard, event(stray, "1"), changed)

        async with Upstream(answer) as upstream, room(tmp_path, DENY_DELETE) as there:
            _, _, body = await there.post(there.add(upstream), LIST)
            first, second, rest = body.split(b"\n\n")
            assert (first, rest) == (b"id: 1\ndata: ", b"")
            *fields, data = second.split(b"\n")
            assert fields == [b"event: message", b"id: 2", b"retry: 9"]
            assert [tool["name"] for tool in json.loads(data[6:])["result"]["tools"]] == ["read_it", "echo"]

    run(scenario())


def test_an_event_of_another_kind_that_carries_a_message_is_judged(tmp_path):
    async def scenario():
        async def answer(heard):
            other = b'event: odd\ndata: {"jsonrpc":"2.0","id":98,"result":{}}\n\nevent: ping\ndata: now\n\n'
            return await as_events(heard, other, event(answer_to(CALL)))

        async with Upstream(answer) as upstream, room(tmp_path) as there:
            _, _, body = await there.post(there.add(upstream), CALL)
            assert body == b"event: ping\ndata: now\n\n" + event(answer_to(CALL))

    run(scenario())


OTHERS = [
    b"event: ping\ndata: hello %s\n\n", b"event: odd\ndata: {\"x\":\"%s\"}\n\n", b": %s\n\n", b": a\n: %s\nid: 7\n\n",
    b"event: %s\ndata: now\n\n", b"event: ping\nid: %s\ndata: now\n\n", b"foo: %s\n\n", b"data: hello %s\n\n",
    b"event: endpoint\ndata: /x?u=%s\n\n",
]  # fmt: skip
AROUND = [b": %s\n", b"id: %s\n", b"odd: %s\n", b"retry: 9\n: %s\n"]
QUIET = b": keep-alive\n\nevent: ping\nid: 3\ndata: now\n\n:\n\n"


@pytest.mark.parametrize("mode", ["redact", "deny", "log", "off"])
def test_what_an_event_says_besides_messages_is_read_for_private_data(tmp_path, mode):
    value = MAIL.encode()
    parts = [QUIET, *(part % value for part in OTHERS), *(part % value + event(answer_to(CALL)) for part in AROUND[:1])]

    async def scenario():
        async def answer(heard):
            return await as_events(heard, *parts)

        policy = ALLOW_ALL + f'[privacy]\nresults = "{mode}"\n'
        async with Upstream(answer) as upstream, room(tmp_path, policy) as there:
            _, _, body = await there.post(there.add(upstream), CALL)
            assert body.startswith(QUIET)
            assert (value in body) is (mode in ("log", "off"))
            assert b"did echo" in body
            there.actions()
            assert MAIL not in json.dumps(records(tmp_path)) or mode == "off"
            noted = [each["pii"]["found"] for each in records(tmp_path) if "pii" in each]
            assert bool(noted) is (mode != "off")
            if mode == "log":
                assert (parts[1] in body, parts[3] in body, parts[-1] in body) == (True, True, True)

    run(scenario())


@pytest.mark.parametrize("around", AROUND)
def test_a_message_goes_on_without_what_stands_around_it(tmp_path, around):
    message = event(answer_to(CALL)).removeprefix(b"event: message\n")

    async def scenario():
        async def answer(heard):
            return await as_events(heard, around % MAIL.encode() + message)

        async with Upstream(answer) as upstream, room(tmp_path, ALLOW_ALL + REDACT) as there:
            _, _, body = await there.post(there.add(upstream), CALL)
            assert body == message

    run(scenario())


def test_a_client_that_does_not_read_stops_the_reading_of_its_stream(tmp_path):
    """Back-pressure: what an upstream may send ahead is bounded by the buffers on the way."""
    news = event(
        json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {"x": "y" * 65536}}).encode()
    )

    async def scenario():
        sent = 0

        async def answer(heard):
            nonlocal sent
            response = await as_events(heard, finish=False)
            while sent < 600:
                await response.write(news)
                sent += 1
            await response.write(event(answer_to(CALL)))
            return response

        async with Upstream(answer) as upstream, room(tmp_path) as there:
            server = there.add(upstream)
            reader, writer = await asyncio.open_connection("127.0.0.1", there.service.port, limit=4096)
            body = json.dumps(CALL).encode()
            path = there.url(server).raw_path
            head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{there.service.port}\r\nAccept: {BOTH}\r\n"
            head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            writer.write(head.encode() + body)
            await until(lambda: sent > 0)
            before = -1
            while before != sent:  # until nothing moves any more
                before = sent
                await asyncio.sleep(0.3)
            assert sent < 400
            taken = 0
            while taken < 600 * len(news):
                data = await asyncio.wait_for(reader.read(1 << 20), 10)
                assert data
                taken += len(data)
            writer.close()

    run(scenario())


def test_two_streams_of_one_server_do_not_wait_for_each_other(tmp_path):
    async def scenario():
        release = asyncio.Event()

        async def answer(heard):
            message = heard.message
            response = await as_events(heard, finish=False)
            if message["id"] == 1:
                await release.wait()
            await response.write(event(answer_to(message)))
            return response

        async with Upstream(answer) as upstream, room(tmp_path) as there:
            server = there.add(upstream)
            slow = asyncio.create_task(there.post(server, {**CALL, "id": 1}))
            for number in range(2, 130):
                _, _, body = await there.post(server, {**CALL, "id": number})
                assert messages_in(body)[0]["id"] == number
            release.set()
            assert (await slow)[0] == 200

    run(scenario())
