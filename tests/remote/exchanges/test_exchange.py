"""One POST after another through real sockets: what is sent on, what is answered, what is on record."""

import asyncio
import json

import aiohttp
import pytest
from aiohttp import web

from mcpgov.front.budgets.ledger_repair import charges
from mcpgov.guards.ledger.store import Ledger
from tests.helpers import upstreams
from tests.helpers.remote_rooms import BOTH, DENY_DELETE, message_in, messages_in, request, room, run, until
from tests.helpers.talks import ALLOW_ALL
from tests.helpers.task_server import TaskServer
from tests.helpers.upstreams import Upstream, answer_to, as_events, as_json, event

CALL = request(3, "tools/call", {"name": "echo", "arguments": {}})
NEWS = b'{"jsonrpc":"2.0","method":"notifications/message"}'
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def test_a_call_passes_byte_for_byte_and_is_on_record_before_it_is_sent(tmp_path):
    params = b'{"name":"echo","arguments":{"n":1.50, "t":"\xc3\xa4"}}'
    body = b'{"jsonrpc":"2.0", "id":7,"method":"tools/call","params":' + params + b"}"
    told = b'{"result":{"content":[],"x":1.0e3},  "jsonrpc":"2.0","id":7}'

    async def scenario():
        async def answer(heard):
            kept.append(there.actions(method="tools/call"))
            return as_json(told)

        kept = []
        async with Upstream(answer) as upstream, room(tmp_path) as there:
            server = there.add(upstream)
            status, headers, got = await there.post(server, body)
            assert (status, got, upstream.heard[0].body) == (200, told, body)
            assert kept == [["allow"]]
            assert headers["Content-Type"] == "application/json"
            assert there.actions(method="tools/call") == ["allow", "answered"]

    run(scenario())


def test_a_denied_call_is_a_result_with_status_200_and_nothing_goes_upstream(tmp_path):
    async def scenario():
        async with Upstream() as upstream, room(tmp_path, DENY_DELETE) as there:
            server = there.add(upstream)
            status, answer = await there.call(server, "delete_it")
            assert (status, answer["result"]["isError"], upstream.heard) == (200, True, [])
            status, answer = await there.modern(server, "tools/call", {"name": "delete_it", "arguments": {}})
            assert (status, answer["result"]["resultType"], upstream.heard) == (200, "complete", [])
            assert there.actions(method="tools/call") == ["deny", "deny"]

    run(scenario())


def test_events_pass_byte_for_byte(tmp_path):
    async def scenario():
        raw = b": hello\r\n\r\nid: 7\r\nevent: message\r\ndata: " + answer_to(CALL) + b"\r\n\r\n"

        async def answer(heard):
            return await as_events(heard, raw[:5], raw[5:40], raw[40:])

        async with Upstream(answer) as upstream, room(tmp_path) as there:
            status, headers, got = await there.post(there.add(upstream), CALL)
            assert (status, headers["Content-Type"], got) == (200, "text/event-stream", raw)

    run(scenario())


@pytest.mark.parametrize("before", [b"", b": hello\n\n", event(NEWS)])
def test_a_stream_that_came_whole_passes_byte_for_byte(tmp_path, before):
    async def scenario():
        raw = before + event(answer_to(CALL))

        async def answer(heard):
            return web.Response(body=raw, content_type="text/event-stream")

        async with Upstream(answer) as upstream, room(tmp_path) as there:
            status, headers, got = await there.post(there.add(upstream), CALL)
            assert (status, headers["Content-Type"], got) == (200, "text/event-stream", raw)
            assert there.actions(method="tools/call") == ["allow", "answered"]

    run(scenario())


def test_a_stream_that_came_whole_without_an_answer_gets_ours(tmp_path):
    async def scenario():
        async def answer(heard):
            return web.Response(body=b": nothing\n\n", content_type="text/event-stream")

        async with Upstream(answer) as upstream, room(tmp_path) as there:
            status, _, got = await there.post(there.add(upstream), CALL)
            assert (status, got.startswith(b": nothing\n\n"), b'"error"' in got) == (200, True, True)

    run(scenario())


def test_a_session_of_the_handshake_era_is_one_conversation(tmp_path):
    async def scenario():
        async with Upstream(upstreams.mcp(session="abc", events=True)) as upstream, room(tmp_path) as there:
            server = there.add(upstream)
            session, answer = await there.initialize(server)
            assert (session, answer["result"]["protocolVersion"]) == ("abc", "2025-11-25")
            for number in range(3):
                assert (await there.call(server, "echo", number + 1, mcp_session_id=session))[0] == 200
            assert len(there.service.parts.conversations) == 1
            status, _, _ = await there.post(server, INITIALIZED, mcp_session_id=session)
            assert (status, upstream.messages[-1]) == (202, INITIALIZED)

    run(scenario())


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"[]", 400, -32600),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 400, -32600),
        (b"{", 400, -32700),
        (b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', 400, -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"no/such"}', 200, -32601),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":3}}', 200, -32602),
    ],
)
def test_what_cannot_be_read_is_400_and_an_unknown_method_200(tmp_path, body, status, code):
    async def scenario():
        async with Upstream() as upstream, room(tmp_path) as there:
            got, _, answer = await there.post(there.add(upstream), body)
            assert (got, json.loads(answer)["error"]["code"], upstream.heard) == (status, code, [])

    run(scenario())


def test_an_unknown_method_of_the_stateless_revision_is_404(tmp_path):
    async def scenario():
        async with Upstream() as upstream, room(tmp_path) as there:
            status, answer = await there.modern(there.add(upstream), "no/such", {})
            assert (status, answer["error"]["code"], upstream.heard) == (404, -32601, [])

    run(scenario())


def test_the_upstreams_status_and_words_are_kept(tmp_path):
    error = b'{"jsonrpc":"2.0","id":3,"error":{"code":-32022,"message":"unsupported"}}'

    async def scenario():
        async def answer(heard):
            if heard.path.endswith("words"):
                return upstreams.web.Response(status=404, text="Session not found")
            return as_json(error, 400)

        async with Upstream(answer) as upstream, room(tmp_path) as there:
            server = there.add(upstream)
            status, _, body = await there.post(server, CALL)
            assert (status, body) == (400, error)
            status, _, body = await there.post(server, CALL, "/mcp/words")
            assert (status, body) == (404, b"Session not found")
            assert there.actions(method="tools/call") == ["allow", "answered", "allow", "failed"]

    run(scenario())


def test_two_clients_may_use_one_id_at_once_where_there_are_no_sessions(tmp_path):
    async def scenario():
        release = asyncio.Event()

        async def answer(heard):
            await release.wait()
            return as_json(answer_to(heard.message))

        async with Upstream(answer) as upstream, room(tmp_path) as there:
            server = there.add(upstream)
            modern = [there.modern(server, "tools/call", {"name": f"t{n}", "arguments": {}}, 1) for n in range(5)]
            plain = [there.call(server, f"u{n}", 1) for n in range(5)]
            work = [asyncio.create_task(each) for each in modern + plain]
            await until(lambda: len(upstream.heard) == 10)
            release.set()
            done = await asyncio.gather(*work)
            texts = [answer["result"]["content"][0]["text"] for _, answer in done]
            assert texts == [f"did t{n}" for n in range(5)] + [f"did u{n}" for n in range(5)]
            assert len(there.service.parts.conversations) == 2

    run(scenario())


def test_an_id_that_is_open_in_a_session_is_refused(tmp_path):
    async def scenario():
        release = asyncio.Event()

        async def answer(heard):
            if heard.message["method"] == "tools/call":
                await release.wait()
            return await upstreams.mcp(session="s")(heard)

        async with Upstream(answer) as upstream, room(tmp_path) as there:
            server = there.add(upstream)
            await there.initialize(server)
            first = asyncio.create_task(there.call(server, "echo", 5, mcp_session_id="s"))
            await until(lambda: len(upstream.heard) == 2)
            status, second = await there.call(server, "echo", 5, mcp_session_id="s")
            assert (status, second["error"]["code"]) == (400, -32600)
            release.set()
            assert (await first)[0] == 200

    run(scenario())


def test_a_disconnect_is_passed_on_in_the_stateless_revision(tmp_path):
    async def scenario():
        async with Upstream(_never) as upstream, room(tmp_path) as there:
            server = there.add(upstream)
            call = asyncio.create_task(there.modern(server, "tools/call", {"name": "echo", "arguments": {}}))
            await until(lambda: upstream.heard)
            call.cancel()
            await asyncio.wait_for(upstream.hung_up.wait(), 15)
            await until(lambda: "cancelled" in there.actions(method="tools/call"))

    run(scenario())


def test_a_disconnect_is_not_passed_on_in_the_handshake_eras(tmp_path):
    async def scenario():
        release = asyncio.Event()

        async def answer(heard):
            await release.wait()
            return as_json(answer_to(heard.message))

        async with Upstream(answer) as upstream, room(tmp_path) as there:
            server = there.add(upstream)
            call = asyncio.create_task(there.call(server, "echo"))
            await until(lambda: upstream.heard)
            call.cancel()
            await until(lambda: not there.service.listener.connections)
            release.set()
            await until(lambda: there.actions(method="tools/call") == ["allow", "answered"])
            assert upstream.gone == 0

    run(scenario())


def test_a_stream_that_can_be_resumed_is_let_go_of(tmp_path):
    async def scenario():
        async def answer(heard):
            response = await as_events(heard, b"id: 1\ndata: \n\n", finish=False)
            await asyncio.sleep(30)
            return response

        async with Upstream(answer) as upstream, room(tmp_path) as there:
            server = there.add(upstream)
            response = await there.client.post(there.url(server), json=CALL, headers={"Accept": BOTH})
            assert await response.content.readany() == b"id: 1\ndata: \n\n"
            response.close()
            await asyncio.wait_for(upstream.hung_up.wait(), 15)

    run(scenario())


async def _never(_heard):
    await asyncio.sleep(30)


def test_an_upstream_that_dies_in_mid_stream_leaves_a_cut_stream(tmp_path):
    async def scenario():
        async def answer(heard):
            response = await as_events(heard, event(NEWS), finish=False)
            heard.request.transport.abort()
            return response

        async with Upstream(answer) as upstream, room(tmp_path) as there:
            server = there.add(upstream)
            response = await there.client.post(there.url(server), json=CALL, headers={"Accept": BOTH})
            with pytest.raises(aiohttp.ClientPayloadError):
                await response.read()
            assert there.actions(method="tools/call") == ["allow", "failed"]

    run(scenario())


def test_half_a_json_answer_is_502_with_an_error_for_the_request(tmp_path):
    async def scenario():
        async def answer(heard):
            response = upstreams.web.StreamResponse(
                headers={"Content-Type": "application/json", "Content-Length": "99"}
            )
            await response.prepare(heard.request)
            await response.write(b'{"jsonrpc":')
            heard.request.transport.abort()
            return response

        async with Upstream(answer) as upstream, room(tmp_path) as there:
            status, answer_ = await there.call(there.add(upstream), "echo", 9)
            assert (status, answer_["id"], answer_["error"]["code"]) == (502, 9, -32603)

    run(scenario())


def test_nobody_upstream_is_502_and_on_record(tmp_path):
    async def scenario():
        async with room(tmp_path) as there:
            server = there.add("http://127.0.0.1:9/mcp")
            status, answer = await there.call(server, "echo", 4)
            assert (status, answer["id"]) == (502, 4)
            assert "cannot be reached" in answer["error"]["message"]
            assert there.actions(method="tools/call") == ["allow", "failed"]
            [row] = there.service.parts.report(1)["remote"]
            assert (row["state"], row["calls"]) == ("down", 1)

    run(scenario())


def test_a_stream_without_an_answer_gets_ours(tmp_path):
    async def scenario():
        async def answer(heard):
            return await as_events(heard, event(NEWS))

        async with Upstream(answer) as upstream, room(tmp_path) as there:
            status, _, body = await there.post(there.add(upstream), CALL)
            first, second = messages_in(body)
            assert (status, first["method"], second["id"]) == (200, "notifications/message", 3)
            assert second["error"]["code"] == -32603

    run(scenario())


def test_a_denied_request_of_the_server_is_answered_by_a_post_of_ours(tmp_path):
    policy = '[[rule]]\naction = "deny"\nmethod = "sampling/createMessage"\n[[rule]]\naction = "allow"\ntool = "*"\n'
    sampling = {
        "jsonrpc": "2.0",
        "id": "q",
        "method": "sampling/createMessage",
        "params": {"messages": [], "maxTokens": 1},
    }

    async def scenario():
        answered = asyncio.Event()

        async def answer(heard):
            message = heard.message
            if "method" not in message:
                answered.set()
                return upstreams.web.Response(status=202)
            if message["method"] != "tools/call":
                return await upstreams.mcp(session="s")(heard)
            response = await as_events(heard, event(json.dumps(sampling).encode(), "e1"), finish=False)
            await asyncio.wait_for(answered.wait(), 15)
            await response.write(event(answer_to(message), "e2"))
            return response

        async with Upstream(answer) as upstream, room(tmp_path, policy) as there:
            server = there.add(upstream)
            await there.initialize(server)
            status, _, body = await there.post(server, CALL, mcp_session_id="s", authorization="Bearer t")
            assert (status, [each["id"] for each in messages_in(body)]) == (200, [3])
            assert body.startswith(b"id: e1\ndata: \n\n")
            ours = upstream.heard[-1]
            assert (ours.message["id"], ours.message["error"]["code"]) == ("q", -32001)
            assert (ours.headers["Mcp-Session-Id"], ours.headers["Authorization"]) == ("s", "Bearer t")

    run(scenario())


def test_a_request_of_the_server_is_answered_by_the_client_with_and_without_sessions(tmp_path):
    asked = {"jsonrpc": "2.0", "id": 77, "method": "roots/list"}

    async def scenario(session):
        answered = asyncio.Event()

        async def answer(heard):
            message = heard.message
            if "method" not in message:
                answered.set()
                return upstreams.web.Response(status=202)
            if message["method"] != "tools/call":
                return await upstreams.mcp(session=session)(heard)
            response = await as_events(heard, event(json.dumps(asked).encode()), finish=False)
            await asyncio.wait_for(answered.wait(), 15)
            await response.write(event(answer_to(message)))
            return response

        async with Upstream(answer) as upstream, room(tmp_path) as there:
            server = there.add(upstream)
            await there.initialize(server)
            more = {"mcp_session_id": session or None}
            call = asyncio.create_task(there.post(server, CALL, **more))
            await until(lambda: any(each.asker_of(77) for each in there.service.parts.conversations.all()))
            reply = {"jsonrpc": "2.0", "id": 77, "result": {"roots": []}}
            assert (await there.post(server, reply, **more))[0] == 202
            status, _, body = await call
            assert (status, [each["id"] for each in messages_in(body)]) == (200, [77, 3])
            assert upstream.messages[-1] == reply

    run(scenario(""))
    run(scenario("s"))


def test_what_cannot_be_recorded_is_denied(tmp_path):
    async def scenario():
        async with Upstream() as upstream, room(tmp_path) as there:
            server = there.add(upstream)
            assert (await there.call(server, "echo"))[0] == 200
            for file in (tmp_path / "state" / "journal").glob("*"):
                file.unlink()
            (tmp_path / "state" / "journal").rmdir()
            (tmp_path / "state" / "journal").write_text("")
            status, answer = await there.call(server, "echo", 2)
            assert (status, answer["result"]["isError"], len(upstream.heard)) == (200, True, 1)
            assert "recorded" in answer["result"]["content"][0]["text"]

    run(scenario())


def test_a_list_that_is_filtered_is_private(tmp_path):
    async def scenario():
        async def answer(heard):
            return as_json(answer_to(heard.message, ttlMs=5, cacheScope="public"))

        async with Upstream(answer) as upstream, room(tmp_path, DENY_DELETE) as there:
            server = there.add(upstream)
            _, listed = await there.modern(server, "tools/list", {})
            assert [tool["name"] for tool in listed["result"]["tools"]] == ["read_it", "echo"]
            assert (listed["result"]["cacheScope"], listed["result"]["ttlMs"]) == ("private", 5)

    run(scenario())


def test_a_large_answer_and_a_large_call_pass(tmp_path):
    async def scenario():
        async def answer(heard):
            return as_json(
                json.dumps({"jsonrpc": "2.0", "id": 3, "result": {"content": [{"type": "text", "text": big}]}}).encode()
            )

        big = "x" * (3 << 20)
        async with Upstream(answer) as upstream, room(tmp_path) as there:
            server = there.add(upstream)
            sent = json.dumps(request(3, "tools/call", {"name": "echo", "arguments": {"t": big}})).encode()
            status, _, body = await there.post(server, sent)
            assert (status, len(message_in(body)["result"]["content"][0]["text"])) == (200, 3 << 20)
            assert upstream.heard[0].body == sent

    run(scenario())


def test_arguments_that_were_cut_are_cut_in_the_headers_that_repeat_them_too(tmp_path):
    tool = {"name": "echo", "inputSchema": {"properties": {"key": {"type": "string", "x-mcp-header": "Key"}}}}
    cut = '[[rule]]\nname = "cut"\naction = "redact"\ntool = "echo"\ncontains = ["secret"]\n' + ALLOW_ALL

    async def scenario():
        async def answer(heard):
            more = {"tools": [tool]} if heard.message["method"] == "tools/list" else {}
            return as_json(answer_to(heard.message, **more))

        async with Upstream(answer) as upstream, room(tmp_path, cut) as there:
            server = there.add(upstream)
            await there.modern(server, "tools/list", {})
            call = {"name": "echo", "arguments": {"key": "a secret b"}}
            headers = {"Mcp_Param_Key": "a secret b", "Mcp_Param_Other": "a secret b"}
            status, _ = await there.modern(server, "tools/call", call, **headers)
            heard = upstream.heard[-1]
            assert (status, heard.message["params"]["arguments"]["key"]) == (200, "a [REDACTED] b")
            assert (heard.headers["Mcp-Param-Key"], heard.headers["Mcp-Name"]) == ("a [REDACTED] b", "echo")
            assert "Mcp-Param-Other" not in heard.headers

    run(scenario())


def test_a_session_that_the_server_has_ended_is_forgotten(tmp_path):
    async def scenario():
        async with Upstream(upstreams.mcp(session="new")) as upstream, room(tmp_path) as there:
            server = there.add(upstream)
            status, _ = await there.call(server, "echo", 1, mcp_session_id="old")
            assert (status, len(there.service.parts.conversations)) == (404, 0)

    run(scenario())


def test_a_request_of_the_server_that_nobody_answered_leaves_its_lane_free(tmp_path):
    asked = request("q", "roots/list")

    async def scenario():
        async def answer(heard):
            return await as_events(heard, event(json.dumps(asked).encode()), event(answer_to(heard.message)))

        async with Upstream(answer) as upstream, room(tmp_path) as there:
            server = there.add(upstream)
            for number in range(4):
                assert (await there.post(server, {**CALL, "id": number}))[0] == 200
            [conversation] = there.service.parts.conversations.all()
            assert (len(conversation.session.lanes), conversation.users) == (1, 0)
            status, _, _ = await there.post(server, {"jsonrpc": "2.0", "id": "q", "result": {"roots": []}})
            assert (status, upstream.messages[-1].get("id")) == (202, 3)  # nobody waits for it any more

    run(scenario())


def test_a_fault_of_our_own_answers_the_request_and_lets_nothing_pass(tmp_path, monkeypatch):
    async def scenario():
        async with Upstream() as upstream, room(tmp_path) as there:
            server = there.add(upstream)
            await there.call(server, "echo", 1)

            def fault(*_args, **_how):
                raise RuntimeError("x")

            monkeypatch.setattr(there.service.parts, "send", fault)
            status, answer = await there.call(server, "echo", 2)
            assert (status, answer["id"], answer["error"]["code"], len(upstream.heard)) == (500, 2, -32603, 1)
            monkeypatch.undo()
            assert (await there.call(server, "echo", 2))[0] == 200

    run(scenario())


COUNTED = """
default = "allow"
[[limit]]
name = "two"
tool = "echo"
rate = "2/hour"
each = "server"
[[limit]]
name = "asked"
method = "sampling/createMessage"
rate = "1/hour"
[[budget]]
name = "money"
limit = 2
per = "session"
tool = "pay"
"""


def test_limits_and_budgets_hold_over_http_in_both_eras(tmp_path):
    async def scenario():
        async with Upstream() as upstream, room(tmp_path, COUNTED) as there:
            one, two = there.add(upstream), there.add(upstream, name="more")
            for server in (one, two):
                for ident in (1, 2):
                    assert "isError" not in (await there.call(server, "echo", ident))[1]["result"]
            assert len(upstream.heard) == 4
            _, answer = await there.call(one, "echo", 3)
            told = answer["result"]["_meta"]["mcpgov/decision"]
            assert (told["code"], told["kind"], told["limit"]) == (-32004, "rate_limit", "two")
            assert told["retry_after"] > 0
            _, answer = await there.modern(one, "tools/call", {"name": "echo", "arguments": {}})
            assert answer["result"]["_meta"]["mcpgov/decision"]["code"] == -32004
            paid = [(await there.call(one, "pay", ident))[1]["result"] for ident in (4, 5, 6)]
            assert paid[2]["_meta"]["mcpgov/decision"]["kind"] == "budget"
            assert len(upstream.heard) == 6
            assert there.actions(dir="proxy", method="tools/call") == ["charged", "warned", "charged"]

    run(scenario())


TASKS = """default = "allow"
[[budget]]
name = "priced"
limit = 9
per = "total"
cost = 0.1
cost_from = "result.usage.total_cost"
[[budget]]
name = "done"
limit = 9
per = "total"
charge = "success"
"""


def spent(there):
    ledger = Ledger(str(there.places.ledger))
    found = {each.key: (each.spent / 1e6, each.held / 1e6) for each in ledger.standing()}
    ledger.close()
    return found


@pytest.mark.parametrize("events", [False, True])
def test_tasks_are_charged_by_their_true_results_in_both_eras(tmp_path, events):
    async def scenario():
        server = TaskServer()

        async def answer(heard):
            if heard.method != "POST":
                return web.Response(status=200)
            body = json.dumps(server.answer(heard.message)).encode()
            session = {"Mcp-Session-Id": "abc"} if heard.message["method"] == "initialize" else {}
            return await as_events(heard, event(body), headers=session) if events else as_json(body, **session)

        async with Upstream(answer) as upstream, room(tmp_path, TASKS) as there:
            entry = there.add(upstream)
            session, _ = await there.initialize(entry)
            within = {"mcp_session_id": session}

            async def ask(ident, method, params):
                return message_in((await there.post(entry, request(ident, method, params), **within))[2])["result"]

            async def task(ident, **args):
                made = await ask(ident, "tools/call", {"name": "work", "arguments": args, "task": {"ttl": 60000}})
                return {"taskId": made["task"]["taskId"]}

            first = await task(1, cost=0.5)
            assert spent(there) == {"priced": (0.0, 0.1), "done": (0.0, 1.0)}
            assert (await ask(2, "tasks/get", first))["status"] == "completed"
            for ident in (3, 4):
                assert (await ask(ident, "tasks/result", first))["usage"] == {"total_cost": 0.5}
            assert spent(there) == {"priced": (0.5, 0.0), "done": (1.0, 0.0)}
            await ask(6, "tasks/cancel", await task(5, status="working"))
            await task(7, cost=0.5)
            # Unasked, in the stateless revision, each POST by itself.
            _, made = await there.modern(entry, "tools/call", {"name": "work", "arguments": {"cost": 0.25}})
            _, got = await there.modern(entry, "tasks/get", {"taskId": made["result"]["taskId"]}, mcp_name=None)
            assert got["result"]["result"]["usage"] == {"total_cost": 0.25}
            assert spent(there) == {"priced": (0.85, 0.1), "done": (2.0, 1.0)}
            async with there.client.delete(there.url(entry), headers={"Mcp-Session-Id": session}) as done:
                assert done.status == 200
            assert spent(there) == {"priced": (0.95, 0.0), "done": (2.0, 0.0)}
            assert there.actions(action="charged") == ["charged"] * 4
            rebuilt = {key: amount / 1e6 for (key, _), (amount, _, _) in charges(there.places.journal).items()}
            assert rebuilt == {"priced": 0.95, "done": 2.0}

    run(scenario())


def test_a_limit_on_sampling_holds_inside_what_a_remote_server_answers(tmp_path):
    wanted = {"k": {"method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 1}}}

    async def scenario():
        async def answer(heard):
            ident = json.loads(heard.body)["id"]
            result = {"resultType": "input_required", "inputRequests": wanted, "requestState": "s"}
            return as_json(json.dumps({"jsonrpc": "2.0", "id": ident, "result": result}).encode())

        async with Upstream(answer) as upstream, room(tmp_path, COUNTED) as there:
            server = there.add(upstream)
            _, first = await there.modern(server, "tools/call", {"name": "other", "arguments": {}})
            assert first["result"]["inputRequests"] == wanted
            _, second = await there.modern(server, "tools/call", {"name": "other", "arguments": {}}, ident=2)
            assert second["result"]["_meta"]["mcpgov/decision"]["limit"] == "asked"

    run(scenario())
