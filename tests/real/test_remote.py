"""The SDK's client and server over HTTP with us between them: every transport, both eras, and our bridge."""

import asyncio
import json
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.helpers.remote_rooms import home, room, run
from tests.real.harness import ALLOW_ALL, HERE, SDK_PYTHON, TIMEOUT, need

DENY = '[[rule]]\naction = "deny"\ntool = "delete_*"\nmessage = "never"\n'
POLICY = ALLOW_ALL.replace('default = "deny"\n', f'default = "deny"\n[tools]\nhide_denied = false\n{DENY}')
SEEN = {
    "tools": ["ask", "count", "delete_all", "places", "think"],
    "think": "thought of p: 42",
    "ask": "the colour is blue",
    "places": "file:///tmp/here",
    "count": "counted to 3",
    "progress": ["at 0", "at 1", "at 2"],
}


class RealServer:
    def __init__(self, transport):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/{'sse' if transport == 'sse' else 'mcp'}"
        command = [need(SDK_PYTHON), str(HERE / "remote_server.py"), transport, str(self.port)]
        self.child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def __enter__(self):
        end = time.monotonic() + TIMEOUT
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return self
            except OSError:
                assert time.monotonic() < end, "the server does not start"
                time.sleep(0.05)

    def __exit__(self, *_):
        self.child.kill()
        self.child.wait()


async def client(mode, *server):
    pipe = asyncio.subprocess.PIPE
    words = [need(SDK_PYTHON), str(HERE / "remote_client.py"), mode, *map(str, server)]
    child = await asyncio.create_subprocess_exec(*words, stdout=pipe, stderr=pipe)
    out, err = await child.communicate()
    assert child.returncode == 0, err.decode()[-3000:]
    return json.loads(out)


@pytest.mark.parametrize(
    ("transport", "mode"),
    [("stream", "auto"), ("stream", "legacy"), ("json", "auto"), ("stateless", "auto"), ("sse", "sse")],
)
def test_a_real_client_sees_through_us_what_it_sees_without_us(tmp_path, transport, mode):
    async def scenario():
        with RealServer(transport) as server:
            direct = await client(mode, server.url)
            assert direct.pop("delete_all") == [False, "everything is gone"]
            async with room(tmp_path, POLICY) as there:
                through = await client(mode, there.url(there.add(server.url)))
        denied, text = through.pop("delete_all")
        assert denied
        assert "never" in text
        assert through == direct
        # An answer that is one JSON body has no room for progress.
        wanted = {**SEEN, "progress": []} if transport == "json" else SEEN
        assert {key: through[key] for key in SEEN} == wanted

    run(scenario())


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_real_client_on_stdio_reaches_a_real_server_over_http(tmp_path, mode):
    home(tmp_path, POLICY)
    mcpgov = str(Path(sys.executable).with_name("mcpgov"))
    with RealServer("stream") as server:
        command = [mcpgov, "--root", str(tmp_path), "proxy", "--server", "docs", "--url", server.url]
        through = run(client(mode, *command))
    assert through.pop("delete_all")[0] is True
    assert {key: through[key] for key in SEEN} == SEEN
