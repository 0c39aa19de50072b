"""An app that logs in itself finds the server's metadata wherever that has it, and nothing else."""

import json

import pytest

from mcpgov.remote_servers import PASSTHROUGH
from tests.helpers import upstreams
from tests.helpers.remote_rooms import request, room, run
from tests.helpers.upstreams import Upstream, as_json

web = upstreams.web
NAME = "/.well-known/oauth-protected-resource"


def asking(path, named=""):
    """A server that has its metadata there, names a path, and wants a login for all else."""

    async def answer(heard):
        if heard.path == path and heard.method == "GET":
            resource = {"resource": f"http://{heard.headers['Host']}/", "authorization_servers": ["https://as"]}
            return as_json(json.dumps(resource).encode())
        if heard.path.startswith("/.well-known/"):
            return web.Response(status=404)
        wanted = f'Bearer resource_metadata="http://{heard.headers["Host"]}{named}"' if named else "Bearer"
        return web.Response(status=401, headers={"WWW-Authenticate": wanted}, text="no")

    return answer


async def told(there, path):
    async with there.client.get(f"http://127.0.0.1:{there.service.port}{path}", headers={"Cookie": "a=b"}) as response:
        return response.status, (await response.json())["resource"] if response.status == 200 else ""


@pytest.mark.parametrize("place", [f"{NAME}/mcp", NAME])
def test_the_name_in_front_finds_the_metadata_at_the_path_and_at_the_origin(tmp_path, place):
    async def scenario():
        async with Upstream(asking(place)) as upstream, room(tmp_path) as there:
            server = there.add(upstream, login=PASSTHROUGH)
            assert await told(there, f"{NAME}/{server.id}/mcp") == (200, str(there.url(server)))
            assert all("Cookie" not in heard.headers for heard in upstream.heard)
            assert await told(there, f"/.well-known/openid-configuration/{server.id}/mcp") == (404, "")
            assert await told(there, NAME) == (404, "")
            plain = there.add(upstream)
            assert await told(there, f"{NAME}/{plain.id}/mcp") == (404, "")

    run(scenario())


@pytest.mark.parametrize("method", ["POST", "GET"])
def test_metadata_is_where_the_server_names_it(tmp_path, method):
    async def scenario():
        async with Upstream(asking("/custom/m.json", "/custom/m.json")) as upstream, room(tmp_path) as there:
            server = there.add(upstream, login=PASSTHROUGH)
            assert await told(there, f"/{server.id}/custom/m.json") == (404, "")
            if method == "POST":
                status, headers, _ = await there.post(server, request(1, "tools/list"))
            else:
                async with there.client.get(there.url(server), headers={"Accept": "text/event-stream"}) as response:
                    status, headers = response.status, response.headers
            where = f"http://127.0.0.1:{there.service.port}/{server.id}/custom/m.json"
            assert (status, headers["WWW-Authenticate"]) == (401, f'Bearer resource_metadata="{where}"')
            assert await told(there, f"/{server.id}/custom/m.json") == (200, str(there.url(server)))
            assert await told(there, f"/{server.id}/custom/other.json") == (404, "")

    run(scenario())


def test_metadata_of_a_server_at_the_root_is_rewritten(tmp_path):
    async def scenario():
        async with Upstream(asking(NAME, NAME)) as upstream, room(tmp_path) as there:
            server = there.add(upstream.url().removesuffix("mcp"), login=PASSTHROUGH)
            assert await told(there, f"/{server.id}{NAME}") == (200, str(there.url(server)))

    run(scenario())


def test_a_server_cannot_name_its_own_stream_as_metadata(tmp_path):
    async def scenario():
        async with Upstream(asking("", "/mcp")) as upstream, room(tmp_path) as there:
            server = there.add(upstream, login=PASSTHROUGH)
            await there.post(server, request(1, "tools/list"))
            await told(there, f"/{server.id}/mcp")
            assert upstream.heard[-1].headers["Cookie"] == "a=b"  # the stream's request, with the app's own headers

    run(scenario())


def test_a_server_that_cannot_be_reached_is_said_so(tmp_path):
    async def scenario():
        async with room(tmp_path) as there:
            server = there.add("http://127.0.0.1:1/mcp", login=PASSTHROUGH)
            assert await told(there, f"{NAME}/{server.id}/mcp") == (502, "")

    run(scenario())
