"""Hostile callers get nowhere: odd, huge and slow requests, and what callers say of themselves."""

import asyncio
import json
import socket

import pytest
from mcp import MCPError

from tests.helpers.serving import INTENT, MODES, Serving

PERMIT = {"resource": "/srv/a", "operation": "write", "justification": "j", "timeout_seconds": 2}


def text(result):
    return result.content[0].text


def test_what_a_caller_writes_is_shown_as_its_words_with_nothing_in_them_that_acts_or_hides(tmp_path):
    serving = Serving(tmp_path)
    said = [
        'x" it was approved',
        "a\x1b[2K\rgranted",
        "b\u202ec\u200bd\u2066",
        "line\nresource: /srv/other",
        "\U000e0041",
    ]

    async def talk():
        async with serving.stdio() as client:
            for words in said:
                await client.call_tool("requestPermission", {**PERMIT, "justification": words})

    with serving.daemon(), serving.person(lambda _view: ("no", "")) as seen:
        asyncio.run(talk())
    shown = [next(line for line in view.details if "in its own words" in line) for view in seen]
    assert [line.split(": ", 1)[1] for line in shown] == [
        '"x\\" it was approved"', '"a\\x1b[2K\\x0dgranted"', '"b\\u202ec\\u200bd\\u2066"',
        '"line\\x0aresource: /srv/other"', '"\\U000e0041"',
    ]  # fmt: skip


HOSTILE = [
    ("requestPermission", {**PERMIT, "resource": "/srv/*"}),
    ("requestPermission", {**PERMIT, "resource": "/srv/../etc/passwd"}),
    ("requestPermission", {**PERMIT, "resource": "$HOME/.ssh/id_rsa"}),
    ("requestPermission", {**PERMIT, "resource": "~/.bashrc"}),
    ("requestPermission", {**PERMIT, "resource": "/srv/a\x1b[2K\rgranted"}),
    ("requestPermission", {**PERMIT, "timeout_seconds": 100000}),
    ("requestPermission", {**PERMIT, "server": "github", "caller": "root"}),
    ("requestPermission", {**PERMIT, "justification": "j" * 10_000_000}),
    ("checkIntent", {**INTENT, "description": "d" * 10_000_000}),
    ("checkIntent", {**INTENT, "target": "a" * 100_000}),
    ("checkIntent", {**INTENT, "action_type": "\x1b[31mfile_read"}),
    ("reportAction", {"description": "d", "action_type": "other", "target": "t", "result": "\x07"}),
    ("reportAction", {"description": "d", "action_type": "other", "target": "t", "result": "success",
                      "details": {"x": "y" * 100_000}}),
    ("getPolicy", {"tool_name": "\x1b]0;title\x07"}),
    ("getPolicy", {"\x1b[31m": "x"}),
]  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
def test_hostile_arguments_are_refused_in_words_without_a_trace_of_them(tmp_path, mode):
    serving = Serving(tmp_path)

    async def talk():
        async with serving.stdio(mode) as client:
            refused = [await client.call_tool(tool, given) for tool, given in HOSTILE]
            after = await client.call_tool("checkIntent", INTENT)
            return refused, after

    with serving.daemon(), serving.person(lambda _view: ("time", "")) as seen:
        refused, after = asyncio.run(talk())
    for result in refused:
        assert result.is_error
        assert text(result).isprintable()
        assert len(text(result)) < 500
    assert after.structured_content["allowed"] is True
    assert seen == []


def test_what_a_caller_says_of_itself_changes_nothing(tmp_path):
    """Names in the handshake, in `_meta` and in arguments: the daemon tells who asks."""
    serving = Serving(tmp_path)

    async def talk():
        from mcp.types import Implementation

        serving.environ["MCPGOV_SERVER"] = "github"
        async with serving.stdio("legacy") as client:
            client.session._client_info = Implementation(name="github", version="1")
            return await client.call_tool("requestPermission", PERMIT, meta={"caller": "github", "server": "github"})

    with serving.daemon(), serving.person(lambda _view: ("once", "")) as seen:
        found = asyncio.run(talk())
    assert found.structured_content["granted"] is True
    assert "github" not in seen[0].headline
    assert "a yes holds for: nothing but its own answer, this operation and this resource alone" in seen[0].details
    assert [record for record in serving.records() if record.get("action") == "grant made"] == []


def test_slow_and_huge_requests_over_http_are_cut_off_and_others_are_served(tmp_path):
    serving = Serving(tmp_path)

    async def served(token):
        async with serving.over_http(token=token) as client:
            with pytest.raises(MCPError):
                await client.call_tool("\x1b[31m", {})
            return (await client.call_tool("checkIntent", INTENT)).structured_content["allowed"]

    with serving.http():
        port = int(serving.url.split(":")[2].split("/")[0])
        token = serving.tokens.first_text()
        head = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
        slow = [socket.create_connection(("127.0.0.1", port)) for _ in range(50)]
        for sock in slow:
            sock.sendall(f"{head}Content-Length: 100\r\n\r\n{{".encode())
        with socket.create_connection(("127.0.0.1", port), timeout=20) as huge:
            huge.sendall(f"{head}Content-Length: 100000000\r\n\r\n".encode())
            assert b" 413 " in huge.recv(4096).split(b"\r\n")[0]
        assert asyncio.run(served(token))
        with socket.create_connection(("127.0.0.1", port), timeout=20) as odd:
            body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "x\x1b[31m"}).encode()
            more = (
                "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nConnection: close\r\n"
            )
            odd.sendall(f"{head}{more}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            answer = b""
            while piece := odd.recv(65536):
                answer += piece
            assert b"\x1b" not in answer
            assert b"u001b" not in answer
        for sock in slow:
            sock.close()
