"""One conversation without a wire: lanes, records, questions, in both eras."""

import asyncio
import json

import pytest

from mcpgov.live.journal_writer import MOST_LATE
from mcpgov.remote.sessions.conversation import cancelled_id
from tests.helpers.asked_daemon import AskedDaemon
from tests.helpers.remote_rooms import BOTH, META, messages_in, records, request, room, run, until
from tests.helpers.talks import ALLOW_ALL
from tests.helpers.upstreams import Upstream, mcp

ASKS = '[[rule]]\nname = "sure"\naction = "prompt"\ntool = "delete_*"\nmessage = "really?"\n' + ALLOW_ALL
DELETE = {"name": "delete_it", "arguments": {"path": "/tmp/x"}}
PARAMS = {"message": "sure?", "requestedSchema": {"type": "object", "properties": {}}}
YES = {"action": "accept", "content": {"decision": "once"}}


class RemoteDaemon(AskedDaemon):
    """The process has a link of its own; what is asked comes over another one."""

    def accept(self):
        self.process, _ = self.sock.accept()
        hello = json.loads(self.process.recv(1 << 16).partition(b"\n")[0])
        assert (hello["kind"], hello["session"]) == ("remote", "")
        self.peer, _ = self.sock.accept()
        self.peer.settimeout(30)
        self.hello = self.line()
        assert (self.hello["op"], self.hello["kind"]) == ("register", "remote-session")
        self.say({"v": 1, "ok": True})
        return self

    def close(self):
        if self.peer is not None:
            self.process.close()
        super().close()


@pytest.fixture
def daemon(tmp_path):
    (tmp_path / "run").mkdir(mode=0o700)
    made = RemoteDaemon(tmp_path)
    yield made
    made.close()


async def asked(daemon):
    """What the daemon's side waits for is waited for beside the loop."""
    return await asyncio.get_running_loop().run_in_executor(None, daemon.asked)


def test_a_yes_sends_the_held_call_and_a_no_denies_it(tmp_path, daemon):
    async def scenario():
        async with Upstream(mcp(session="s")) as upstream, room(tmp_path, ASKS) as there:
            server = there.add(upstream)
            await there.initialize(server)
            call = asyncio.create_task(there.call(server, "delete_it", 1, DELETE["arguments"], mcp_session_id="s"))
            ask = await asked(daemon)
            assert (ask["question"]["client"], ask["question"]["server"]) == ("cursor", "docs")
            assert (await there.call(server, "read_it", 2, mcp_session_id="s"))[0] == 200
            assert upstream.calls == ["read_it"]
            daemon.allow(ask)
            status, answer = await call
            assert (status, answer["result"]["content"][0]["text"]) == (200, "did delete_it")
            call = asyncio.create_task(there.call(server, "delete_it", 3, DELETE["arguments"], mcp_session_id="s"))
            ask = await asked(daemon)
            daemon.say({"id": ask["id"], "ok": True, "verdict": "deny", "answer": "refused", "text": "no"})
            status, answer = await call
            assert (status, answer["result"]["isError"], upstream.calls) == (200, True, ["read_it", "delete_it"])
            assert there.actions(method="tools/call", tool="delete_it") == [
                "prompt", "resumed", "answered", "prompt", "deny",
            ]  # fmt: skip

    run(scenario())


def test_without_a_daemon_what_asks_is_denied_with_what_to_type(tmp_path):
    async def scenario():
        async with Upstream() as upstream, room(tmp_path, ASKS) as there:
            server = there.add(upstream)
            for status, answer in (
                await there.call(server, "delete_it"),
                await there.modern(server, "tools/call", DELETE),
            ):
                assert (status, answer["result"]["isError"]) == (200, True)
                assert "mcpgov allow docs delete_it" in answer["result"]["content"][0]["text"]
            assert upstream.heard == []

    run(scenario())


def test_the_app_is_asked_on_the_stream_of_the_held_call(tmp_path, daemon):
    async def scenario():
        async with Upstream(mcp(session="s")) as upstream, room(tmp_path, ASKS) as there:
            server = there.add(upstream)
            await there.initialize(server, capabilities={"elicitation": {}})
            headers = {"Accept": BOTH, "Mcp-Session-Id": "s"}
            sent = request(1, "tools/call", DELETE)
            call = asyncio.ensure_future(there.client.post(there.url(server), json=sent, headers=headers))
            ask = await asked(daemon)
            daemon.say({"op": "elicit", "number": ask["question"]["number"], "params": PARAMS})
            response = await asyncio.wait_for(call, 10)
            [question] = messages_in(await response.content.readany())
            assert (question["method"], question["params"]) == ("elicitation/create", PARAMS)
            answer = {"jsonrpc": "2.0", "id": question["id"], "result": YES}
            assert (await there.post(server, answer, mcp_session_id="s"))[0] == 202
            word = await asyncio.get_running_loop().run_in_executor(None, daemon.next, "app")
            assert word["word"] == "once"
            daemon.allow(ask)
            messages = messages_in(await response.read())
            assert [each.get("id", each.get("method")) for each in messages] == ["notifications/cancelled", 1] or [
                each["id"] for each in messages
            ] == [1]
            assert upstream.calls == ["delete_it"]
            assert all("result" not in each or each.get("id") != question["id"] for each in upstream.messages)

    run(scenario())


def test_in_the_stateless_revision_the_result_asks_and_the_retry_brings_the_answer(tmp_path, daemon):
    meta = {**META, "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}}}

    async def scenario():
        async with Upstream() as upstream, room(tmp_path, ASKS) as there:
            server = there.add(upstream)

            def post(ident, **more):
                sent = request(ident, "tools/call", {**DELETE, "_meta": meta, **more})
                named = {"mcp_protocol_version": "2026-07-28", "mcp_method": "tools/call", "mcp_name": "delete_it"}
                return asyncio.create_task(there.post(server, sent, **named))

            first = post(1)
            ask = await asked(daemon)
            daemon.say({"op": "elicit", "number": ask["question"]["number"], "params": PARAMS})
            status, _, body = await first
            result = json.loads(body)["result"]
            assert (status, result["resultType"], upstream.heard) == (200, "input_required", [])
            [key] = result["inputRequests"]
            # The retry is another POST, beside others with the same id.
            others = [await there.modern(server, "tools/call", {"name": "read_it", "arguments": {}}) for _ in range(2)]
            assert [status for status, _ in others] == [200, 200]
            second = post(2, requestState=result["requestState"], inputResponses={key: YES})
            ask = await asked(daemon)
            assert ask["brought"]["word"] == "once"
            daemon.allow(ask)
            status, _, body = await second
            assert (status, upstream.calls) == (200, ["read_it", "read_it", "delete_it"])
            sent = upstream.messages[-1]["params"]
            assert "requestState" not in sent
            assert "inputResponses" not in sent

    run(scenario())


def test_a_client_that_hangs_up_takes_its_question_with_it(tmp_path, daemon):
    async def scenario():
        async with Upstream(mcp(session="s")) as upstream, room(tmp_path, ASKS) as there:
            server = there.add(upstream)
            await there.initialize(server)
            call = asyncio.create_task(there.call(server, "delete_it", 1, mcp_session_id="s"))
            ask = await asked(daemon)
            call.cancel()
            gone = await asyncio.get_running_loop().run_in_executor(None, daemon.next, "cancel")
            assert gone["id"] == ask["id"]
            daemon.allow(ask)
            assert (await there.call(server, "read_it", 2, mcp_session_id="s"))[0] == 200
            assert upstream.calls == ["read_it"]

    run(scenario())


def test_a_cancellation_reaches_the_question_of_its_call(tmp_path, daemon):
    async def scenario():
        async with Upstream() as upstream, room(tmp_path, ASKS) as there:
            server = there.add(upstream)
            call = asyncio.create_task(there.call(server, "delete_it", 12))
            ask = await asked(daemon)
            note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 12}}
            assert (await there.post(server, note))[0] == 202
            gone = await asyncio.get_running_loop().run_in_executor(None, daemon.next, "cancel")
            assert (gone["id"], upstream.heard) == (ask["id"], [])
            call.cancel()

    run(scenario())


def test_a_question_that_nobody_answers_runs_out(tmp_path, daemon):
    async def scenario():
        async with Upstream() as upstream, room(tmp_path, ASKS) as there:
            server = there.add(upstream)
            call = asyncio.create_task(there.call(server, "delete_it", 1))
            ask = await asked(daemon)
            daemon.say({"op": "waits", "number": ask["question"]["number"], "wait": 0})
            status, answer = await asyncio.wait_for(call, 20)
            assert (status, answer["result"]["isError"]) == (200, True)
            assert "nobody answered" in answer["result"]["content"][0]["text"]

    run(scenario())


def test_lanes_are_used_again_and_records_of_answers_are_batched(tmp_path):
    async def scenario():
        async with Upstream() as upstream, room(tmp_path) as there:
            server = there.add(upstream)
            for number in range(20):
                await there.call(server, "echo", number)
            [conversation] = there.service.parts.conversations.all()
            assert len(conversation.session.lanes) == 1
            await asyncio.gather(*(there.call(server, "echo", 1) for _ in range(MOST_LATE + 10)))
            await until(lambda: len([each for each in records(tmp_path) if each["action"] == "answered"]) == 94)
            assert 1 < len(conversation.session.lanes) <= MOST_LATE + 10
            conversation.close()
            conversation.close()

    run(scenario())


def test_the_id_of_what_is_cancelled():
    assert cancelled_id(b'{"params":{"requestId":3}}') == 3
    assert cancelled_id(b'{"params":[]}') is None
    assert cancelled_id(b"no") is None
