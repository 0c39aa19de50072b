"""The listener against raw sockets: smuggling, rebinding, endless bodies."""

import asyncio
import re

import pytest

from mcpgov.loopback.listener import LoopbackListener
from mcpgov.loopback.sockets import bind
from tests.helpers.raw_clients import BODY, Raw, status
from tests.helpers.remote_rooms import room, run, until
from tests.helpers.upstreams import Upstream

REFUSED = {
    "both lengths": (lambda r: r.head("Transfer-Encoding: chunked") + b"0\r\n\r\n", 400),
    "two lengths": (lambda r: r.head("Content-Length: 3") + BODY, 400),
    "odd coding": (lambda r: r.head("Transfer-Encoding: gzip, chunked", length=None) + b"0\r\n\r\n", 400),
    "capital coding": (lambda r: r.head("Transfer-Encoding: xchunked", length=None) + b"0\r\n\r\n", 400),
    "space before colon": (lambda r: r.head("Content-Length : 3", length=None) + BODY, 400),
    "folded header": (lambda r: r.head("X: a\r\n b") + BODY, 400),
    "http 1.0": (lambda r: r.head(version="HTTP/1.0") + BODY, 400),
    "absolute target": (lambda r: r.head(target=f"http://127.0.0.1:{r.port}{r.path}") + BODY, 400),
    "upgrade": (lambda r: r.head("Connection: Upgrade", "Upgrade: websocket") + BODY, 400),
    "trace": (lambda r: r.head(method="TRACE", length=None), 405),
    "connect": (lambda r: r.head(method="CONNECT", target="evil.example:443", length=None), 400),
    "get with a body": (lambda r: r.head(method="GET") + BODY, 400),
    "post without a body": (lambda r: r.head(length=None), 400),
    "gzip": (lambda r: r.head("Content-Encoding: gzip") + BODY, 415),
    "bytes in a header": (lambda r: r.head("X: \xff") + BODY, 400),
    "two names": (lambda r: r.head("Mcp-Name: a", "Mcp-Name: b") + BODY, 400),
    "two hosts": (lambda r: r.head(f"Host: 127.0.0.1:{r.port}") + BODY, 400),
    "foreign host": (lambda r: r.head(host="evil.example") + BODY, 403),
    "rebound host": (lambda r: r.head(host=f"evil.example:{r.port}") + BODY, 403),
    "foreign origin": (lambda r: r.head("Origin: http://evil.example") + BODY, 403),
    "null origin": (lambda r: r.head("Origin: null") + BODY, 403),
    "long head": (lambda r: r.head(*(f"X{n}: {'y' * 4000}" for n in range(20))) + BODY, 431),
}


def test_what_is_not_one_plain_request_is_refused_and_nothing_goes_upstream(tmp_path):
    async def scenario():
        async with Upstream() as upstream, room(tmp_path) as there:
            raw = Raw(there, there.add(upstream))
            for name, (make, wanted) in REFUSED.items():
                answer = await raw.send(make(raw), wait=5)
                assert (name, status(answer)) == (name, wanted), answer[:300]
                assert not answer.endswith(b"<open>"), name
                assert b"access-control" not in answer.lower()
            assert upstream.heard == []

    run(scenario())


def test_a_second_request_hidden_in_a_body_is_not_one(tmp_path):
    async def scenario():
        async with Upstream() as upstream, room(tmp_path) as there:
            raw = Raw(there, there.add(upstream))
            hidden = raw.head() + BODY
            answer = await raw.send(raw.head("Transfer-Encoding: chunked", length=4) + b"0\r\n\r\n" + hidden, wait=5)
            assert (status(answer), answer.count(b"HTTP/1."), upstream.heard) == (400, 1, [])

    run(scenario())


@pytest.mark.parametrize("host", ["localhost", "[::1]", "127.0.0.1"])
def test_every_name_of_the_loopback_is_served_on_one_connection_after_another(tmp_path, host):
    async def scenario():
        async with Upstream() as upstream, room(tmp_path) as there:
            raw = Raw(there, there.add(upstream))
            name = f"{host}:{raw.port}"
            sent = raw.head(host=name) + BODY + raw.head("Connection: close", host=name) + BODY
            answer = await raw.send(sent, wait=30)
            assert (answer.count(b"HTTP/1.1 200"), len(upstream.heard)) == (2, 2)

    run(scenario())


def test_a_body_of_100_mb_is_refused_before_it_is_read(tmp_path):
    async def scenario():
        async with Upstream() as upstream, room(tmp_path) as there:
            raw = Raw(there, there.add(upstream))
            answer = await raw.send(raw.head(length=100 << 20), wait=5)
            assert (status(answer), answer.endswith(b"<open>")) == (413, False)
            endless = raw.head("Transfer-Encoding: chunked", length=None)
            piece = b"100000\r\n" + b"x" * 0x100000 + b"\r\n"
            reader, writer = await asyncio.open_connection("127.0.0.1", raw.port)
            writer.write(endless)
            for _ in range(34):
                writer.write(piece)
                await writer.drain()
            assert status(await asyncio.wait_for(reader.read(65536), 10)) == 413
            writer.close()
            assert upstream.heard == []

    run(scenario())


def test_a_client_that_asks_first_is_told_to_go_on(tmp_path):
    async def scenario():
        async with Upstream() as upstream, room(tmp_path) as there:
            raw = Raw(there, there.add(upstream))
            answer = await raw.send(raw.head("Expect: 100-continue", "Connection: close"), BODY)
            assert answer.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200")
            refused = await raw.send(raw.head("Expect: 100-continue", length=100 << 20))
            assert status(refused) == 413

    run(scenario())


@pytest.mark.parametrize("line", ["Origin: http://evil.example", "Content-Encoding: gzip"])
def test_every_head_of_a_connection_is_checked(tmp_path, line):
    async def scenario():
        async with Upstream() as upstream, room(tmp_path) as there:
            raw = Raw(there, there.add(upstream))
            answer = await raw.send(raw.head() + BODY, rest=raw.head() + BODY + raw.head(line) + BODY)
            found = [int(code) for code in re.findall(rb"HTTP/1\.1 (\d+)", answer)]
            assert (found[:2], found[2] in (403, 415), len(upstream.heard)) == ([200, 200], True, 2)

    run(scenario())


def test_half_a_connection_is_a_client_that_has_gone(tmp_path):
    async def scenario():
        async def never(_heard):
            await asyncio.sleep(60)

        async with Upstream(never) as upstream, room(tmp_path) as there:
            raw = Raw(there, there.add(upstream))
            _, writer = await asyncio.open_connection("127.0.0.1", raw.port)
            writer.write(raw.head() + BODY)
            await until(lambda: upstream.heard)
            writer.write_eof()
            await until(lambda: not there.service.listener.connections)
            writer.close()

    run(scenario())


def answer_lines(reply):
    """Of a whole reply: the first line, and its headers but for the time."""
    head = bytes(reply).partition(b"\r\n\r\n")[0].decode("ascii")
    first, *lines = head.split("\r\n")
    return first, sorted(line for line in lines if not line.startswith("Date: "))


@pytest.mark.parametrize(("code", "body"), [(200, b'{"a":1}'), (202, b""), (404, b""), (400, b"{}")])
def test_a_short_reply_is_what_a_long_one_would_be(tmp_path, code, body):
    """The same through aiohttp, which a client gets that lets its connection end."""

    async def scenario():
        async def handle(request, reply):
            await reply.whole(code, [("Content-Type", "application/json"), ("X-Twice", "1"), ("X-Twice", "2")], body)

        listener = LoopbackListener(handle)
        sockets = bind(0)
        port = sockets[0].getsockname()[1]
        await listener.open(sockets, port)
        said = []
        for line in ("X: y", "Connection: close"):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(f"GET /a HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{line}\r\n\r\n".encode())
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)
            first, lines = answer_lines(head)
            said.append((first, [each for each in lines if each != "Connection: close"], await reader.read(len(body))))
            assert b"\r\nDate: " in head
            writer.close()
        await listener.close(0.1)
        assert said[0] == said[1]
        assert said[0][2] == body

    run(scenario())
