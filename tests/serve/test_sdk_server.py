"""The whole server by the SDK's client: both eras, both transports."""

import asyncio
import json
import subprocess

import pytest
from mcp import MCPError
from mcp.shared._httpx_utils import create_mcp_http_client

from mcpgov.serve.answers import CallingParty, ToolAnswers
from mcpgov.serve.main import TokenLimits
from mcpgov.serve.sdk_server import GovernorServer
from tests.helpers.serving import INTENT, MODES, Serving
from tests.helpers.talks import PATIENCE

PERMIT = {"resource": "/srv/a", "operation": "write", "justification": "to save\x1b[2J it", "timeout_seconds": 20}
REPORT = {"description": "wrote it", "action_type": "file_write", "target": "/srv/a", "result": "success"}


@pytest.fixture
def serving(tmp_path):
    return Serving(tmp_path)


async def told(client):
    """One call of each tool."""
    names = [tool.name for tool in (await client.list_tools()).tools]
    allowed = await client.call_tool("checkIntent", INTENT)
    denied = await client.call_tool("checkIntent", {**INTENT, "target": "~/.ssh/id_rsa"})
    granted = await client.call_tool("requestPermission", PERMIT)
    reported = await client.call_tool("reportAction", REPORT)
    policy = await client.call_tool("getPolicy", {"resource": "/srv/a", "action_type": "file_write"})
    return names, allowed, denied, granted, reported, policy


def check(found, serving):
    names, allowed, denied, granted, reported, policy = found
    assert names == ["checkIntent", "requestPermission", "reportAction", "getPolicy"]
    for result in found[1:]:
        assert json.loads(result.content[0].text) == result.structured_content
        assert not result.is_error
    assert allowed.structured_content == {
        "allowed": True, "risk_level": "Low", "policy_rule": "allow",
        "explanation": "Action allowed: FileRead on '/srv/a' is permitted by current policy.",
    }  # fmt: skip
    assert denied.structured_content == {
        "allowed": False, "risk_level": "High", "policy_rule": "block",
        "explanation": "Action blocked: FileRead on '~/.ssh/id_rsa' is not permitted by current policy. "
        "SSH key access is not allowed",
        "suggestions": ["Use environment variables or a secrets manager instead of reading SSH keys directly"],
    }  # fmt: skip
    assert set(granted.structured_content) == {"granted", "scope", "expires_at"}
    assert (granted.structured_content["granted"], granted.structured_content["scope"]) == (True, "time")
    assert granted.structured_content["expires_at"].endswith("Z")
    event = reported.structured_content["event_id"]
    assert serving.wait_for_record(event_id=event)["reported"] is True
    assert policy.structured_content == {
        "rules": [
            {"name": "matched_prompt", "description": "Policy evaluation result for query", "action": "prompt",
             "message": "", "priority": 0}
        ],
        "default_action": "block",
    }  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
def test_all_four_tools_answer_over_stdio_in_both_eras(serving, mode):
    async def talk():
        async with serving.stdio(mode) as client:
            return await told(client)

    with serving.daemon(), serving.person(lambda _view: ("time", "")) as seen:
        check(asyncio.run(talk()), serving)
    assert seen[0].headline.endswith('asks for permission to write "/srv/a"')
    assert r'the caller says why, in its own words: "to save\x1b[2J it"' in seen[0].details


@pytest.mark.parametrize("mode", MODES)
def test_all_four_tools_answer_over_http_in_both_eras(serving, mode):
    async def talk():
        async with serving.over_http(mode) as client:
            return await told(client)

    with serving.daemon(), serving.http(), serving.person(lambda _view: ("time", "")) as seen:
        check(asyncio.run(talk()), serving)
    assert seen[0].headline.startswith("token default asks for permission")


def test_what_is_wrong_is_told_and_too_many_calls_are_an_error_with_a_time(serving):
    async def talk():
        async with serving.stdio() as client:
            wrong = await client.call_tool("requestPermission", {**PERMIT, "resource": "/srv/*"})
            absent = await client.call_tool("reportAction", REPORT)
            with pytest.raises(MCPError) as unknown:
                await client.call_tool("no\x1b[2Jsuch", {})
            for _ in range(100):
                await client.call_tool("checkIntent", INTENT)
            with pytest.raises(MCPError) as limited:
                await client.call_tool("checkIntent", INTENT)
            return wrong, absent, unknown.value, limited.value

    wrong, absent, unknown, limited = asyncio.run(talk())
    assert (wrong.is_error, absent.is_error) == (True, True)
    assert wrong.content[0].text == "Invalid arguments: the resource has wildcards: name one exact resource"
    assert absent.content[0].text == "the daemon is not running. Ask the user to run: mcpgov daemon start"
    assert (unknown.code, unknown.message, unknown.data) == (-32602, "Unknown tool", None)
    assert (limited.code, limited.data["kind"]) == (-32000, "rate_limit")
    assert 0 < limited.data["retry_after"] <= 60


def test_limits_are_counted_by_an_injected_clock():
    """Each caller has its own; what the minute took it gives back."""

    class Nothing(ToolAnswers):
        def __init__(self):
            pass

        async def get_policy(self, given, caller):
            return {"rules": [], "default_action": "block"}

        check_intent = report_action = get_policy

    now = [0.0]
    who = ["a"]

    async def caller(_scope):
        return CallingParty(who[0])

    server = GovernorServer(Nothing(), TokenLimits(lambda: now[0]), caller)

    class Context:
        request = None

    from mcp import types

    async def calls(tool, count, given):
        out = []
        for _ in range(count):
            try:
                await server._call(Context(), types.CallToolRequestParams(name=tool, arguments=given))
                out.append("")
            except MCPError as problem:
                out.append(problem.data["retry_after"])
        return out

    async def talk():
        assert await calls("checkIntent", 101, INTENT) == [""] * 100 + [60.0]
        assert await calls("reportAction", 1001, REPORT) == [""] * 1000 + [60.0]
        assert await calls("getPolicy", 2000, {}) == [""] * 2000
        who[0] = "b"
        assert await calls("checkIntent", 1, INTENT) == [""]
        who[0], now[0] = "a", 60.0
        assert await calls("checkIntent", 1, INTENT) == [""]

    asyncio.run(talk())


@pytest.mark.parametrize("method", ["a" * 1_000_000, "a\x1b[2J", "\u202ea"])
def test_a_method_that_is_long_or_cannot_be_printed_is_not_repeated(serving, method):
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    sent = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": method, "params": {}},
    ]
    given = "".join(json.dumps(each) + "\n" for each in sent)
    with subprocess.Popen(
        serving.command, env=serving.environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(given)
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in range(2)]
        process.stdin.close()
        assert process.wait(PATIENCE) == 0
    assert answers[1] == {"jsonrpc": "2.0", "id": 2, "error": {"code": -32601, "message": "Method not found"}}


BAD = "\x1b[31m\u202e\u200b\x07"
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "0"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
VERSION = "io.modelcontextprotocol/protocolVersion"
CALL = {"name": "getPolicy", "arguments": {}}
HOSTILE = [
    {"id": 1, "method": "tools/list", "params": {"_meta": {**META, VERSION: BAD}}},
    {"id": 1, "method": "tools/list", "params": {"_meta": {**META, VERSION: "9" * 100_000}}},
    {"id": 1, "method": "tools/call", "params": {**CALL, "name": BAD, "_meta": META}},
    {"id": 1, "method": "tools/call", "params": {**CALL, "arguments": {BAD: BAD}, "_meta": META}},
    {"id": 1, "method": BAD, "params": {"_meta": META}},
    {"id": BAD, "method": "tools/list", "params": {"_meta": META}},
    {"id": "i" * 5000, "method": "tools/list", "params": {"_meta": META}},
    {"id": 1, "method": "initialize", "params": {"protocolVersion": BAD, "capabilities": {}, "clientInfo": {}}},
]


def texts(value):
    if isinstance(value, dict):
        return [text for each in value.items() for part in each for text in texts(part)]
    if isinstance(value, list):
        return [text for each in value for text in texts(each)]
    return [value] if isinstance(value, str) else []


def plain(text):
    assert all(map(str.isprintable, texts(json.loads(text)))), text
    assert len(text) < 2000 or "tools" in text


@pytest.mark.parametrize("request_", HOSTILE)
def test_no_answer_over_stdio_repeats_what_acts_hides_or_is_long(serving, request_):
    given = json.dumps({"jsonrpc": "2.0", **request_}) + "\n"
    done = subprocess.run(
        serving.command, env=serving.environ, input=given.encode(), capture_output=True, timeout=PATIENCE, check=False
    )
    assert done.stdout.count(b"\n") == 1
    plain(done.stdout.decode())


def test_no_answer_over_http_repeats_what_acts_hides_or_is_long(serving):
    usual = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}

    async def sent(http, request, headers):
        content = json.dumps({"jsonrpc": "2.0", **request})
        pairs = [(name.encode(), value.encode("latin-1")) for name, value in {**usual, **headers}.items()]
        return (await http.post(serving.url, content=content, headers=pairs)).text

    async def talk():
        token = {"Authorization": f"Bearer {serving.tokens.first_text()}"}
        async with create_mcp_http_client(headers=token) as http:
            for request in HOSTILE:
                stateless = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "x"}
                for headers in ({}, stateless, {**stateless, "Mcp-Method": "tools/list"}):
                    plain(await sent(http, request, headers))
            listed = {"id": 1, "method": "tools/list", "params": {"_meta": META}}
            for value in ("9" * 5000, "\u00ad\u0085x"):
                for header in ("MCP-Protocol-Version", "Mcp-Method", "Mcp-Session-Id", "Accept"):
                    found = await sent(http, listed, {header: value})
                    assert found.isprintable()
                    assert len(found) < 2000 or "tools" in found

    with serving.http():
        asyncio.run(talk())
