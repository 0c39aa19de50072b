"""Requests to real servers: redirects, proxies, certificates, what is added and what is not."""

import asyncio
import contextlib
import json
import ssl

import aiohttp
import pytest

from mcpgov.remote import upstream as upstream_module
from mcpgov.remote.access.trust import client_context
from mcpgov.remote.upstream import Upstream, UpstreamError, system_proxy
from tests.helpers import certificates, upstreams
from tests.helpers.remote_rooms import request, room, run
from tests.helpers.upstreams import Upstream as Server
from tests.helpers.upstreams import as_json

web = upstreams.web


@contextlib.asynccontextmanager
async def client(**how):
    made = Upstream(**how)
    try:
        yield made
    finally:
        await made.close()


def test_nothing_is_added_kept_or_decompressed(tmp_path, monkeypatch):
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login u password p\n")
    (tmp_path / ".netrc").chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))

    async def scenario():
        async def answer(_heard):
            return web.Response(body=b"x", headers={"Set-Cookie": "a=b", "X-Twice": "1"})

        async with Server(answer) as server, client() as made:
            for _ in range(2):
                got = await made.send("POST", server.url("/a%2Fb?c=%20"), [("X-One", "1"), ("X-One", "2")], b"{}")
                assert (await got.read(), dict(got.headers)["X-Twice"]) == (b"x", "1")
            for heard in server.heard:
                assert heard.path == "/a%2Fb?c=%20"
                assert heard.names == [b"Host", b"X-One", b"X-One", b"Content-Length"]

    run(scenario())


def test_redirects_are_followed_on_their_own_origin_with_method_and_body(tmp_path):
    async def scenario():
        async def answer(heard):
            if heard.path == "/a":
                return web.Response(status=307, headers={"Location": "/b"})
            if heard.path == "/b":
                return web.Response(status=308, headers={"Location": f"http://127.0.0.1:{server.port}/c"})
            return as_json(heard.body)

        async with Server(answer) as server, client() as made:
            got = await made.send("POST", server.url("/a"), [("Authorization", "t")], b"{1}")
            assert (await got.read(), [each.method for each in server.heard]) == (b"{1}", ["POST"] * 3)
            assert all(each.headers["Authorization"] == "t" for each in server.heard)

    run(scenario())


@pytest.mark.parametrize(
    ("status", "location"),
    [
        (307, "http://localhost:{port}/b"),
        (307, "https://127.0.0.1:{port}/b"),
        (302, "/b"),
        (301, "/b"),
        (308, ""),
        (307, "/a"),
    ],
)
def test_any_other_redirect_is_502_without_a_location(tmp_path, status, location):
    async def scenario():
        async def answer(heard):
            return web.Response(
                status=status, headers={"Location": location.format(port=server.port)} if location else {}
            )

        async with Server(answer) as server, room(tmp_path) as there:
            got, headers, body = await there.post(there.add(server, "/a"), request(1, "ping"))
            assert (got, "Location" in headers, json.loads(body)["error"]["code"]) == (502, False, -32603)
            assert len(server.heard) == (6 if location == "/a" else 1)

    run(scenario())


def test_an_answer_that_is_compressed_unasked_is_refused():
    async def scenario():
        async def answer(_heard):
            return web.Response(body=b"zz", headers={"Content-Encoding": "gzip"})

        async with Server(answer) as server, client() as made:
            with pytest.raises(UpstreamError, match="compresses"):
                await made.send("GET", server.url(), [], None)

    run(scenario())


def test_an_answer_over_the_limit_is_refused():
    async def scenario():
        async def answer(heard):
            if heard.path == "/stream":
                return await upstreams.as_events(heard, b"x" * 50, b"x" * 60)
            return web.Response(body=b"x" * 101)

        async with Server(answer) as server, client() as made:
            for path in ("/", "/stream"):
                got = await made.send("GET", server.url(path), [], None)
                with pytest.raises(UpstreamError, match="too long"):
                    await got.read(100)

    run(scenario())


def test_a_get_on_a_dead_connection_is_repeated_and_a_post_is_not_sent_twice():
    async def scenario():
        async def answer(heard):
            if len(server.heard) == 2:
                heard.request.transport.abort()
            return as_json(b"{}")

        async with Server(answer) as server, client() as made:
            await (await made.send("POST", server.url(), [], b"1")).read()
            with pytest.raises(UpstreamError, match="cannot be reached"):
                await made.send("POST", server.url(), [], b"2")
            assert [each.body for each in server.heard] == [b"1", b"2"]

    run(scenario())


def test_a_large_body_goes_out_in_pieces_with_its_length():
    async def scenario():
        async with Server(lambda heard: _plain()) as server, client() as made:
            await made.send("POST", server.url(), [], bytearray(b"y" * (2 << 20)))
            assert (len(server.heard[0].body), server.heard[0].headers["Content-Length"]) == (2 << 20, str(2 << 20))
            assert "Transfer-Encoding" not in server.heard[0].headers

    async def _plain():
        return web.Response()

    run(scenario())


def test_a_certificate_is_verified_and_a_bundle_of_the_environment_trusted(tmp_path, monkeypatch):
    authority, context = certificates.make(tmp_path)

    async def scenario():
        async with Server(ssl=context) as server:
            body = json.dumps(request(1, "ping")).encode()
            async with client() as made:
                with pytest.raises(UpstreamError, match="certificate is not valid"):
                    await made.send("POST", server.url(), [], body)
            for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"):
                with monkeypatch.context() as changed:
                    changed.setenv(name, str(authority))
                    async with client() as made:
                        assert (await made.send("POST", server.url(), [], body)).status == 200

    run(scenario())


def test_a_proxy_is_used_as_the_environment_says(monkeypatch):
    async def scenario():
        async def answer(heard):
            return as_json(b'{"by":"proxy"}')

        async with Server(answer) as proxy, client() as made:
            monkeypatch.setenv("http_proxy", f"http://u:p@127.0.0.1:{proxy.port}")
            monkeypatch.setenv("no_proxy", "near.example")
            got = await made.send("POST", "http://far.example/mcp", [], b"{}")
            assert (await got.read(), proxy.heard[0].path) == (b'{"by":"proxy"}', "http://far.example/mcp")
            assert proxy.heard[0].headers["Proxy-Authorization"].startswith("Basic ")
            assert system_proxy("http://near.example/") is None
            assert system_proxy("http://127.0.0.1:8/") is None
            assert system_proxy("https://far.example/") is None
            monkeypatch.setenv("https_proxy", "p.example:3128")
            assert system_proxy("https://far.example/") == "http://p.example:3128"

    for name in ("http_proxy", "https_proxy", "no_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    run(scenario())


def test_what_is_said_of_a_failure_has_no_url():
    said = upstream_module.said
    assert said(TimeoutError()) == "it does not answer"
    assert said(aiohttp.InvalidURL("http://x/?key=secret")) == "InvalidURL"


def test_an_unlimited_number_of_streams_does_not_starve_calls():
    async def scenario():
        async with client() as made:
            session = made._made()
            assert (session.connector.limit, session.connector.limit_per_host) == (0, 0)
            assert session.timeout.total is None
            assert isinstance(session.cookie_jar, aiohttp.DummyCookieJar)

    run(scenario())
    assert isinstance(client_context({}), ssl.SSLContext)


RAW = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"


@contextlib.asynccontextmanager
async def raw_server(*answers):
    """Answers each request with the next of these bytes; tells how many connections there were, and what came."""
    heard, left = [], list(answers)

    async def serve(reader, writer):
        heard.append([])
        try:
            while left:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().partition(b"content-length: ")[2].split(b"\r")[0])
                heard[-1].append(head + await reader.readexactly(length))
                writer.write(left.pop(0))
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", heard


def test_short_posts_take_turns_on_one_connection_and_their_head_and_body_are_one_piece():
    async def scenario():
        answers = (RAW, b"HTTP/1.1 102 Processing\r\n\r\n" + RAW, RAW, RAW[:-1], RAW)
        async with raw_server(*answers) as (url, heard), client() as made:
            for at in range(3):
                answer = await made.send("POST", f"{url}/a?b=%20", [("X-At", str(at))], b"[%d]" % at)
                assert (answer.status, answer.content_type, await answer.read()) == (200, "application/json", b"{}")
            assert [len(each) for each in heard] == [3]
            host = url.partition("//")[2].encode()
            first = b"POST /a?b=%20 HTTP/1.1\r\nHost: " + host
            assert heard[0][2] == first + b"\r\nX-At: 2\r\nContent-Length: 3\r\n\r\n[2]"
            answer = await made.send("POST", url, [], b"{}")
            answer.close()  # half an answer: the connection is not used again
            with pytest.raises(UpstreamError, match="broke off"):
                await answer.read()
            assert await (await made.send("POST", url, [], b"{}")).read() == b"{}"
            assert [len(each) for each in heard] == [4, 1]

    run(scenario())


@pytest.mark.parametrize(
    "answer",
    [b"HTTP/1.1 200", b"nonsense\r\n\r\n", b"", b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"],
)
def test_an_answer_that_is_none_is_an_error_and_not_tried_again(answer):
    async def scenario():
        async with raw_server(answer) as (url, heard), client() as made:
            with pytest.raises(UpstreamError, match="cannot be reached"):
                await made.send("POST", url, [], b"{}")
            assert [len(each) for each in heard] == [1]

    run(scenario())


@pytest.mark.parametrize("value", ["a\r\nX-More: b", "a\nb", "a\rb", "a\0b"])
def test_a_header_with_a_line_break_is_not_sent(value):
    async def scenario():
        async with raw_server(RAW) as (url, heard), client() as made:
            with pytest.raises(UpstreamError):
                await made.send("POST", url, [("X-One", value)], b"{}")
            assert heard == [] or heard == [[]]

    run(scenario())


def test_a_header_in_another_language_goes_the_long_way():
    assert upstream_module.short_request(upstream_module.URL("http://h/"), [("X-One", "ü")], b"") is None

    async def scenario():
        async with raw_server(RAW) as (url, heard), client() as made:
            await (await made.send("POST", url, [("X-One", "ü")], b"{}")).read()
            assert "X-One: ü\r\n".encode() in heard[0][0]

    run(scenario())
