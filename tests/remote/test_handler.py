"""Which server a request is for, and what is compared before anything is judged."""

import asyncio
import json

from yarl import URL

from tests.helpers import upstreams
from tests.helpers.remote_rooms import META, MODERN, request, room, run, until, write_policy
from tests.helpers.talks import ALLOW_ALL
from tests.helpers.upstreams import Upstream, answer_to, as_json

CALL = {"name": "echo", "arguments": {}}


def test_only_who_knows_the_secret_reaches_a_server(tmp_path):
    async def scenario():
        async with Upstream() as upstream, room(tmp_path) as there:
            server = there.add(upstream)
            assert (await there.call(server, "echo"))[0] == 200
            for path in ("/", "/mcp", f"/{server.id[:-1]}/mcp", f"/{server.id}x/mcp", f"/{server.id}/../mcp", "//x"):
                url = f"http://127.0.0.1:{there.service.port}"
                async with there.client.post(
                    URL(url + path, encoded=True),
                    json=request(1, "ping"),
                ) as response:
                    assert response.status == 404
            assert len(upstream.heard) == 1

    run(scenario())


def test_a_server_that_was_taken_out_is_gone_and_a_new_one_is_there(tmp_path):
    async def scenario():
        async with Upstream() as upstream, room(tmp_path) as there:
            first = there.add(upstream)
            assert (await there.call(first, "echo"))[0] == 200
            second = there.add(upstream, name="other")
            assert (await there.call(second, "echo"))[0] == 200
            (there.places.remote_servers / f"{first.id}.json").unlink()
            assert (await there.post(first, request(1, "ping")))[0] == 404

    run(scenario())


def test_what_the_client_appends_goes_on_and_the_entrys_query_stays_with_us(tmp_path):
    async def scenario():
        async with Upstream() as upstream, room(tmp_path) as there:
            server = there.add(upstream, "/mcp?key=secret")
            await there.post(server, request(1, "ping"), "/mcp/a%20b?x=%2F")
            await there.post(server, request(1, "ping"), "/mcp")
            assert [each.path for each in upstream.heard] == ["/mcp/a%20b?key=secret&x=%2F", "/mcp?key=secret"]
            status, _, _ = await there.post(server, request(1, "ping"), "/elsewhere")
            assert (status, len(upstream.heard)) == (404, 2)

    run(scenario())


def test_headers_pass_and_those_of_the_connection_do_not(tmp_path):
    async def scenario():
        async with Upstream() as upstream, room(tmp_path) as there:
            own = f"http://127.0.0.1:{there.service.port}"
            await there.post(there.add(upstream), request(1, "ping"), authorization="Bearer t", x_own="1", origin=own)
            heard = upstream.heard[0].headers
            assert (heard["Authorization"], heard["X-Own"]) == ("Bearer t", "1")
            assert heard["Host"] == f"127.0.0.1:{upstream.port}"
            assert heard["Accept-Encoding"] == "identity"
            assert "Origin" not in heard

    run(scenario())


def test_a_header_that_differs_from_the_body_is_refused_in_the_stateless_revision(tmp_path):
    async def scenario():
        async with Upstream() as upstream, room(tmp_path) as there:
            server = there.add(upstream)
            for change in (
                {"mcp_name": "read_it"},
                {"mcp_name": None},
                {"mcp_method": "tools/list"},
                {"mcp_method": None},
                {"mcp_protocol_version": "2025-11-25"},
                {"mcp_protocol_version": None},
            ):
                status, answer = await there.modern(server, "tools/call", CALL, 7, **change)
                assert (status, answer["id"], answer["error"]["code"]) == (400, 7, -32020)
            assert upstream.heard == []
            assert there.actions(method="tools/call") == ["refused"] * 6
            status, answer = await there.modern(server, "tools/call", CALL, mcp_name="  echo ")
            assert (status, upstream.calls) == (200, ["echo"])

    run(scenario())


def test_an_escaped_revision_in_the_body_is_seen_too(tmp_path):
    async def scenario():
        async with Upstream() as upstream, room(tmp_path) as there:
            body = json.dumps(request(1, "tools/call", {**CALL, "_meta": META})).replace("io.model", "\\u0069o.model")
            status, _, answer = await there.post(there.add(upstream), body.encode())
            assert (status, json.loads(answer)["error"]["code"]) == (400, -32020)
            assert upstream.heard == []

    run(scenario())


def test_an_argument_in_a_header_must_be_the_arguments_value(tmp_path):
    tool = {"name": "echo", "inputSchema": {"properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}}

    async def scenario():
        async def answer(heard):
            message = heard.message
            more = {"tools": [tool], "ttlMs": 1, "cacheScope": "private"} if message["method"] == "tools/list" else {}
            return as_json(answer_to(message, **more))

        async with Upstream(answer) as upstream, room(tmp_path) as there:
            server = there.add(upstream)
            await there.modern(server, "tools/list", {})
            call = {"name": "echo", "arguments": {"region": "eu"}}
            status, said = await there.modern(server, "tools/call", call, Mcp_Param_Region="us")
            assert (status, said["error"]["code"], upstream.calls) == (400, -32020, [])
            status, _ = await there.modern(server, "tools/call", call, Mcp_Param_Region="eu", Mcp_Param_New="x")
            assert (status, upstream.heard[-1].headers["Mcp-Param-New"]) == (200, "x")

    run(scenario())


def test_a_body_that_is_not_json_by_its_type_is_refused(tmp_path):
    async def scenario():
        async with Upstream() as upstream, room(tmp_path) as there:
            status, _, _ = await there.post(there.add(upstream), request(1, "ping"), content_type="text/plain")
            assert (status, upstream.heard) == (415, [])

    run(scenario())


def test_delete_ends_the_session_here_and_there(tmp_path):
    async def scenario():
        async with Upstream(upstreams.mcp(session="s")) as upstream, room(tmp_path) as there:
            server = there.add(upstream)
            await there.initialize(server)
            assert len(there.service.parts.conversations) == 1
            async with there.client.delete(there.url(server), headers={"Mcp-Session-Id": "s"}) as response:
                assert response.status == 200
            assert (upstream.heard[-1].method, len(there.service.parts.conversations)) == ("DELETE", 0)
            async with there.client.delete(there.url(there.add("http://127.0.0.1:9/mcp"))) as response:
                assert response.status == 502

    run(scenario())


def test_a_policy_that_changes_holds_for_the_next_message(tmp_path):
    async def scenario():
        async with Upstream(upstreams.mcp(session="s")) as upstream, room(tmp_path) as there:
            server = there.add(upstream)
            await there.initialize(server)
            for number in range(12):
                assert "isError" not in (await there.call(server, "echo", number, mcp_session_id="s"))[1]["result"]
            write_policy(tmp_path, '[[rule]]\naction = "deny"\ntool = "echo"\n' + ALLOW_ALL)
            many = [there.call(server, "echo", number, mcp_session_id="s") for number in range(20, 30)]
            done = await asyncio.gather(*many)
            assert all(answer["result"].get("isError") for _, answer in done)
            assert len(upstream.calls) == 12
            (tmp_path / "state" / "lock.json").write_text("{}")
            assert (await there.call(server, "read_it", 40, mcp_session_id="s"))[1]["result"]["isError"]

    run(scenario())


def test_a_changed_tool_is_held_back_in_later_exchanges_too(tmp_path):
    tools = [{"name": "echo", "description": "one"}]

    async def scenario():
        async def answer(heard):
            message = heard.message
            more = {"tools": tools} if message["method"] == "tools/list" else {}
            return as_json(answer_to(message, **more))

        async with Upstream(answer) as upstream, room(tmp_path, '[tools]\npin = "deny"\n' + ALLOW_ALL) as there:
            server = there.add(upstream)
            await there.modern(server, "tools/list", {})
            assert "isError" not in (await there.modern(server, "tools/call", CALL))[1]["result"]
            tools[0]["description"] = "two"
            _, listed = await there.modern(server, "tools/list", {})
            assert listed["result"]["tools"] == []
            assert (await there.modern(server, "tools/call", CALL))[1]["result"]["isError"]
            assert len(upstream.calls) == 1

    run(scenario())


def test_two_hundred_sessions_at_once(tmp_path):
    async def scenario():
        count = 0

        async def answer(heard):
            nonlocal count
            message = heard.message
            if message["method"] == "initialize":
                count += 1
                return as_json(answer_to(message), **{"Mcp-Session-Id": f"s{count}"})
            await asyncio.sleep(0)
            return as_json(answer_to(message, session=heard.headers["Mcp-Session-Id"]))

        async def one(there, server):
            session, _ = await there.initialize(server)
            for number in range(3):
                _, said = await there.call(server, "echo", number, mcp_session_id=session)
                assert (said["id"], said["result"]["session"]) == (number, session)

        async with Upstream(answer) as upstream, room(tmp_path) as there:
            servers = [there.add(upstream, name=f"n{number}") for number in range(4)]
            await there.initialize(servers[0])
            await asyncio.gather(*(one(there, servers[number % 4]) for number in range(200)))
            assert len(there.service.parts.conversations) == 201
            assert len({each["session"] for each in _calls(there)}) == 200

    def _calls(there):
        from tests.helpers.remote_rooms import records

        there.actions()
        return [each for each in records(tmp_path) if each["method"] == "tools/call" and each["dir"] == "client"]

    run(scenario())


def test_a_revision_header_without_a_revision_in_the_body_is_the_upstreams_to_judge(tmp_path):
    async def scenario():
        async with Upstream() as upstream, room(tmp_path) as there:
            headers = {"mcp_protocol_version": MODERN, "mcp_method": "tools/list"}
            status, _, _ = await there.post(there.add(upstream), request(1, "tools/list"), **headers)
            assert (status, len(upstream.heard)) == (200, 1)
            await until(lambda: len(there.service.parts.conversations) == 1)

    run(scenario())
