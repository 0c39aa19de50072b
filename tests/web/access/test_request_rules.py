import pytest

from mcpgov.loopback.request_checks import RequestHead
from mcpgov.web.access import request_rules
from mcpgov.web.access.request_rules import LARGEST_BODY, page_hosts, page_refusal

BASE = "/ab/"
HOSTS = page_hosts(80)


def head(method="GET", path="/ab/api/status", **headers):
    given = {"host": "127.0.0.1:80", **{name.replace("_", "-"): value for name, value in headers.items()}}
    if method == "POST":
        given.setdefault("content-length", "5")
    pairs = [(name.encode(), value.encode()) for name, value in given.items()]
    return RequestHead(method, path, (1, 1), pairs)


def status(*given, **headers):
    found = page_refusal(head(*given, **headers), HOSTS, BASE)
    return found.status if found else 200


def test_what_the_page_itself_asks_passes():
    assert status() == 200
    assert status(host="LOCALHOST:80", origin="http://localhost:80") == 200
    assert status("POST", origin="http://127.0.0.1:80", sec_fetch_site="same-origin") == 200
    assert status("GET", "/ab/", sec_fetch_site="cross-site") == 200
    assert status(sec_fetch_site="none") == 200


@pytest.mark.parametrize(
    ("given", "headers", "wanted"),
    [
        ((), {"host": "evil.example:80"}, 403),
        ((), {"host": "127.0.0.1:81"}, 403),
        ((), {"origin": "null"}, 403),
        (("POST",), {"origin": "null"}, 403),
        (("POST", "/ab/enter"), {"origin": "null"}, 200),
        (("POST", "/ab/enter?x"), {"origin": "null", "sec_fetch_site": "cross-site"}, 200),
        (("GET", "/ab/enter"), {"origin": "null"}, 403),
        (("POST", "/ab/enter"), {"origin": "http://evil.example"}, 403),
        (("POST",), {"origin": "http://localhost:80"}, 403),
        ((), {"sec_fetch_site": "cross-site"}, 403),
        ((), {"sec_fetch_site": "same-site"}, 403),
        (("GET", "/ab/static/a.js"), {"sec_fetch_site": "cross-site"}, 403),
        (("DELETE",), {}, 405),
        (("POST",), {"content_length": str(LARGEST_BODY + 1)}, 413),
    ],
)
def test_what_another_page_asks_does_not(given, headers, wanted):
    assert status(*given, **headers) == wanted


def test_paths_and_queries():
    assert request_rules.path_of("/a?b=c") == "/a"
    assert request_rules.query_of("/a?b=c&b=d&e=&f=%zz%ff") == {"b": "c", "e": "", "f": "%zz\ufffd"}
    with pytest.raises(ValueError, match="fields"):
        request_rules.query_of("/a?" + "&".join("x=1" for _ in range(60)))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("mcpgov_page=v", "v"),
        ("a=b; mcpgov_page=v; c=d", "v"),
        ("mcpgov_page=v; mcpgov_page=w", ""),
        ("a=b", ""),
        ("xmcpgov_page=v", ""),
        ("a[=b;mcpgov_page = v ", "v"),
        (";;", ""),
    ],
)
def test_our_cookie_is_found_if_it_is_the_only_one(text, found):
    assert request_rules.cookie_of(head(cookie=text)) == found


def test_without_cookies_there_is_none():
    assert request_rules.cookie_of(head()) == ""


def test_a_cookie_is_for_scripts_of_nobody_and_for_this_path():
    name, value = request_rules.set_cookie("v", BASE, 60.4)
    assert (name, value) == ("Set-Cookie", "mcpgov_page=v; Path=/ab/; Max-Age=60; HttpOnly; SameSite=Strict")


def test_the_code_of_a_form():
    form = b"application/x-www-form-urlencoded; charset=utf-8"
    assert request_rules.form_code(form, b"code=a%2Db&x=y") == "a-b"
    assert request_rules.form_code(form, b"x=y") == ""
    assert request_rules.form_code(form, b"&".join([b"code=a"] * 9)) == ""
    assert request_rules.form_code(b"text/plain", b"code=a") == ""
    assert request_rules.form_code(None, b"code=a") == ""


def test_json_in_and_out():
    assert request_rules.json_object(b'{"a": 1}') == {"a": 1}
    assert [request_rules.json_object(body) for body in (b"[]", b"{", b"\xff", b"[" * 100_000)] == [None] * 4
    assert request_rules.json_text({"a": "</script>&é"}) == b'{"a":"\\u003c/script\\u003e\\u0026\\u00e9"}'
