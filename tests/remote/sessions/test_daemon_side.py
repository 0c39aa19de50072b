"""Links to a daemon that comes, asks, pushes and goes."""

import asyncio
import json
import os

from tests.helpers.remote_rooms import room, run, until
from tests.helpers.upstreams import Upstream


class Daemon:
    """A socket that keeps what it hears."""

    def __init__(self, root):
        self.path = root / "run" / "daemon.sock"
        self.heard, self.writers = [], []

    async def __aenter__(self):
        os.makedirs(self.path.parent, mode=0o700, exist_ok=True)
        self.server = await asyncio.start_unix_server(self._serve, str(self.path))
        return self

    async def _serve(self, reader, writer):
        self.writers.append(writer)
        while line := await reader.readline():
            self.heard.append(json.loads(line))

    async def __aexit__(self, *_):
        self.server.close()
        for writer in self.writers:
            writer.close()
        self.path.unlink(missing_ok=True)

    def say(self, **message):
        self.writers[-1].write(json.dumps(message).encode() + b"\n")

    def ops(self):
        return [each.get("op") for each in self.heard]


def test_the_daemon_hears_of_the_port_and_asks_for_counters(tmp_path):
    async def scenario():
        async with Daemon(tmp_path) as daemon, Upstream() as upstream, room(tmp_path) as there:
            server = there.add(upstream)
            await until(lambda: daemon.ops() == ["register", "remote_ready"])
            assert (daemon.heard[0]["kind"], daemon.heard[1]["port"]) == ("remote", there.service.port)
            await there.call(server, "echo")
            daemon.say(op="counters")
            await until(lambda: len(daemon.heard) == 3)
            told = daemon.heard[2]
            assert (told["port"], told["sessions"], told["remote"][0]["calls"]) == (there.service.port, 1, 1)
            assert server.id not in json.dumps(told)

    run(scenario())


def test_a_probe_is_pushed_and_its_finding_told(tmp_path):
    async def scenario():
        async with Daemon(tmp_path) as daemon, Upstream() as upstream, room(tmp_path) as there:
            await until(lambda: len(daemon.heard) == 2)
            daemon.say(op="probe", url=upstream.url())
            await until(lambda: len(daemon.heard) == 3)
            assert (daemon.heard[2]["op"], daemon.heard[2]["found"]) == ("probed", "open")
            assert list(there.places.remote_probes.glob("*.json"))

    run(scenario())


def test_a_daemon_that_comes_back_is_told_again(tmp_path):
    async def scenario():
        async with Upstream() as upstream, room(tmp_path) as there:
            server = there.add(upstream)
            async with Daemon(tmp_path) as daemon:
                there.service.link._loop.link.retry_now()
                there.service.link._loop.follow()
                await until(lambda: daemon.heard)
            await until(lambda: there.service.link._loop.link.fd < 0)
            there.service.link._loop.link._tried = -100.0
            async with Daemon(tmp_path) as daemon:
                await there.call(server, "echo")
                await until(lambda: daemon.ops() == ["register", "remote_ready"])

    run(scenario())


def test_more_than_the_socket_takes_is_sent_when_it_can(tmp_path):
    async def scenario():
        async with Daemon(tmp_path) as daemon, room(tmp_path) as there:
            await until(lambda: len(daemon.heard) == 2)
            for number in range(60):
                assert there.service.link.tell("probed", {"n": number, "why": "x" * 40_000})
            assert there.service.link._loop.link.unsent
            await until(lambda: len(daemon.heard) == 62)
            assert [each["n"] for each in daemon.heard[2:]] == list(range(60))

    run(scenario())
