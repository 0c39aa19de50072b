"""Requests that are not the page's own, over raw sockets: rebinding, other sites, stolen keys, endless bodies."""

import contextlib
import http.client
import json
import re
import socket
import time
from pathlib import Path

import pytest

from mcpgov.web.access.request_rules import SECURITY_HEADERS
from mcpgov.web.access.sessions import UNUSED
from tests.helpers.pages import Browser, page_desk
from tests.helpers.talks import PATIENCE, wait_for

GOOD = {"number": "none-1"}


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    with page_desk(tmp_path_factory.mktemp("page") / "d") as made:
        yield made


@pytest.fixture
def browser(desk):
    return desk.browser()


def status(raw):
    return int(raw.split(b" ", 2)[1])


def lines(browser, method="GET", path="api/status", host=None, body=b"", **headers):
    host = host or f"127.0.0.1:{browser.port}"
    given = {
        "Cookie": f"mcpgov_page={browser.cookie}",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    if body:
        given["Content-Length"] = str(len(body))
    head = "".join(f"{name}: {value}\r\n" for name, value in given.items())
    return f"{method} {browser.base}{path} HTTP/1.1\r\nHost: {host}\r\n{head}\r\n".encode() + body


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "evil.example:{port}", "[::1]:{port}"])
def test_another_name_for_this_machine_is_refused(desk, browser, host):
    assert status(desk.raw(browser, lines(browser, host=host.format(port=browser.port)))) == 403


def test_the_right_names_are_not(desk, browser):
    assert status(desk.raw(browser, lines(browser, host=f"localhost:{browser.port}"))) == 200
    assert status(desk.raw(browser, lines(browser))) == 200


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1:1", "http://localhost:{port}"],
)
def test_another_origin_is_refused(browser, origin):
    found = browser.post("deny", GOOD, Origin=origin.format(port=browser.port))
    assert (found.status, found.headers["content-type"]) == (403, "text/plain; charset=utf-8")


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_another_page_asks_for_is_refused(browser, site):
    assert browser.get("status", Sec_Fetch_Site=site).status == 403
    assert browser.ask("GET", "static/index.html", Sec_Fetch_Site=site).status == 403
    assert browser.get("status", Sec_Fetch_Site="same-origin").status == 200


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({"X-Mcpgov-Token": ""}, "403 token"),
        ({"X-Mcpgov-Token": "0" * 64}, "403 token"),
        ({"Content-Type": "text/plain"}, "415 type"),
        ({"Content-Type": "application/x-www-form-urlencoded"}, "415 type"),
        ({"Cookie": ""}, "401 session"),
        ({"Cookie": "mcpgov_page=stale"}, "401 session"),
    ],
)
def test_a_change_needs_session_token_and_json(browser, headers, code):
    assert browser.post("deny", GOOD, **headers).code == code


def test_two_cookies_are_none(browser):
    twice = f"mcpgov_page=x; mcpgov_page={browser.cookie}"
    assert browser.get("status", Cookie=twice).code == "401 session"


@pytest.mark.parametrize(
    "name", ["approve", "deny", "verdict", "accept", "policy/save", "revoke", "lock", "unlock", "leave"]
)
def test_a_get_changes_nothing(desk, browser, name):
    assert browser.get(name).code == "404 unknown"
    assert browser.get("status").data["locked"] is False


@pytest.mark.parametrize("method", ["DELETE", "PUT", "OPTIONS", "HEAD", "PATCH"])
def test_other_methods_are_refused(desk, browser, method):
    assert status(desk.raw(browser, lines(browser, method, "api/status"))) == 405


def test_no_answer_invites_another_origin(browser):
    found = browser.get("status", Origin=browser.origin)
    assert not [name for name in found.headers if name.startswith("access-control")]


@pytest.mark.parametrize("path", ["", "static/index.html", "static/none.js", "api/status", "api/none", "nowhere"])
def test_every_answer_keeps_other_pages_out(browser, path):
    headers = browser.ask("GET", path).headers
    assert {name.lower(): value for name, value in SECURITY_HEADERS}.items() <= headers.items()
    refused = browser.ask("GET", path, Host="evil.example").headers
    assert {name.lower(): value for name, value in SECURITY_HEADERS}.items() <= refused.items()
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]


def test_json_is_data_wherever_it_is_put(browser):
    found = browser.post("deny", {"number": "</script><b>&"})
    assert found.headers["content-type"] == "application/json; charset=utf-8"
    assert b"<" not in found.body
    assert "</script><b>&" in found.json["error"]["message"]


@pytest.mark.parametrize(
    "path", ["static/../main.py", "static/%2e%2e/main.py", "static//etc/passwd", "static/", "../x"]
)
def test_only_the_packages_own_files_are_served(desk, browser, path):
    assert status(desk.raw(browser, lines(browser, path=path))) == 404


def test_files_are_tagged_and_compressed(browser):
    first = browser.ask("GET", "static/index.html")
    assert first.status == 200
    again = browser.ask("GET", "static/index.html", If_None_Match=first.headers["etag"])
    assert (again.status, again.body) == (304, b"")


def test_outside_the_base_is_nothing(desk, browser):
    other = Browser(f"http://127.0.0.1:{browser.port}/0000000000000000/")
    other.cookie = browser.cookie
    assert other.ask("GET", "").status == 404
    assert other.get("status").status == 404


def test_without_a_session_a_page_asks_for_a_code_and_nothing_is_told(desk, browser):
    stranger = Browser(browser.url)
    assert (stranger.ask("GET", "").status, b'name="code"' in stranger.ask("GET", "").body) == (401, True)
    for name in ("hello", "status", "stream", "record", "export", "policy"):
        assert stranger.get(name).code == "401 session"


def test_a_code_is_no_code_twice_nor_wrong_nor_elsewhere(desk, browser):
    made = desk.json("open", "--print")
    stranger = Browser(made["url"])
    assert stranger.enter("AAAA-BBBB-CCCC").status == 403
    assert stranger.ask("GET", f"enter?code={made['code']}").status == 404
    assert stranger.enter(made["code"], Content_Type="application/json").status == 403
    assert stranger.enter(made["code"], Origin="http://evil.example").status == 403
    assert stranger.enter(made["code"].lower().replace("-", " ")).status == 200
    assert Browser(made["url"]).enter(made["code"]).status == 403


def test_after_many_wrong_codes_even_the_right_one_is_not_looked_at(tmp_path):
    """A code of a file is too long to be guessed: whoever guesses does not keep the person out."""
    with page_desk(tmp_path / "d") as desk:
        made, file = desk.json("open", "--print"), desk.json("open", "--no-browser")["file"]
        stranger = Browser(made["url"])
        found = [stranger.enter(f"AAAA-BBBB-{number:04}").status for number in range(14)]
        assert (found[0], found[-1]) == (403, 429)
        assert stranger.enter(made["code"]).status == 429
        (code,) = re.findall('name="code" value="([^"]+)"', Path(file).read_text())
        assert Browser(made["url"]).enter(code).status == 200
        assert not Path(file).exists()


def test_the_cookie_is_for_this_page_alone(desk):
    made = desk.json("open", "--print")
    browser = Browser(made["url"])
    words = browser.enter(made["code"]).headers["set-cookie"].split("; ")
    assert words[1:] == [f"Path={browser.base}", "Max-Age=43200", "HttpOnly", "SameSite=Strict"]
    assert browser.post("leave", {}).data == {}
    assert browser.get("hello").code == "401 session"


def test_a_stream_ends_with_its_session(desk):
    browser = desk.browser()
    with browser.listening() as live:
        live.until("records")
        assert browser.post("leave", {}).data == {}
        assert live.until("gone") == {"why": "session"}
        with pytest.raises(EOFError):
            live.next()


def test_a_body_too_large_or_not_json_is_refused(desk, browser):
    assert browser.post("deny", {"number": "x" * 2_000_000}).status == 413
    for body in (b"[]", b"{", b'{"a": ' + b"[" * 5000, b"\xff"):
        found = browser.ask("POST", "api/deny", body, Content_Type="application/json", X_Mcpgov_Token=browser.token)
        assert found.code == "400 wrong"


def test_chunks_do_not_hide_a_large_body(desk, browser):
    head = lines(browser, "POST", "api/deny", Content_Type="application/json", X_Mcpgov_Token=browser.token,
                 Transfer_Encoding="chunked")  # fmt: skip
    chunk = b"40000\r\n" + b"x" * 0x40000 + b"\r\n"
    assert status(desk.raw(browser, head + chunk * 6 + b"0\r\n\r\n")) == 413


def test_a_head_that_does_not_come_is_given_up(desk, browser):
    begin = time.monotonic()
    with socket.create_connection(("127.0.0.1", browser.port), timeout=2 * PATIENCE) as sock:
        sock.sendall(f"GET {browser.base} HTTP/1.1\r\n".encode())
        with contextlib.suppress(ConnectionError):
            assert sock.recv(100) == b""
    assert time.monotonic() - begin < 2 * PATIENCE


def test_a_body_that_does_not_come_is_given_up(desk, browser):
    begun = lines(browser, "POST", "api/deny", Content_Type="application/json", X_Mcpgov_Token=browser.token,
                  Content_Length="100")  # fmt: skip
    assert status(desk.raw(browser, begun + b"{", wait=2 * PATIENCE)) == 408


def test_too_much_is_asked(desk):
    browser = desk.browser()
    found = [browser.post("deny", GOOD) for _ in range(40)]
    late = [answer for answer in found if answer.status == 429]
    assert late
    assert late[0].code == "429 too-many"
    assert late[0].headers["retry-after"] == "1"


def test_only_so_many_streams_are_open_at_once(desk):
    browser = desk.browser()
    kept = [browser.listening() for _ in range(8)]
    try:
        for each in kept:
            each.__enter__()
        assert browser.get("stream").code == "429 too-many"
    finally:
        for each in kept:
            each.__exit__(None, None, None)


def test_a_thousand_streams_keep_nobody_from_the_page(desk):
    browser = desk.browser()
    head = lines(browser, "GET", "api/stream")
    with browser.listening() as live:
        live.until("records")
        with contextlib.ExitStack() as crowd:
            for _ in range(1000):
                try:
                    sock = socket.create_connection(("127.0.0.1", browser.port), timeout=PATIENCE)
                except OSError:
                    continue  # refused at the door
                crowd.enter_context(sock)
                with contextlib.suppress(OSError):
                    sock.sendall(head)
            with desk.app() as app:
                app.call("read_file", path="/srv")
            live.item(lambda item: item.get("tool") == "read_file")
    wait_for(lambda: answers(browser), "the page's answer", 2 * PATIENCE)


def answers(browser):
    with contextlib.suppress(OSError, http.client.HTTPException):
        return browser.get("status").status == 200


@pytest.mark.parametrize("name", ["server", "tool", "text", "since", "rule", "action"])
def test_huge_filters_are_refused(browser, name):
    assert browser.get(f"record?{name}={'*' * 301}").code == "400 wrong"
    assert browser.get(f"export?{name}={'%2A' * 3000}").status in (400, 414, 431)
    assert browser.get(f"record?{name}={'x' * 200_000}").status in (400, 413, 414, 431)


def test_what_is_kept_of_a_session_lets_nobody_in(desk):
    browser = desk.browser()
    file = desk.root / "run" / "page" / "sessions.json"
    kept = json.loads(file.read_text())
    assert browser.cookie not in file.read_text()
    assert browser.token not in file.read_text()
    assert time.time() + UNUSED - 60 < kept["until"] <= time.time() + UNUSED
