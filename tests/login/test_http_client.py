import asyncio
import gzip
import json
import logging
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx2
import pytest

from mcpgov.login import http_client
from mcpgov.login.http_client import LoginHttp, registration_in
from mcpgov.login.oauth_rules import INVALID, UNREACHED, LoginError


@contextmanager
def answering(answer):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            answer(self)

        do_POST = do_GET

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.handle_error = lambda *_: None
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/mcp"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


def sent(url, request=None):
    async def work():
        async with LoginHttp(url) as http:
            return await http.send(request or http.initialize())

    return asyncio.run(work())


def plain(handler, status=200, body=b"{}", **headers):
    handler.send_response(status)
    for key, value in headers.items():
        handler.send_header(key.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(body)


def test_a_stream_that_does_not_end_is_not_waited_for():
    end = threading.Event()

    def stream(handler):
        plain(handler, body=b": open\n\n", Content_Type="text/event-stream")
        handler.wfile.flush()
        end.wait(30)

    with answering(stream) as url:
        answer = sent(url)
        end.set()
    assert (answer.status_code, answer.content) == (200, b"")


def test_a_compressed_answer_is_bounded_as_what_it_becomes():
    bomb = gzip.compress(b" " * 50_000_000)
    packed = answering(lambda handler: plain(handler, body=bomb, Content_Encoding="gzip"))
    with packed as url, pytest.raises(LoginError, match="more than 4 MiB"):
        sent(url)
    small = gzip.compress(b'{"a": 1}')
    with answering(lambda handler: plain(handler, body=small, Content_Encoding="gzip")) as url:
        assert sent(url).json() == {"a": 1}


def test_a_redirect_is_given_to_the_flow_and_not_followed():
    with answering(lambda handler: plain(handler, 307, b"", Location="https://evil.example/x")) as url:
        answer = sent(url)
    assert (answer.status_code, str(answer.next_request.url)) == (307, "https://evil.example/x")


def test_silence_is_told_in_time(monkeypatch):
    monkeypatch.setattr(http_client, "TIMEOUT", 0.1)
    end = threading.Event()
    with answering(lambda handler: end.wait(30)) as url, pytest.raises(LoginError) as caught:
        sent(url)
    end.set()
    assert (str(caught.value), caught.value.reason_code) == (
        "cannot reach 127.0.0.1: it does not answer in time", UNREACHED
    )  # fmt: skip


def test_nothing_is_sent_in_clear_text_to_another_machine():
    with pytest.raises(LoginError, match="unprotected connection to login"):
        sent("https://mcp.example", httpx2.Request("POST", "http://login.example/token", data={"code": "x"}))


@pytest.mark.parametrize("url", ["http://[::1", "http://a b/", "nothing", "http://:99999999/"])
def test_what_is_no_url_is_told(url):
    with pytest.raises(LoginError) as caught:
        sent(url)
    assert caught.value.reason_code in (INVALID, UNREACHED)


def test_libraries_log_nothing(capfd):
    with answering(plain) as url:
        sent(url)
    logging.getLogger("mcp.client.auth.oauth2").error("at-1")
    logging.getLogger("httpx2").error("at-1")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        ({}, True),
        ({"registration_client_uri": "https://evil.example/r/1"}, False),
        ({"registration_access_token": None}, False),
        ({"registration_client_uri": 3}, False),
    ],
)
def test_how_a_registration_is_deleted_is_kept_if_its_own_server_says_so(change, kept):
    value = {"registration_client_uri": "https://as.example/r/1", "registration_access_token": "k", **change}
    request = httpx2.Request("POST", "https://as.example/register", json={})
    answer = httpx2.Response(201, content=json.dumps(value), request=request)
    expected = {"client_uri": "https://as.example/r/1", "access_token": "k"} if kept else {}
    assert registration_in("https://as.example/register", answer) == expected


def test_other_answers_are_no_registration():
    request = httpx2.Request("POST", "https://as.example/register", json={})
    for status, body in ((400, b"{}"), (201, b"["), (201, b"[]")):
        assert registration_in("https://x", httpx2.Response(status, content=body, request=request)) == {}
    assert registration_in("https://x", httpx2.Response(200, request=httpx2.Request("GET", "https://x"))) == {}
