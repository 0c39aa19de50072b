"""Credentials on the way up: our tokens, the entry's own headers, a server that wants a login."""

import asyncio
import json
import sys

import pytest

from mcpgov.remote.parts import with_token
from mcpgov.remote_servers import OUR_LOGIN, PASSTHROUGH
from tests.helpers import upstreams
from tests.helpers.remote_rooms import request, room, run
from tests.helpers.upstreams import Upstream, answer_to, as_json

web = upstreams.web
CHALLENGE = {
    "WWW-Authenticate": 'Bearer resource_metadata="http://127.0.0.1:1/.well-known/oauth-protected-resource/mcp"'
}


def guarded(*tokens):
    """A server that takes these tokens."""

    async def answer(heard):
        if heard.headers.get("Authorization") not in [f"Bearer {token}" for token in tokens]:
            return web.Response(status=401, headers=CHALLENGE, text="no")
        if heard.method == "GET":
            return web.Response(status=405)
        return as_json(answer_to(heard.message)) if "id" in heard.message else web.Response(status=202)

    return answer


@pytest.fixture
def login(tmp_path):
    """The command of a login: gives `old`, and `new` when it is to refresh."""
    code = "import json, sys; print(json.dumps({'access_token': 'new' if '--refresh' in sys.argv else 'old'}))"
    return {"login": "\0".join([sys.executable, "-c", code])}


def test_our_token_goes_upstream_and_a_refused_one_is_replaced_once(tmp_path, login):
    async def scenario():
        async with Upstream(guarded("old")) as upstream, room(tmp_path, where=login) as there:
            server = there.add(upstream, login=OUR_LOGIN)
            assert (await there.call(server, "echo", authorization="Bearer of-the-app"))[0] == 200
            upstream.answer = guarded("new")
            done = await asyncio.gather(*(there.call(server, "echo") for _ in range(4)))
            assert all("isError" not in answer["result"] for _, answer in done)
            sent = {heard.headers["Authorization"] for heard in upstream.heard}
            assert sent == {"Bearer old", "Bearer new"}
            journal = b"".join(file.read_bytes() for file in (tmp_path / "state" / "journal").glob("*"))
            assert b"Bearer" not in journal

    run(scenario())


@pytest.mark.parametrize("kind", ["", OUR_LOGIN])
def test_a_server_that_wants_a_login_denies_with_the_command_to_type(tmp_path, kind):
    async def scenario():
        async with Upstream(guarded()) as upstream, room(tmp_path, where={"login": ""}) as there:
            server = there.add(upstream, login=kind)
            status, answer = await there.call(server, "echo")
            assert (status, answer["result"]["isError"]) == (200, True)
            assert "mcpgov login docs" in answer["result"]["content"][0]["text"]
            status, headers, body = await there.post(server, request(1, "initialize", {"protocolVersion": "x"}))
            assert (status, json.loads(body)["error"]["code"]) == (200, -32001)
            assert "WWW-Authenticate" not in headers
            assert (await there.post(server, {"jsonrpc": "2.0", "method": "notifications/initialized"}))[0] == 202
            async with there.client.get(there.url(server)) as response:
                assert (response.status, "WWW-Authenticate" in response.headers) == (405, False)
            [row] = there.service.parts.report(0)["remote"]
            assert row["state"] == "login"
            assert there.actions(method="tools/call") == ["allow", "deny"]

    run(scenario())


def test_an_entrys_own_credentials_that_are_refused_are_named_as_such(tmp_path):
    async def scenario():
        async with Upstream(guarded()) as upstream, room(tmp_path) as there:
            _, answer = await there.call(there.add(upstream), "echo", authorization="Bearer mine")
            assert "refused the credentials of its own entry" in answer["result"]["content"][0]["text"]

    run(scenario())


def test_a_plain_403_is_the_servers_own_answer(tmp_path):
    async def scenario():
        async def answer(_heard):
            return web.Response(status=403, text="not you")

        async with Upstream(answer) as upstream, room(tmp_path) as there:
            status, _, body = await there.post(there.add(upstream), request(1, "tools/list"))
            assert (status, body) == (403, b"not you")

    run(scenario())


def test_an_app_that_logs_in_itself_finds_our_url_in_the_metadata(tmp_path):
    async def scenario():
        async def answer(heard):
            if heard.path == "/.well-known/oauth-protected-resource/mcp":
                return as_json(
                    json.dumps({"resource": upstream.url(), "authorization_servers": ["https://as"]}).encode()
                )
            return await guarded("t")(heard)

        async with Upstream(answer) as upstream, room(tmp_path) as there:
            server = there.add(upstream, login=PASSTHROUGH)
            status, headers, _ = await there.post(server, request(1, "tools/list"))
            port = there.service.port
            where = f"http://127.0.0.1:{port}/{server.id}/.well-known/oauth-protected-resource/mcp"
            assert (status, headers["WWW-Authenticate"]) == (401, f'Bearer resource_metadata="{where}"')
            well_known = f"http://127.0.0.1:{port}/.well-known/oauth-protected-resource/{server.id}/mcp"
            for url in (where, well_known):
                async with there.client.get(url) as response:
                    assert (await response.json())["resource"] == str(there.url(server))
            assert (await there.post(server, request(2, "tools/list"), authorization="Bearer t"))[0] == 200
            plain = there.add(upstream)
            async with there.client.get(there.url(plain, "/.well-known/oauth-protected-resource/mcp")) as response:
                assert response.status == 404

    run(scenario())


def test_a_token_takes_the_place_of_the_apps_own():
    assert with_token([("authorization", "a"), ("X", "1")], "Bearer b") == [("X", "1"), ("Authorization", "Bearer b")]
    assert with_token([("Authorization", "a")], "") == []


def test_a_name_and_password_in_the_entrys_url_reach_the_server_and_no_other(tmp_path):
    async def scenario():
        async with Upstream() as upstream, room(tmp_path) as there:
            server = there.add(upstream.url().replace("//", "//user:secret@"))
            await there.call(server, "echo")
            await there.call(server, "echo", authorization="Bearer own")
            sent = [heard.headers["Authorization"] for heard in upstream.heard]
            assert sent == ["Basic dXNlcjpzZWNyZXQ=", "Bearer own"]

    run(scenario())


def test_a_token_that_is_refused_again_is_not_refreshed_for_every_call(tmp_path):
    code = "import json, sys; open(sys.argv[1], 'a').write('x'); print(json.dumps({'access_token': 'same'}))"
    calls = tmp_path / "calls"
    where = {"login": "\0".join([sys.executable, "-c", code, str(calls)])}

    async def scenario():
        async with Upstream(guarded()) as upstream, room(tmp_path, where=where) as there:
            server = there.add(upstream, login=OUR_LOGIN)
            for _ in range(4):
                assert (await there.call(server, "echo"))[1]["result"]["isError"]
            assert len(calls.read_text()) == 2  # once for the first token, once to refresh it

    run(scenario())
