import pytest

from mcpgov.login.oauth_rules import (
    INVALID,
    LoginError,
    check_endpoint,
    host_of,
    is_loopback,
    oauth_error,
    refusal,
    same_origin,
    scopes_in,
    short,
)


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b'{"error": "invalid_grant", "error_description": "gone", "access_token": "x"}', ("invalid_grant", "gone")),
        (b'{"error": 3, "error_description": ["x"]}', ("", "")),
        (b"[]", ("", "")),
        (b"<html>token", ("", "")),
        (b"[" * 100_000, ("", "")),
        (b'{"error": "' + b"e" * 500 + b'"}', ("e" * 300 + "…", "")),
    ],
)
def test_only_error_and_description_of_an_answer_are_ever_shown(body, error):
    assert oauth_error(body) == error


def test_a_refusal_tells_the_error_else_the_status():
    assert str(refusal("no", 400, b'{"error": "a", "error_description": "b"}')) == "no: a: b"
    told = refusal("no", 502, b"secret", hint="try")
    assert (str(told), told.hint) == ("no: HTTP 502", "try")


@pytest.mark.parametrize(
    ("url", "server"),
    [
        ("https://login.example/a", "https://mcp.example"),
        ("https://login.example/a", "http://mcp.lan"),
        ("http://127.0.0.1:80/a", "https://mcp.example"),
        ("http://[::1]/a", "https://mcp.example"),
        ("http://localhost:1/a", "https://mcp.example"),
        ("http://x.localhost/a", "https://mcp.example"),
        ("http://mcp.lan:99/a", "http://mcp.lan/mcp"),
    ],
)
def test_endpoints_that_nobody_between_can_read_are_used(url, server):
    check_endpoint(url, server)


@pytest.mark.parametrize(
    "url",
    [
        "http://login.example/a",
        "ftp://x/a",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "https://",
        "http:///a",
        "//x/a",
        "",
    ],
)
def test_other_endpoints_are_refused(url):
    with pytest.raises(LoginError, match="unprotected connection"):
        check_endpoint(url, "https://mcp.example")


def test_a_url_that_cannot_be_read_is_refused_and_has_no_host():
    with pytest.raises(LoginError) as caught:
        check_endpoint("http://[::1", "https://x")
    assert caught.value.reason_code == INVALID
    assert [host_of(url) for url in ("https://u:p@h.example/?key=x", "http://[::1", "x")] == [
        "h.example", "an unknown host", "an unknown host"
    ]  # fmt: skip


def test_addresses_of_this_machine():
    assert [is_loopback(host) for host in ("127.9.9.9", "::1", "10.0.0.1", "localhost.example")] == [
        True, True, False, False
    ]  # fmt: skip


def test_an_origin_is_scheme_host_and_port():
    assert same_origin("https://a/x", "https://a/y")
    assert not same_origin("https://a/x", "https://a:444/x")
    assert not same_origin("https://a", "https://a:99999")


def test_scopes_are_told_once_in_order_and_nothing_else_is_one():
    assert scopes_in("a b", "b c\td", 'x"y \\ é', "s" * 201) == ("a", "b", "c", "d")
    assert len(scopes_in(" ".join(map(str, range(500))))) == 100


def test_a_long_text_is_cut():
    assert (short("x" * 300), short("x" * 301)) == ("x" * 300, "x" * 300 + "…")
