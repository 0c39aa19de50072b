"""The listener against raw sockets: smuggling, rebinding, slow and endless clients."""

import asyncio
import json
import re

import pytest

from mcpgov.remote.listener import Limits, LoopbackListener, bind, short_reply
from tests.helpers.remote_rooms import request, room, run, until
from tests.helpers.upstreams import Upstream

BODY = json.dumps(request(1, "ping")).encode()
LENGTH = len(BODY)
SHORT = Limits(head=0.3, body=0.3)


class Raw:
    """A client that sends what it likes."""

    def __init__(self, there, server):
        self.port, self.path = there.service.port, there.url(server).raw_path

    async def send(self, raw, rest=None, wait=10.0):
        """Everything that is answered until the connection ends, or nothing more comes."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(raw)
        got = b""
        try:
            if rest is not None:
                got = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), wait)
                writer.write(rest)
            while data := await asyncio.wait_for(reader.read(65536), wait):
                got += data
        except TimeoutError:
            got += b"<open>"
        except ConnectionError:
            got += b""  # closed while something was unread
        writer.close()
        return got

    def head(self, *lines, method="POST", target=None, host=None, version="HTTP/1.1", length=LENGTH):
        out = [f"{method} {self.path if target is None else target} {version}"]
        out.append(f"Host: {host or f'127.0.0.1:{self.port}'}")
        out += [] if length is None else [f"Content-Length: {length}"]
        out += ["Content-Type: application/json", *lines, "", ""]
        return "\r\n".join(out).encode("latin-1")


def status(answer):
    found = re.match(rb"HTTP/1\.\d (\d+)", answer)
    return int(found[1]) if found else 0


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
            sent = raw.head(host=f"{host}:{raw.port}") + BODY
            answer = await raw.send(sent + sent[: -len(BODY)] + BODY, wait=3)
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
            await until(lambda: not there.service.listener.gates)
            writer.close()

    run(scenario())


def test_more_connections_than_allowed_are_told_so(tmp_path):
    async def scenario():
        async with Upstream() as upstream, room(tmp_path, limits=Limits(connections=2)) as there:
            raw = Raw(there, there.add(upstream))
            kept = [await asyncio.open_connection("127.0.0.1", raw.port) for _ in range(2)]
            await until(lambda: len(there.service.listener.gates) == 2)
            assert status(await raw.send(raw.head() + BODY)) == 503
            for _, writer in kept:
                writer.close()
            await until(lambda: not there.service.listener.gates)
            assert status(await raw.send(raw.head("Connection: close") + BODY)) == 200

    run(scenario())


def test_another_users_connection_is_refused(tmp_path):
    async def scenario():
        async with Upstream() as upstream, room(tmp_path) as there:
            there.service.listener.is_foreign = lambda *_: True
            raw = Raw(there, there.add(upstream))
            assert (status(await raw.send(raw.head() + BODY)), upstream.heard) == (403, [])

    run(scenario())


def test_the_sockets_are_on_the_loopback_and_nowhere_else():
    sockets = bind(0)
    try:
        assert {sock.getsockname()[0] for sock in sockets} <= {"127.0.0.1", "::1"}
        assert len({sock.getsockname()[1] for sock in sockets}) == 1
        with pytest.raises(OSError, match="in use"):
            bind(sockets[0].getsockname()[1])
    finally:
        for sock in sockets:
            sock.close()


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


@pytest.mark.parametrize(
    ("code", "value", "body"), [(204, "a", b""), (200, "a\r\nb", b""), (200, "ü", b""), (200, "a", b"x" * 70_000)]
)
def test_what_is_not_a_short_reply(code, value, body):
    assert short_reply(code, [("X", value)], body) is None


def test_the_time_is_told_anew_with_every_second(monkeypatch):
    monkeypatch.setattr("mcpgov.remote.listener.time.time", lambda: 0.5)
    assert b"Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n" in short_reply(200, [], b"")
    monkeypatch.setattr("mcpgov.remote.listener.time.time", lambda: 86_400.0)
    assert b"Date: Fri, 02 Jan 1970 00:00:00 GMT\r\n" in short_reply(200, [], b"")
