"""`mcpgov proxy --url`: what it takes, and the reverse proxy with `--listen`."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import aiohttp
import pytest

from mcpgov.errors import UsageError
from mcpgov.remote.by_hand import read_words
from mcpgov.remote_servers import HTTP, SSE
from tests.helpers.remote_rooms import BOTH, DENY_DELETE, home, records, request, run
from tests.helpers.upstreams import Upstream, mcp

WORDS = ["--server", "docs", "--url", "https://h.example/mcp"]


def test_words_are_read_and_header_values_come_from_the_environment():
    asked = read_words(
        [*WORDS, "--client", "c", "--policy", "p", "--header-env", "Authorization=TOKEN", "--listen", "127.0.0.1:8700"],
        {"TOKEN": "Bearer t"},
    )
    assert (asked.server.name, asked.server.client, asked.server.url) == ("docs", "c", "https://h.example/mcp")
    assert (asked.options, asked.headers, asked.port) == ({"policy": "p"}, [("Authorization", "Bearer t")], 8700)
    assert asked.server.transport == HTTP
    assert read_words([*WORDS, "--sse", "yes"], {}).server.transport == SSE


@pytest.mark.parametrize(
    "words",
    [
        ["--server", "x"],
        ["--url", "https://h/"],
        [*WORDS, "--client"],
        [*WORDS, "--nothing", "x"],
        ["--server", "x", "--url", "ftp://h/"],
        [*WORDS, "--listen", "0.0.0.0:80"],
        [*WORDS, "--listen", "127.0.0.1:x"],
        [*WORDS, "--listen", "127.0.0.1:70000"],
        [*WORDS, "--header-env", "X"],
        [*WORDS, "--header-env", "X=MISSING"],
        [*WORDS, "--header-env", "X=BAD"],
    ],
)
def test_what_cannot_be_meant_is_usage(words):
    with pytest.raises(UsageError):
        read_words(words, {"BAD": "a\nb"})


class ByHand:
    """`mcpgov proxy … --listen`."""

    def __init__(self, root, *words, env=None):
        command = [str(Path(sys.executable).with_name("mcpgov")), "--root", str(root), "proxy", *words]
        self.child = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=env)

    async def url(self):
        line = await asyncio.get_running_loop().run_in_executor(None, self.child.stderr.readline)
        return line.rpartition(" at ")[2].strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.terminate()
        self.child.communicate(timeout=30)


def test_one_server_is_served_at_mcp_with_the_same_checks(tmp_path, monkeypatch):
    home(tmp_path, DENY_DELETE)
    monkeypatch.setenv("DOCS_TOKEN", "Bearer t")

    async def scenario():
        async with Upstream(mcp(session="s")) as upstream, aiohttp.ClientSession() as client:
            words = ("--server", "docs", "--url", upstream.url("/api/v1"), "--listen", "127.0.0.1:0")
            with ByHand(tmp_path, *words, "--header-env", "Authorization=DOCS_TOKEN") as hand:
                url = await hand.url()
                assert url.endswith("/mcp")
                first = request(0, "initialize", {"protocolVersion": "2025-11-25"})
                async with client.post(url, json=first, headers={"Accept": BOTH}) as response:
                    assert response.headers["Mcp-Session-Id"] == "s"
                call = request(1, "tools/call", {"name": "delete_it", "arguments": {}})
                async with client.post(url, json=call, headers={"Accept": BOTH, "Mcp-Session-Id": "s"}) as response:
                    assert json.loads(await response.read())["result"]["isError"]
                async with client.post(url, json=call, headers={"Host": "evil.example"}) as response:
                    assert response.status == 403
                assert [heard.path for heard in upstream.heard] == ["/api/v1"]
                assert upstream.heard[0].headers["Authorization"] == "Bearer t"
                command = Path(f"/proc/{hand.child.pid}/cmdline")
                assert not command.exists() or b"Bearer" not in command.read_bytes()
            assert hand.child.returncode == 0
            assert [each["action"] for each in records(tmp_path) if each["method"] == "tools/call"] == ["deny"]

    run(scenario())


def test_a_port_that_is_taken_is_said(tmp_path):
    home(tmp_path)

    async def scenario():
        async with Upstream() as upstream:
            words = ["--server", "s", "--url", upstream.url(), "--listen", f"127.0.0.1:{upstream.port}"]
            command = [str(Path(sys.executable).with_name("mcpgov")), "--root", str(tmp_path), "proxy", *words]
            child = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.PIPE)
            _, err = await child.communicate()
            assert (child.returncode, b"cannot listen" in err) == (1, True)

    run(scenario())


def test_wrong_words_end_with_usage(tmp_path):
    home(tmp_path)
    command = [str(Path(sys.executable).with_name("mcpgov")), "--root", str(tmp_path), "proxy", "--server", "s"]
    for words in (["--url", "ftp://x"], ["--listen", "127.0.0.1:1"], ["--url", "http://h/", "--", "cmd"]):
        done = subprocess.run([*command, *words], capture_output=True, text=True, check=False)
        assert done.returncode == 64
