import asyncio

import pytest

from mcpgov.daemon.serve.serve_requests import CallerAnswer, CallerRequest
from mcpgov.daemon_client import DaemonDeclined, DaemonGone
from mcpgov.serve.daemon_requests import DaemonRequests


def asked(tmp_path, line, timeout=5.0):
    """A daemon that answers with this line; None: never."""
    path = str(tmp_path / "s")
    left = asyncio.Event

    async def talk():
        gone = left()

        async def serve(reader, writer):
            await reader.readline()
            if line is not None:
                writer.write(line)
                await writer.drain()
            else:
                await reader.read()
                gone.set()
            writer.close()

        server = await asyncio.start_unix_server(serve, path)
        try:
            return await DaemonRequests(path).ask(CallerRequest(), timeout)
        finally:
            if line is None:
                await asyncio.wait_for(gone.wait(), 15)
            server.close()

    return asyncio.run(talk())


def test_an_answer_comes_back_as_its_type(tmp_path):
    found = asked(tmp_path, b'{"ok": true, "name": "fs", "server": "fs", "client": "", "project": ""}\n')
    assert found == CallerAnswer("fs", "fs")


@pytest.mark.parametrize(
    ("line", "kind", "why"),
    [
        (b'{"ok": false, "error": "no", "hint": "h"}\n', DaemonDeclined, "no"),
        (b'{"ok": true}\n', DaemonGone, "not as expected"),
        (b"nonsense\n", DaemonGone, "cannot be read"),
        (b"", DaemonGone, "not running"),
    ],
)
def test_what_is_no_answer_is_told(tmp_path, line, kind, why):
    with pytest.raises(kind, match=why):
        asked(tmp_path, line)


def test_nobody_is_waited_for_for_ever_and_the_connection_is_closed(tmp_path):
    with pytest.raises(DaemonGone, match="does not answer"):
        asked(tmp_path, None, timeout=0.1)


def test_without_a_daemon_that_is_told(tmp_path):
    with pytest.raises(DaemonGone):
        asyncio.run(DaemonRequests(str(tmp_path / "none")).ask(CallerRequest()))
