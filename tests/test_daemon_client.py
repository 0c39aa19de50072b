import asyncio
import json

import pytest

from mcpgov import daemon_client
from mcpgov.daemon.control import line_client
from mcpgov.daemon_client import DaemonClient, DaemonDeclined, DaemonGone
from tests.helpers.talks import PATIENCE


def answered(path, replies, use):
    """What comes of `use`, with a daemon that says these lines and leaves."""
    heard, over = [], []

    async def serve(reader, writer):
        if line := await reader.readline():
            heard.append(json.loads(line))
        for reply in replies if line else ():
            writer.write((reply if isinstance(reply, bytes) else json.dumps(reply).encode()) + b"\n")
        writer.close()
        await writer.wait_closed()
        over.append(True)

    async def both():
        server = await asyncio.start_unix_server(serve, path)
        async with server:
            try:
                return await use(DaemonClient(str(path)))
            finally:
                async with asyncio.timeout(PATIENCE):
                    while not over:
                        await asyncio.sleep(0.001)

    return asyncio.run(both()), heard


@pytest.fixture
def path(tmp_path):
    return tmp_path / "s"


async def everything(client):
    return [item async for item in client.answers("watch", {"a": 1})]


def test_an_answer_comes_without_its_envelope(path):
    found, heard = answered(path, [{"v": 1, "ok": True, "pid": 5}], lambda client: client.ask("ping", {"a": 1}))
    assert (found, heard) == ({"pid": 5}, [{"v": 1, "op": "ping", "a": 1}])


def test_a_stream_ends_where_the_daemon_says_so(path):
    replies = [{"v": 1, "ok": True, "item": {"n": 1}}, {"v": 1, "ok": True, "item": {"n": 2}}, {"v": 1, "ok": True}]
    assert answered(path, replies, everything)[0] == [{"n": 1}, {"n": 2}]


def test_a_refusal_is_no_absence(path):
    reply = {"v": 1, "ok": False, "error": "no", "hint": "do", "code": "refused"}
    with pytest.raises(DaemonDeclined, match="no") as found:
        answered(path, [reply], lambda client: client.ask("x"))
    assert (found.value.hint, found.value.code) == ("do", "refused")
    path.unlink(missing_ok=True)
    with pytest.raises(DaemonDeclined, match="the daemon declined"):
        answered(path, [{"v": 1, "ok": False}], everything)


@pytest.mark.parametrize("line", [b"[]", b"{", b""])
def test_what_is_no_answer_is_a_daemon_that_is_not_there(path, line):
    with pytest.raises(DaemonGone, match="cannot be read"):
        answered(path, [line], lambda client: client.ask("x"))


def test_a_daemon_of_another_protocol_is_none_of_ours(path):
    with pytest.raises(DaemonGone, match="speaks protocol 2"):
        answered(path, [{"v": 2, "ok": True}], lambda client: client.ask("x"))


def test_it_speaks_as_commands_do(path):
    assert (daemon_client.PROTOCOL, daemon_client.LONGEST_LINE) == (line_client.PROTOCOL, line_client.LONGEST_LINE)
    with pytest.raises(DaemonDeclined, match="the request is longer than") as found:
        answered(path, [], lambda client: client.ask("x", {"a": "b" * daemon_client.LONGEST_LINE}))
    assert found.value.code == line_client.TOO_LONG


def test_nobody_there(path):
    for use in (lambda client: client.ask("x"), everything):
        with pytest.raises(DaemonGone, match="the daemon"):
            asyncio.run(use(DaemonClient(str(path))))
    for use in (lambda client: client.ask("x"), everything):
        path.unlink(missing_ok=True)
        with pytest.raises(DaemonGone):
            answered(path, [], use)


def test_one_that_does_not_answer_is_not_waited_for(path):
    async def silent():
        over = asyncio.Event()

        async def serve(_reader, writer):
            await over.wait()
            writer.close()

        server = await asyncio.start_unix_server(serve, path)
        async with server:
            try:
                await DaemonClient(str(path)).ask("x", seconds=0.05)
            finally:
                over.set()

    with pytest.raises(DaemonGone, match="does not answer"):
        asyncio.run(silent())


def test_another_users_socket_is_not_believed(path, monkeypatch):
    monkeypatch.setattr(daemon_client.os, "geteuid", lambda: 12345)
    with pytest.raises(DaemonGone, match="belongs to another user"):
        answered(path, [{"v": 1, "ok": True}], lambda client: client.ask("x"))
