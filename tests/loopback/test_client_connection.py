"""Connections against raw sockets: slow, long and endless heads; too many, and other users'."""

import asyncio
import contextlib

import pytest

from mcpgov.loopback.listener import LoopbackListener
from mcpgov.loopback.request_checks import Limits
from mcpgov.loopback.sockets import bind
from tests.helpers.raw_clients import BODY, Raw, status
from tests.helpers.remote_rooms import room, run, until
from tests.helpers.upstreams import Upstream

SHORT = Limits(head=0.3, body=0.3)


def test_slow_heads_and_slow_bodies_are_cut_off(tmp_path):
    async def scenario():
        async with Upstream() as upstream, room(tmp_path, limits=SHORT) as there:
            server = there.add(upstream)
            raw = Raw(there, server)
            assert await raw.send(b"") == b""
            assert await raw.send(b"POST / HTTP/1.1\r\nHost:") == b""
            answer = await raw.send(raw.head() + BODY[:5], wait=10)
            assert (status(answer), upstream.heard) == (408, [])
            assert (await there.call(server, "echo"))[0] == 200

    run(scenario())


def test_a_later_head_on_the_same_connection_has_its_own_time(tmp_path):
    async def scenario():
        async with Upstream() as upstream, room(tmp_path, limits=SHORT) as there:
            raw = Raw(there, there.add(upstream))
            answer = await raw.send(raw.head() + BODY, rest=b"POST / HTTP/1.1\r\nHost:")
            assert (status(answer), answer.count(b"HTTP/1.1"), b"<open>" in answer) == (200, 1, False)
            kept = await raw.send(raw.head() + BODY, wait=3 * SHORT.head)
            assert (status(kept), kept.endswith(b"<open>")) == (200, True)

    run(scenario())


def test_more_connections_than_allowed_are_told_so(tmp_path):
    async def scenario():
        async with Upstream() as upstream, room(tmp_path, limits=Limits(connections=2)) as there:
            raw = Raw(there, there.add(upstream))
            kept = [await asyncio.open_connection("127.0.0.1", raw.port) for _ in range(2)]
            await until(lambda: len(there.service.listener.connections) == 2)
            assert status(await raw.send(raw.head() + BODY)) == 503
            for _, writer in kept:
                writer.close()
            await until(lambda: not there.service.listener.connections)
            assert status(await raw.send(raw.head("Connection: close") + BODY)) == 200

    run(scenario())


def test_another_users_connection_is_refused_before_anything_is_read(tmp_path):
    async def scenario():
        async with Upstream() as upstream, room(tmp_path) as there:
            there.service.listener.is_foreign = lambda *_: True
            raw = Raw(there, there.add(upstream))
            reader, writer = await asyncio.open_connection("127.0.0.1", raw.port)
            assert status(await asyncio.wait_for(reader.read(), 10)) == 403
            assert there.service.listener.connections == set()
            writer.close()

    run(scenario())


START = "GET /a HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
HEADS = {
    "one header": lambda size: START + "X: " + "y" * size + "\r\n\r\n",
    "one name": lambda size: START + "X" * size + ": y\r\n\r\n",
    "a hundred headers": lambda size: START + f"X: {'y' * (size // 100)}\r\n" * 100 + "\r\n",
    "thousands of headers": lambda size: START + "X: yyyyy\r\n" * (size // 10) + "\r\n",
    "the request line": lambda size: START.replace("/a ", f"/{'a' * size} ") + "\r\n",
    "the method": lambda size: "G" * size + START + "\r\n",
}
SMALLER = {"thousands of headers": 1000, "the method": 0}  # as far as aiohttp goes: 128 headers, known methods


class Plain:
    """A listener whose every request is answered with `ok`, and clients that send anything."""

    async def __aenter__(self):
        self.served = 0
        self.listener = LoopbackListener(self.handle)
        sockets = bind(0)
        self.port = sockets[0].getsockname()[1]
        await self.listener.open(sockets, self.port)
        return self

    async def __aexit__(self, *_):
        await self.listener.close(0.1)

    async def handle(self, request, reply):
        self.served += 1
        await reply.whole(200, [], b"ok")

    async def _head(self, reader):
        return (await reader.readuntil(b"\r\n\r\n")).removeprefix(b"ok")

    async def answers(self, text, step, count=1):
        """The statuses of so many answers; 0 for one that the end of the connection took away."""
        raw = text.replace("{port}", str(self.port)).encode()
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        found = []
        try:
            for at in range(0, len(raw), step):
                writer.write(raw[at : at + step])
                await writer.drain()
            for _ in range(count):
                found.append(status(await asyncio.wait_for(self._head(reader), 10)))
        except (ConnectionError, asyncio.IncompleteReadError):
            found.append(0)
        writer.close()
        return found


@pytest.mark.parametrize("name", HEADS)
def test_a_head_of_more_than_64_kb_is_served_in_no_shape(name):
    async def scenario():
        async with Plain() as plain:
            for size in (70_000, 100_000, 250_000, 3_000_000):
                for step in (1 << 24, 5000):
                    assert (await plain.answers(HEADS[name](size), step))[0] in (0, 400, 431), (size, step)
            assert plain.served == 0
            if room_left := SMALLER.get(name, 60_000):
                assert await plain.answers(HEADS[name](room_left), 5000) == [200]

    run(scenario())


def test_a_long_head_behind_another_request_is_refused():
    async def scenario():
        async with Plain() as plain:
            first = HEADS["one header"](10)
            found = await plain.answers(first + HEADS["a hundred headers"](100_000), 1 << 24, count=2)
            assert (found[0], plain.served) == (200, 1)
            assert found[1:] in ([431], [0])

    run(scenario())


@pytest.mark.parametrize("piece", [b"\r\n" * 2500, b" " * 5000, b"X: y\r\n" * 700], ids=["lines", "blanks", "headers"])
def test_what_never_becomes_a_head_is_not_read_for_ever(piece):
    async def scenario():
        async with Plain() as plain:
            _, writer = await asyncio.open_connection("127.0.0.1", plain.port)
            writer.write(b"" if piece.startswith(b"\r") else START.format(port=plain.port).encode() + b"Y:")
            sent = 0
            with contextlib.suppress(ConnectionError):
                while sent < 100 << 20:
                    writer.write(piece)
                    await writer.drain()
                    sent += len(piece)
            assert sent < 50 << 20
            await until(lambda: not plain.listener.connections)
            writer.close()

    run(scenario())


def test_a_body_that_trickles_is_not_read_for_ever(tmp_path):
    """Each byte is in time, the body is not."""

    async def scenario():
        limits = Limits(body=5.0, whole_body=0.3)
        async with Upstream() as upstream, room(tmp_path, limits=limits) as there:
            raw = Raw(there, there.add(upstream))
            reader, writer = await asyncio.open_connection("127.0.0.1", raw.port)
            writer.write(raw.head())
            answer = asyncio.create_task(reader.readuntil(b"\r\n"))
            for at in range(len(BODY) - 1):
                if (await asyncio.wait([answer], timeout=0.05))[0]:
                    break
                writer.write(BODY[at : at + 1])
            assert (status(await answer), upstream.heard) == (408, [])
            writer.close()

    run(scenario())


def test_a_large_body_is_no_long_head(tmp_path):
    """Read, or thrown away by whoever answers without reading it."""

    async def scenario():
        async with Plain() as plain:
            size = 20 << 20
            head = START.replace("GET", "POST") + f"Content-Type: application/json\r\nContent-Length: {size}\r\n\r\n"
            first = HEADS["one header"](10)
            assert await plain.answers(head + "x" * size + first, 1 << 24, count=2) == [200, 200]

    run(scenario())
