"""The listener that the browser comes back to, spoken to over real sockets."""

import asyncio
import contextlib
import socket

import pytest

from mcpgov.errors import McpgovError
from mcpgov.login import callback
from mcpgov.login.callback import CallbackAnswer, CallbackListener, answer_in
from mcpgov.login.oauth_rules import LoginError

STATE = "s" * 43


async def get(port, target, host=None, method="GET", extra=""):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    host = f"127.0.0.1:{port}" if host is None else host
    writer.write(f"{method} {target} HTTP/1.1\r\nHost: {host}\r\n{extra}\r\n".encode())
    answer = await asyncio.wait_for(reader.read(), 15)
    writer.close()
    return answer.decode()


def listening(work, within=5.0):
    async def main():
        async with CallbackListener() as listener:
            listener.expect(STATE)
            waiting = asyncio.ensure_future(listener.answer(within))
            try:
                return await work(listener, waiting)
            finally:
                waiting.cancel()

    return asyncio.run(main())


def test_the_first_answer_with_the_right_state_counts_and_the_page_says_that_it_can_be_closed():
    async def work(listener, waiting):
        page = await get(listener.port, f"/callback?code=c%201&state={STATE}&iss=https%3A%2F%2Fi")
        again = await get(listener.port, f"/callback?code=other&state={STATE}")
        return page, again, await waiting

    page, again, answer = listening(work)
    assert answer == CallbackAnswer("c 1", STATE, "https://i")
    assert page.startswith("HTTP/1.1 200 OK\r\n")
    assert "you can close this window" in page
    assert "default-src 'none'" in page
    assert again.startswith("HTTP/1.1 400 ")


@pytest.mark.parametrize(
    ("target", "options"),
    [
        (f"/callback?code=c&state={STATE[1:]}x", {}),
        ("/callback?code=c", {}),
        (f"/callback?state={STATE}", {}),
        (f"/callback?code=c&state={STATE}&state=x", {}),
        (f"/callback?code=c&code=d&state={STATE}", {}),
        (f"/callback?code=c&state={STATE}&iss=a&iss=b", {}),
        (f"/callback/?code=c&state={STATE}", {}),
        (f"/other?code=c&state={STATE}", {}),
        (f"/callback?code=%ff&state={STATE}", {}),
        (f"/callback?code=c&state={STATE}" + "&x=1" * 50, {}),
        (f"/callback?code=c&state={STATE}", {"host": "evil.example"}),
        (f"/callback?code=c&state={STATE}", {"host": "localhost:1"}),
        (f"/callback?code=c&state={STATE}", {"method": "POST"}),
        (f"/callback?code=c&state={STATE}", {"extra": "Host: 127.0.0.1\r\n"}),
        ("", {}),
    ],
)
def test_anything_else_is_refused_and_changes_nothing(target, options):
    async def work(listener, waiting):
        refused = await get(listener.port, target, **options)
        assert not waiting.done()
        await get(listener.port, f"/callback?code=right&state={STATE}")
        return refused, await waiting

    refused, answer = listening(work)
    assert refused.startswith("HTTP/1.1 400 ")
    assert "does not belong to a login" in refused
    assert answer.code == "right"


def test_a_no_is_told_in_the_terminal_and_not_in_the_page():
    async def work(listener, waiting):
        page = await get(listener.port, f"/callback?error=access_denied&error_description=%3Cb%3E&state={STATE}")
        with pytest.raises(LoginError) as caught:
            await waiting
        return page, str(caught.value)

    page, said = listening(work)
    assert said == "the authorization server said no: access_denied: <b>"
    assert "<b>" not in page
    assert "the terminal says why" in page


def test_who_says_nothing_or_too_much_keeps_nobody_waiting(monkeypatch):
    monkeypatch.setattr(callback, "HEAD_WITHIN", 0.1)

    async def work(listener, waiting):
        silent, silent_writer = await asyncio.open_connection("127.0.0.1", listener.port)
        assert await asyncio.wait_for(silent.read(), 15) == b""
        silent_writer.close()
        loud, loud_writer = await asyncio.open_connection("127.0.0.1", listener.port)
        loud_writer.write(b"GET /" + b"x" * 100_000)
        with contextlib.suppress(ConnectionError):
            assert await asyncio.wait_for(loud.read(), 15) == b""
        loud_writer.close()
        await get(listener.port, f"/callback?code=right&state={STATE}")
        return await waiting

    assert listening(work).code == "right"


def test_time_is_limited():
    async def work(listener, waiting):
        with pytest.raises(LoginError, match=r"nobody came back from the browser within 0\.001 minutes"):
            await waiting

    listening(work, within=0.06)


def test_it_listens_on_loopback_alone_and_no_longer_than_it_waits():
    async def main():
        async with CallbackListener() as listener:
            assert listener._socket.getsockname()[0] == "127.0.0.1"
            assert listener.redirect_uri == f"http://127.0.0.1:{listener.port}/callback"
        return listener.port

    port = asyncio.run(main())
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0


def test_a_port_that_is_taken_is_told():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(McpgovError, match="cannot listen on 127"):
            CallbackListener(taken.getsockname()[1])


def test_a_request_that_is_none_has_no_answer():
    assert answer_in(b"\x00\xff\r\n\r\n", 1) is None
    assert answer_in(b"GET\r\n\r\n", 1) is None
