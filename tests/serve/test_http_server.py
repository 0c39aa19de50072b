import asyncio
import contextlib
import socket

import pytest

from mcpgov.serve import http_server
from mcpgov.serve.http_server import HttpServer, bind


async def hello(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


async def serving(talk, app=hello):
    """Runs `talk(port)` beside a server, and ends that."""
    server = HttpServer(app)
    sockets = bind("localhost", 0)
    running = asyncio.create_task(server.serve(sockets=sockets))
    while not server.started:
        await asyncio.sleep(0.001)
    try:
        return await talk(sockets[0].getsockname()[1])
    finally:
        server.should_exit = True
        await running


async def answer(port, *pieces, host="127.0.0.1"):
    reader, writer = await asyncio.open_connection(host, port)
    for piece in pieces:
        writer.write(piece)
        await writer.drain()
    found = await asyncio.wait_for(reader.read(), 20)
    writer.close()
    return found


async def heads(port, *pieces, count=1):
    """The first lines of so many answers."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for piece in pieces:
        writer.write(piece)
        await writer.drain()
    found = [(await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 20)).split(b"\r\n")[0] for _ in range(count)]
    writer.close()
    return [line[-len(line.partition(b"HTTP/")[2]) :] for line in found]


GET = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


def test_both_loopback_addresses_answer():
    async def talk(port):
        found = [await answer(port, GET)]
        with contextlib.suppress(OSError):  # a machine may have no IPv6 address
            found.append(await answer(port, GET, host="::1"))
        return found

    for found in asyncio.run(serving(talk)):
        assert found.endswith(b"ok")
        assert b"server:" not in found.lower()


@pytest.mark.parametrize("start", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "])
def test_a_head_that_does_not_come_is_not_waited_for(monkeypatch, start):
    monkeypatch.setattr(http_server.BoundedHeads, "head_seconds", 0.1)
    assert asyncio.run(serving(lambda port: answer(port, start))) == b""


def test_a_slow_second_head_is_not_waited_for_either(monkeypatch):
    monkeypatch.setattr(http_server.BoundedHeads, "head_seconds", 0.1)
    first = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"

    async def talk(port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(first)
        await reader.readuntil(b"ok")
        writer.write(b"GET / HT")
        found = await asyncio.wait_for(reader.read(), 20)
        writer.close()
        return found

    assert asyncio.run(serving(talk)) == b""


def test_a_second_head_that_trickles_is_not_waited_for(monkeypatch):
    """Each byte is in time, the head is not."""
    monkeypatch.setattr(http_server.BoundedHeads, "head_seconds", 0.5)

    async def talk(port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        await reader.readuntil(b"ok")
        ended = asyncio.create_task(reader.read())
        with contextlib.suppress(ConnectionError):
            while not (await asyncio.wait([ended], timeout=0.1))[0]:
                writer.write(b"G")
                await writer.drain()
        writer.close()
        return ended.result()

    assert asyncio.run(asyncio.wait_for(serving(talk), 20)) == b""


START = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
CHUNKED = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n"
HEADS = {
    "one header": lambda size: START + b"X: " + b"y" * size + b"\r\n\r\n",
    "one name": lambda size: START + b"X" * size + b": y\r\n\r\n",
    "blanks": lambda size: START + b"X: " + b" " * size + b"y\r\n\r\n",
    "a hundred headers": lambda size: START + (b"X: " + b"y" * (size // 100) + b"\r\n") * 100 + b"\r\n",
    "thousands of headers": lambda size: START + b"X: yyyyy\r\n" * (size // 10) + b"\r\n",
    "the request line": lambda size: START.replace(b"/ ", b"/" + b"a" * size + b" ", 1) + b"\r\n",
    "the method": lambda size: b"G" * size + START + b"\r\n",
    "trailers": lambda size: CHUNKED + b"X: yyyyy\r\n" * (size // 10) + b"\r\n",
}


@pytest.mark.parametrize("name", HEADS)
def test_a_head_of_more_than_64_kb_is_refused_in_one_piece_and_in_many(name):
    """Also behind another request; what fits is served."""
    make = HEADS[name]

    async def whole(scope, receive, send):
        while (await receive()).get("more_body"):
            pass
        await hello(scope, receive, send)

    async def talk(port):
        found = []
        for size in (70_000, 100_000, 250_000, 3_000_000):
            raw = make(size)
            found += await heads(port, raw)
            found += await heads(port, *(raw[at : at + 5000] for at in range(0, len(raw), 5000)))
        first = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
        return found, await heads(port, first + make(100_000), count=2), await heads(port, make(60_000))

    found, behind, served = asyncio.run(serving(talk, whole))
    assert found == [b"1.1 431 Request Header Fields Too Large"] * 8
    assert (behind, served) == ([b"1.1 200 OK", found[0]], [b"1.1 200 OK"])


def test_a_server_with_refused_connections_still_ends_in_time():
    async def talk(port):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(HEADS["one header"](100_000))
        await writer.drain()
        return writer

    async def scenario():
        (await serving(talk)).close()

    asyncio.run(asyncio.wait_for(scenario(), 10))


def test_a_port_that_is_taken_is_an_error():
    (first, *others) = bind("localhost", 0)
    try:
        with pytest.raises(OSError, match="in use"):
            bind("127.0.0.1", first.getsockname()[1])
    finally:
        for sock in (first, *others):
            sock.close()


def test_an_answer_of_two_writes_does_not_wait_for_an_acknowledgement():
    """asyncio sends at once only on sockets that are named by their protocol."""
    for sock in bind("localhost", 0):
        assert sock.proto == socket.IPPROTO_TCP
        sock.close()
