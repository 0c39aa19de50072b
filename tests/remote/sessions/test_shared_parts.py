"""What conversations share: one compiling child for all who wait, one clock for each."""

import asyncio

from tests.helpers.remote_rooms import request, room, run, until, write_policy
from tests.helpers.talks import ALLOW_ALL
from tests.helpers.upstreams import Upstream


def test_all_who_wait_for_a_policy_go_on_when_it_is_there(tmp_path, capsys):
    async def scenario():
        async with Upstream() as upstream, room(tmp_path) as there:
            servers = [there.add(upstream, name=f"n{number}") for number in range(5)]
            done = await asyncio.gather(*(there.call(server, "echo") for server in servers))
            assert [status for status, _ in done] == [200] * 5
            assert not there.service.shared.compiling._followed
            write_policy(tmp_path, "broken = = =")
            done = await asyncio.gather(*(there.call(server, "echo", 2) for server in servers))
            assert [status for status, _ in done] == [200] * 5  # the last good one holds
            await until(lambda: not there.service.shared.live.policies.working)
            write_policy(tmp_path, '[[rule]]\naction = "deny"\ntool = "echo"\n' + ALLOW_ALL)
            done = await asyncio.gather(*(there.call(server, "echo", 3) for server in servers))
            assert all(answer["result"]["isError"] for _, answer in done)

    run(scenario())
    said = capsys.readouterr().err
    assert said.count("policy.toml") == 1


def test_the_same_word_is_said_once(tmp_path, capsys):
    async def scenario():
        async with room(tmp_path) as there:
            for text in ("a", "a", "b"):
                there.service.shared.say(text)
            assert (await there.post(there.add("http://127.0.0.1:9/"), request(1, "ping")))[0] == 502

    run(scenario())
    assert capsys.readouterr().err.splitlines()[:2] == ["a", "b"]
