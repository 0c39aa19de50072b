"""Requests to real servers: redirects, proxies, certificates, what is added and what is not."""

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
