"""The process itself: port, input, signals, drain."""

import asyncio
import gc
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mcpgov.front.install.remote_process import remote_command
from mcpgov.places import Places
from mcpgov.remote import main as module
from mcpgov.remote.main import open_port
from mcpgov.remote_servers import RemoteServer, keep_port, keep_server, load_port, new_id
from mcpgov.settings import Settings
from tests.helpers.remote_rooms import BOTH, home, request, run, until
from tests.helpers.upstreams import Upstream, as_events, event, mcp

PATIENCE = 30.0
NEWS = b'{"jsonrpc":"2.0","method":"notifications/message"}'


class Process:
    """`mcpgov remote run`, its standard input held."""

    def __init__(self, root, **how):
        self.places = Places(root)
        command = remote_command(self.places, Settings(), "run")
        pipe = subprocess.PIPE
        self.child = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, **how)

    async def port(self, other_than=0):
        await until(lambda: load_port(self.places.remote_port) not in (0, other_than), PATIENCE)
        return load_port(self.places.remote_port)

    async def answers(self, port):
        async def connected():
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                return False
            writer.close()
            return True

        end = time.monotonic() + PATIENCE
        while not await connected():
            assert time.monotonic() < end
            await asyncio.sleep(0.02)

    async def ended(self):
        return await asyncio.get_running_loop().run_in_executor(None, self.child.communicate, None, PATIENCE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.child.poll() is None:
            self.child.kill()
        self.child.communicate()


def entry(places, upstream):
    server = RemoteServer(new_id(), "docs", "cursor", "", upstream.url())
    keep_server(places.remote_servers, server)
    return server


async def post(port, server, message, **headers):
    import aiohttp

    async with aiohttp.ClientSession() as client:
        url = f"http://127.0.0.1:{port}/{server.id}/mcp"
        async with client.post(url, json=message, headers={"Accept": BOTH, **headers}) as response:
            return response.status, await response.read()


def test_it_serves_until_its_input_ends_and_keeps_its_port(tmp_path):
    places = home(tmp_path)

    async def scenario():
        async with Upstream() as upstream:
            server = entry(places, upstream)
            ports = []
            for _ in range(2):
                with Process(tmp_path) as process:
                    ports.append(await process.port())
                    await process.answers(ports[-1])
                    assert 20000 <= ports[-1] < 32000
                    assert (await post(ports[-1], server, request(1, "tools/list")))[0] == 200
                    assert places.remote_port.stat().st_mode & 0o077 == 0
                    out, err = await process.ended()
                    assert (process.child.returncode, out, err) == (0, "", "")
            assert ports[0] == ports[1]

    run(scenario())


def test_a_port_that_another_process_has_is_left_and_the_new_one_told(tmp_path, monkeypatch):
    places = home(tmp_path)

    async def scenario():
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            before = taken.getsockname()[1]
            keep_port(places.remote_port, before)
            with Process(tmp_path) as process:
                port = await process.port(other_than=before)
                await process.answers(port)
                out, _ = await process.ended()
                assert f"port {before} is taken" in out
                assert str(port) in out

    run(scenario())


def test_a_port_that_becomes_free_in_time_is_kept(tmp_path):
    places = home(tmp_path)

    async def scenario():
        taken = socket.socket()
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        keep_port(places.remote_port, port)
        asyncio.get_running_loop().call_later(0.3, taken.close)
        sockets, moved = await open_port(places.remote_port, 10.0)
        assert (sockets[0].getsockname()[1], moved) == (port, False)
        for sock in sockets:
            sock.close()

    run(scenario())


def test_without_any_free_port_it_says_so(tmp_path, monkeypatch):
    def refused(_port):
        raise OSError

    monkeypatch.setattr(module, "bind", refused)
    with pytest.raises(OSError, match="no port is free"):
        run(open_port(tmp_path / "port.json"))


@pytest.mark.deadline
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_lets_calls_finish_and_cuts_streams_within_two_seconds(tmp_path, number):
    places = home(tmp_path)

    async def scenario():
        import aiohttp

        asked = asyncio.Event()

        async def answer(heard):
            if heard.method == "GET":
                response = await as_events(heard, event(NEWS), finish=False)
                await asyncio.sleep(60)
                return response
            if heard.message.get("method") == "tools/call":
                asked.set()
                await asyncio.sleep(0.5)
            return await mcp(session="s")(heard)

        async with Upstream(answer) as upstream, aiohttp.ClientSession() as client:
            server = entry(places, upstream)
            with Process(tmp_path) as process:
                port = await process.port()
                await process.answers(port)
                await post(port, server, request(0, "initialize", {"protocolVersion": "2025-11-25"}))
                headers = {"Mcp-Session-Id": "s"}
                url, wanted = f"http://127.0.0.1:{port}/{server.id}/mcp", {**headers, "Accept": "text/event-stream"}
                streams = [await client.get(url, headers=wanted) for _ in range(5)]
                for stream in streams:
                    assert await stream.content.readany()
                call = request(1, "tools/call", {"name": "echo", "arguments": {}})
                under_way = asyncio.create_task(post(port, server, call, **headers))
                await asked.wait()
                began = time.monotonic()
                process.child.send_signal(number)
                assert (await under_way)[0] == 200
                await asyncio.get_running_loop().run_in_executor(None, process.child.wait, PATIENCE)
                assert time.monotonic() - began < 3 * 2.0
                assert process.child.returncode == 0
                for stream in streams:
                    stream.close()

    run(scenario())


def test_a_probe_by_hand_says_what_it_found(tmp_path):
    places = home(tmp_path)

    async def scenario():
        async with Upstream() as upstream:
            command = remote_command(places, Settings(), "probe", upstream.url())
            child = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
            out, _ = await child.communicate()
            assert (json.loads(out)["found"], child.returncode) == ("open", 0)

    run(scenario())


def test_what_is_loaded_is_no_longer_looked_at_by_the_collector():
    before, frozen = gc.get_threshold(), gc.get_freeze_count()
    try:
        module.settle_collector()
        assert gc.get_freeze_count() > frozen
        assert gc.get_threshold()[0] > before[0]
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def test_an_unknown_verb_is_usage(tmp_path):
    command = remote_command(home(tmp_path), Settings(), "what")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, "usage" in done.stderr) == (64, True)


def test_an_input_that_tells_nothing_does_not_end_it(tmp_path):
    """/dev/null, as by hand in the background: only a signal ends it."""
    places = home(tmp_path)

    async def scenario():
        command = remote_command(places, Settings(), "run")
        with open(os.devnull) as null:
            child = subprocess.Popen(command, stdin=null, stdout=subprocess.DEVNULL)
        try:
            await until(lambda: load_port(places.remote_port), PATIENCE)
            assert child.poll() is None
            child.terminate()
            assert await asyncio.get_running_loop().run_in_executor(None, child.wait, PATIENCE) == 0
        finally:
            child.kill()
            child.wait()

    run(scenario())
    assert Path(sys.executable).exists()
