"""What an unauthenticated request finds."""

import asyncio

import pytest

from mcpgov.remote.access.probe import INITIALIZE, probe
from mcpgov.remote.upstream import Upstream as Client
from tests.helpers import upstreams
from tests.helpers.remote_rooms import run
from tests.helpers.upstreams import Upstream, as_json

web = upstreams.web


def found(answer, path="/mcp", timeout=5.0):
    async def scenario():
        async with Upstream(answer) as server:
            client = Client()
            result = await probe(client, server.url(path), timeout)
            await client.close()
            return result, server

    return run(scenario())


def answers(status, **headers):
    async def answer(heard):
        return web.Response(status=status, headers={key.replace("_", "-"): value for key, value in headers.items()})

    return answer


def test_a_server_that_answers_is_open_and_its_session_is_ended():
    result, server = found(upstreams.mcp(session="s"))
    assert (result.found, result.why) == ("open", "")
    assert [each.method for each in server.heard] == ["POST", "DELETE"]
    assert (server.heard[0].message, server.heard[1].headers["Mcp-Session-Id"]) == (INITIALIZE, "s")
    assert "Authorization" not in server.heard[0].headers


@pytest.mark.parametrize("status", [400, 404, 405, 406])
def test_any_answer_without_a_challenge_is_open(status):
    assert found(answers(status))[0].found == "open"


def test_a_legacy_server_is_asked_by_a_get():
    async def answer(heard):
        if heard.method == "POST":
            return web.Response(status=405)
        return web.Response(status=401)

    result, server = found(answer)
    assert (result.found, [each.method for each in server.heard][:2]) == ("credential", ["POST", "GET"])


def test_a_challenge_with_metadata_is_oauth():
    wanted = 'Bearer resource_metadata="https://x/y"'
    assert found(answers(401, WWW_Authenticate=wanted))[0].found == "oauth"
    assert found(answers(403, WWW_Authenticate=wanted))[0].found == "oauth"


@pytest.mark.parametrize(
    ("place", "body"),
    [
        ("/.well-known/oauth-protected-resource/mcp", b'{"resource":"x"}'),
        ("/.well-known/oauth-protected-resource", b'{"resource":"x"}'),
        ("/.well-known/oauth-authorization-server", b'{"authorization_endpoint":"x"}'),
    ],
)
def test_metadata_at_a_known_place_is_oauth(place, body):
    async def answer(heard):
        return as_json(body) if heard.path == place else web.Response(status=401)

    assert found(answer)[0].found == "oauth"


@pytest.mark.parametrize("body", [b"no", b"[]", b"{}"])
def test_a_refusal_without_metadata_is_another_credential(body):
    async def answer(heard):
        return (
            as_json(body) if heard.method == "GET" else web.Response(status=401, headers={"WWW-Authenticate": "Basic"})
        )

    result, _ = found(answer)
    assert (result.found, result.why) == ("credential", "status 401")


def test_who_does_not_answer_is_not_reached():
    async def never(_heard):
        await asyncio.sleep(60)

    assert found(never, timeout=0.3)[0].found == "unreached"
    assert found(answers(500))[0][::2] == ("unreached", "status 500")
    assert found(answers(302, Location="http://evil.example/"))[0].found == "unreached"

    async def nobody():
        client = Client()
        result = await probe(client, "http://127.0.0.1:9/mcp")
        await client.close()
        return result

    result = run(nobody())
    assert (result.found, "cannot be reached" in result.why) == ("unreached", True)
