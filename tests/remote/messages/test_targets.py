"""Where a request goes, and what goes along."""

import pytest

from mcpgov.remote.messages import targets
from mcpgov.remote.messages.targets import OurTarget, below_entry, endpoint_on_ours, follow, take_apart, upstream_url


@pytest.mark.parametrize(
    ("target", "found"),
    [
        ("/id/mcp?x=1", OurTarget("id", "/mcp", "x=1")),
        ("/id", OurTarget("id", "", "")),
        ("/id/a%2Fb;c", OurTarget("id", "/a%2Fb;c", "")),
        ("id/mcp", None),
        ("/id/../x", None),
        ("/id/%2E./x", None),
        ("/id/.", None),
        ("/id/a\\b", None),
        ("/id/a#b", None),
    ],
)
def test_a_path_of_ours_is_taken_apart(target, found):
    assert take_apart(target) == found


def test_the_entrys_own_query_goes_with_its_own_path_only():
    url = "https://u:p@h.example:8443/mcp?key=s"
    assert upstream_url("/mcp", "", url) == "https://h.example:8443/mcp?key=s"
    assert upstream_url("/mcp/x", "a=%20b", url) == "https://h.example:8443/mcp/x?key=s&a=%20b"
    assert upstream_url("/messages", "id=1", url) == "https://h.example:8443/messages?id=1"
    assert upstream_url("", "", "https://h.example") == "https://h.example/"


def test_what_is_below_the_entrys_path():
    assert below_entry("/mcp", "https://h/mcp")
    assert below_entry("/mcp/", "https://h/mcp")
    assert below_entry("/mcp/a", "https://h/mcp/")
    assert not below_entry("/mcpx", "https://h/mcp")
    assert not below_entry("/other", "https://h/mcp")
    assert below_entry("", "https://h")


@pytest.mark.parametrize(
    ("location", "there"),
    [
        ("/b?x#y", "https://h.example/b?x"),
        ("https://h.example:443/c", "https://h.example:443/c"),
        ("http://h.example/c", ""),
        ("https://h.example:444/c", ""),
        ("https://other.example/c", ""),
        ("//other.example/c", ""),
        ("mailto:a@b", ""),
        ("https://[bad/", ""),
    ],
)
def test_a_redirect_stays_on_its_origin(location, there):
    assert follow("https://h.example/a", location) == there


def test_a_legacy_endpoint_is_handed_out_on_our_origin():
    url = "https://h.example/sse"
    assert endpoint_on_ours("/messages?id=1", url, "ID") == ("/ID/messages?id=1", "https://h.example/messages?id=1")
    assert endpoint_on_ours("https://h.example", url, "ID") == ("/ID/", "https://h.example")
    assert endpoint_on_ours("m", url, "ID")[0] == "/ID/m"
    assert endpoint_on_ours("https://evil.example/m", url, "ID") == ("", "")
    assert endpoint_on_ours("/a/%2e%2e/m", url, "ID") == ("", "")


def test_headers_of_one_connection_or_of_another_origin_do_not_pass():
    up = targets.headers_up(
        [
            ("Host", "x"),
            ("Connection", "close, X-Hop"),
            ("X-Hop", "1"),
            ("Authorization", "b"),
            ("Origin", "o"),
            ("Expect", "e"),
        ]
    )
    assert up == [("Authorization", "b"), ("Accept-Encoding", "identity")]
    down = targets.headers_down(
        [
            ("Location", "x"),
            ("Access-Control-Allow-Origin", "*"),
            ("Mcp-Session-Id", "s"),
            ("Connection", "z"),
            ("Z", "1"),
        ]
    )
    assert down == [("Mcp-Session-Id", "s")]
    assert targets.headers_down([("X", "1"), ("Y", "2")]) == [("X", "1"), ("Y", "2")]
    assert targets.headers_down([("connection", "X, a"), ("Connection", "y"), ("x", "1"), ("Y", "2"), ("Z", "3")]) == [
        ("Z", "3")
    ]
    assert targets.value_of([("A", "1")], "a") == "1"
    assert targets.value_of([], "a") is None


def test_only_http_has_an_origin():
    with pytest.raises(ValueError, match="not an http"):
        targets.origin_of("ftp://h/")
    with pytest.raises(ValueError, match="not an http"):
        targets.origin_of("https:///x")
    assert targets.origin_of("http://H:8080/") == ("http", "h", 8080)


def test_a_name_and_password_in_the_url_become_a_header():
    assert targets.basic_credentials("https://u%40x:p%20w@h.example/") == "Basic dUB4OnAgdw=="
    assert targets.basic_credentials("https://u@h.example/") == "Basic dTo="
    assert targets.basic_credentials("https://h.example/a@b") == ""
