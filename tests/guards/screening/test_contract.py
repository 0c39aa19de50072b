"""`[privacy]` end to end: a real proxy on stdio, and the listener with JSON and events, in both eras."""

import asyncio
import contextlib
import json
import subprocess
import uuid

import pytest
from aiohttp import web

from tests.helpers.remote_rooms import messages_in, records, request, room, run
from tests.helpers.screened import CARD, MAIL, OTHER_MAIL, REDACT, SSN
from tests.helpers.talks import ALLOW_ALL, PYTHON, Place, Talk, end_all
from tests.helpers.upstreams import Upstream, as_events, as_json, event

META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
# Answers a call with the text that its tool is named for, and tells what it was given.
SERVER = """
import json, sys
find, other, sign, large = json.loads(sys.argv[1])
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message: continue
    params = message.get("params") or {}
    if message["method"] == "tools/call":
        told = json.dumps(params.get("arguments"))
        texts = {"find": find, "other": other, "echo": told[1:-1], "large": "x" * (2 << 20) + " " + large}
        text = texts.get(params["name"])
        result = {"content": [{"type": "text", "text": text or ("right" if sign in told else "wrong: " + told)}]}
        if "_meta" in params: result["resultType"] = "complete"
    else:
        result = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""
TEXTS = json.dumps([f"{MAIL} and {CARD}", OTHER_MAIL, f'"{MAIL}"', MAIL])


@contextlib.contextmanager
def proxied(place):
    mark = f"mark-{uuid.uuid4().hex}"
    command = [place.launcher, "--server", "s", "--", PYTHON, "-I", "-S", "-c", SERVER, TEXTS, mark]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0) as process:
        talk = Talk(process, mark)
        try:
            yield talk
            assert talk.end() == 0
            assert talk.errors() == ""
        finally:
            process.kill()
            end_all(mark)


def text_of(answer):
    return answer["result"]["content"][0]["text"]


def journal(place):
    return "".join(file.read_text("ascii") for file in sorted(place.journal.glob("*.jsonl")))


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return Place(tmp_path_factory.mktemp("private") / "root", ALLOW_ALL + REDACT)


@pytest.mark.parametrize("meta", [{}, {"_meta": META}], ids=["handshake", "stateless"])
def test_over_stdio_values_are_cut_come_back_and_are_nowhere_on_record(place, meta):
    def call(talk, tool, **args):
        return talk.ask("tools/call", {"name": tool, "arguments": args, **meta})

    with proxied(place) as talk:
        if not meta:
            talk.begin()
        assert text_of(call(talk, "find")) == "[email-1] and [credit_card-1]"
        assert text_of(call(talk, "check", to="[email-1]")) == "right"
        assert text_of(call(talk, "other")) == "[email-2]"
        assert text_of(call(talk, "find")) == "[email-1] and [credit_card-1]"
        assert text_of(call(talk, "echo", ssn=SSN)) == '"ssn": "[ssn-1]"'
        for at in range(200):  # clean lines, by every fast way there is
            assert text_of(call(talk, "echo", at=at)) == f'"at": {at}'
        long = text_of(call(talk, "large"))
        assert (len(long), long[-10:]) == ((2 << 20) + 10, " [email-1]")
    for value in (MAIL, OTHER_MAIL, CARD, SSN):
        assert value not in journal(place)
    assert '"pii":{"action":"redact","found":{"credit_card":1,"email":1},"rule":"privacy"}' in journal(place)


def test_over_stdio_another_conversation_gets_nothing_back(place):
    with proxied(place) as talk:
        talk.begin()
        talk.call("find")
        with proxied(place) as other:
            other.begin()
            assert text_of(other.call("check", to="[email-1]")) == 'wrong: {"to": "[email-1]"}'


def test_over_stdio_a_denied_value_reaches_no_server_and_no_record(tmp_path):
    place = Place(tmp_path / "root", ALLOW_ALL + '[privacy]\nparams = "deny"\nresults = "deny"\n')
    with proxied(place) as talk:
        talk.begin()
        denied = talk.call("echo", to=MAIL)["result"]["_meta"]["mcpgov/decision"]
        assert (denied["code"], denied["kind"], denied["found"]) == (-32002, "pii", ["email"])
        denied = talk.call("find")["result"]["_meta"]["mcpgov/decision"]
        assert (denied["code"], denied["found"]) == (-32002, ["email", "credit_card"])
        assert text_of(talk.call("echo", to="nobody")) == '"to": "nobody"'
    assert MAIL not in journal(place)
    assert CARD not in journal(place)


def answer(message, text):
    return json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {"content": [{"type": "text", "text": text}]}})


def news(text):
    return json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": text}})


@pytest.mark.parametrize("events", [False, True], ids=["json", "events"])
@pytest.mark.parametrize("modern", [False, True], ids=["handshake", "stateless"])
def test_over_http_values_are_cut_and_come_back(tmp_path, events, modern):
    async def scenario():
        async def reply(heard):
            message = heard.message
            if "id" not in message:
                return as_json(b"", 202)
            told = json.dumps(message["params"].get("arguments"))
            body = answer(message, f"{MAIL} {'right' if MAIL in told else told}")
            if not events:
                return as_json(body.encode())
            parts = [event(news(f"looking for {OTHER_MAIL}").encode()), event(body.encode())]
            return await as_events(heard, *parts)

        async with Upstream(reply) as upstream, room(tmp_path, ALLOW_ALL + REDACT) as there:
            server = there.add(upstream)

            async def call(**args):
                params = {"name": "find", "arguments": args, **({"_meta": META} if modern else {})}
                named = {"mcp_protocol_version": "2026-07-28", "mcp_method": "tools/call", "mcp_name": "find"}
                return await there.post(server, request(3, "tools/call", params), **(named if modern else {}))

            _, _, got = await call()
            found = messages_in(got) if events else [json.loads(got)]
            assert text_of(found[-1]) == ("[email-2] {}" if events else "[email-1] {}")
            if events:
                assert found[0]["params"]["data"] == "looking for [email-1]"
            _, _, got = await call(to=f"[email-{2 if events else 1}]", ssn=SSN)
            found = messages_in(got) if events else [json.loads(got)]
            assert text_of(found[-1]).endswith("right")
            assert upstream.messages[-1]["params"]["arguments"] == {"to": MAIL, "ssn": "[ssn-1]"}
            there.actions()
            kept = json.dumps(records(tmp_path))
            assert not [value for value in (MAIL, OTHER_MAIL, SSN) if value in kept]

    run(scenario())


def test_over_http_headers_repeat_what_goes_out_and_not_what_came(tmp_path):
    schema = {"type": "object", "properties": {"who": {"type": "string", "x-mcp-header": "Who"}}}
    tools = [{"name": "find", "description": "", "inputSchema": schema}]

    async def scenario():
        async def reply(heard):
            message = heard.message
            result = {"tools": tools} if message["method"] == "tools/list" else {"content": []}
            return as_json(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode())

        async with Upstream(reply) as upstream, room(tmp_path, ALLOW_ALL + REDACT) as there:
            server = there.add(upstream)
            await there.modern(server, "tools/list", {})
            params = {"name": "find", "arguments": {"who": MAIL}}
            await there.modern(server, "tools/call", params, mcp_param_who=MAIL)
            assert upstream.heard[-1].headers["Mcp-Param-Who"] == "[email-1]"
            assert MAIL not in str(upstream.heard[-1].headers) + upstream.heard[-1].body.decode()

    run(scenario())


def test_over_http_an_error_in_words_is_cut_too(tmp_path):
    async def scenario():
        async def reply(heard):
            await asyncio.sleep(0)
            return next(replies)(heard)

        def words(heard):
            return web.Response(status=500, text=f"no such user: {MAIL}")

        def a_value(heard):
            return as_json(json.dumps({"detail": MAIL}).encode(), 400)

        replies = iter((words, a_value))
        async with Upstream(reply) as upstream, room(tmp_path, ALLOW_ALL + REDACT) as there:
            server = there.add(upstream)
            for _ in range(2):
                _, _, got = await there.post(server, request(3, "tools/call", {"name": "find", "arguments": {}}))
                assert MAIL not in got.decode()
                assert b"[email-1]" in got
            there.actions()
            assert MAIL not in json.dumps(records(tmp_path))

    run(scenario())
