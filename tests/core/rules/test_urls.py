"""Patterns with a scheme: each part of a URL is matched apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgov.core.rules.path_matching import Reader
from mcpgov.core.rules.urls import UrlPattern, is_url_pattern, loose_urls, plain_url
from mcpgov.core.rules.value_patterns import Pattern
from tests.helpers.compiled import world


def certain(pattern, text):
    return Reader(world()).certain(Pattern(pattern), text)


def possible(pattern, text):
    return Reader(world(env={"H": "evil.com"})).possible(Pattern(pattern), text)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("https://*.example.com/**", "https://a.example.com/x"),
        ("https://*.example.com/**", "https://a.b-1.example.com/x/y?q=/z#f"),
        ("https://*.example.com/**", "https://A.example.com/x"),
        ("https://*.example.com**", "https://a.example.com:443/"),
        ("https://example.com", "https://example.com"),
        ("https://h/a*", "https://h/ab?c"),
        ("https://h/s?q=*", "https://h/s?q=1"),
        ("https://h/v?/x?q=*", "https://h/v1/x?q=1"),
        ("https://h?q=*", "https://h?q=1"),
        ("https://h/a#b*", "https://h/a#bc"),
        ("https://h:*/**", "https://h:8443/x"),
        ("https://h:8443/**", "https://h:8443/x"),
        ("*://h/**", "ftp://h/x"),
        ("http*://h/**", "https://h/x"),
        ("https://**", "https://a.b/c?d"),
        ("https://*.my_host/**", "https://a.my_host/x"),
        ("http://[::1]/**", "http://[::1]/x"),
        ("http://[::1]:*/**", "http://[::1]:80/x"),
        ("postgres://*:*@db/**", "postgres://u:p@db/x"),
        ("github://repo/**", "github://repo/a/b"),
        ("github:///**", "github:///a"),
        ("note://*", "note://my_note"),
        ("note://{id}/*", "note://{id}/x"),
        ("mailto:*", "mailto:x@y"),
    ],
)
def test_an_allow_holds_for_a_url_whose_parts_are_inside(pattern, text):
    assert certain(pattern, text)
    assert possible(pattern, text)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("https://*.example.com/**", "https://evil.com?.example.com/x"),
        ("https://*.example.com/**", "https://evil.com#.example.com/x"),
        ("https://*.example.com/**", "https://evil.com\\.example.com/x"),
        ("https://*.example.com/**", "https://evil.com:80?.example.com/x"),
        ("https://*.example.com/**", "https://evil.com@a.example.com/x"),
        ("https://*.example.com/**", "https://a.example.com@evil.com/.example.com/x"),
        ("https://*.example.com/**", "https://u@evil.com#.example.com/x"),
        ("https://*.example.com/**", "https://evil.com;.example.com/x"),
        ("https://*.example.com/**", "https://evil.com&.example.com/x"),
        ("https://*.example.com/**", "https://evil.com,.example.com/x"),
        ("https://*.example.com/**", "https://evil.com .example.com/x"),
        ("https://*.example.com/**", "https://evil.com:.example.com/x"),
        ("https://*.example.com/**", "https://evil.com%2f.example.com/x"),
        ("https://*.example.com/**", "https://evil.com\t.example.com/x"),
        ("https://*.example.com/**", "https://a_b.example.com/x"),
        ("https://*.example.com/**", "https://é.example.com/x"),
        ("https://*.example.com/**", "https://a.example.com:8443/x"),
        ("https://*.example.com/**", "https://a.example.com:\u0668/x"),
        ("https://**.example.com/**", "https://evil.com/.example.com/x"),
        ("https://**/x", "https:///evil.com/x"),
        ("https://*/x", "https://[::1]/x"),
        ("http://[*/x", "http://[zz]/x"),
        ("https://h*/**", "https://h:1/x"),
        ("https://h*/**", "https://h@evil/x"),
        ("https://h/*.json", "https://h/a?x=.json"),
        ("https://h/**/ok", "https://h/a?b/ok"),
        ("https://h/**#ok", "https://h/a?b#c#ok"),
        ("https://h/a?b=*", "https://h/a#b=1"),
        ("https://h/a*?b=*", "https://h/a#?b=1"),
        ("https://*@h/**", "https://a%40b@h/x"),
        ("https://*@h/**", "https://evil@b@h/x"),
        ("https://**@h/**", "https://evil.com/@h/x"),
        ("postgres://ro:*@db/**", "postgres://rw:ro:x@db/y"),
        ("*://h/**", "1x://h/x"),
        ("*://h/**", "see http://h/x"),
        ("github://*/x", "github://a:b/x"),
        ("github://*/x", "github:///x"),
        ("http*://h/**", "https+x://h/../y"),
    ],
)
def test_no_star_of_an_allow_leaves_its_part(pattern, text):
    assert not certain(pattern, text)


def test_the_userinfo_is_matched_apart():
    assert UrlPattern("https://a*@h/**").certain("https://ab@h/x")
    assert not UrlPattern("https://a*@h/**").certain("https://b@h/x")


HOSTILE = [
    "https://evil.com", "https://evil.com/", "https://evil.com/a/b", "https://evil.com:443/a", "https://evil.com:8443/a",
    "https://evil.com:/a", "https://evil.com./a", "https://EVIL.com/a", "HTTPS://evil.com/a", "https://u@evil.com/a",
    "https://u:p@evil.com/a", "https://good.com@evil.com/", "https://good.com:80@evil.com:80/", "https://a@evil.com@b/",
    "https:/evil.com/a", "https:evil.com/a", "https:////evil.com/a", "https:\\\\evil.com\\a", "https://evil.com\\a",
    "https://evil.com?a", "https://evil.com#a", "https://evil.com?@good.com/", "https://evil.com#@good.com/",
    "https://good.com?@evil.com/", "https://good.com\\@evil.com/", "ht\ntps://ev\til.com/a", " https://evil.com/a ",
    "\x01https://evil.com", "https://%65vil.com/a", "https://evil%2ecom/a", "https://ｅｖｉｌ.com/a", "https://evil。com/a",
    "https://evil｡com/", "https://evil．com/", "https://ev\u00adil.com/", "https://evil.com\ufe0f/", "//evil.com/a",
    "evil.com/a", "evil.com", "evil.com:443/x", "git+https://evil.com/a", "https://good.com,evil.com/x",
    "https://evil.com /x", "https://$H/x", "'https://evil.com/'", "\\\\evil.com\\x", "https://evil.com/../a",
    "url:https://evil.com/", "view-source:https://evil.com/x", "<https://evil.com/>", "(https://evil.com)",
    "https://evil.com;x", "https://evil.com&x", "https://evil.com|x/", "https://evil.com!/",
    "https://evil.com\r\nHost: x",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_a_deny_on_a_host_holds_however_it_is_spelled(text):
    assert possible("https://evil.com/**", text)
    assert possible("https://evil.com", text)
    assert not possible("https://other.com/**", text)


LOCAL = [
    "127.0.0.1", "2130706433", "0x7f000001", "0x7F.1", "0177.0.0.1", "017700000001", "127.1", "127.0.1",
    "0x7f.0x0.0.01",
    "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:FFFF:7f00:0001]", "[::127.0.0.1]", "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]", "[::ffff:127.0.0.1%25eth0]", "１２７.０.０.１", "①②⑦.0.0.1", "127。0。0。1", "127.0.0.1.",
    "00000000000000000000000000000000000000000000000177.0.0.1", "0127.0.0.1", "[::ffff:0:127.0.0.1]", "127.0.0.1 x",
    "6425673729", "383.0.0.1",
]  # fmt: skip


@pytest.mark.parametrize("host", LOCAL)
def test_a_deny_on_an_address_holds_for_every_number_that_means_it(host):
    assert possible("http://127.0.0.1/**", f"http://{host}/x")
    assert possible("http://127.*/**", f"http://{host}:80")
    assert possible("*://127.0.0.1/**", f"ftp://u@{host}/")
    assert not possible("http://127.0.0.2/**", f"http://{host}/x")


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("http://2130706433/**", "http://127.0.0.1/"),
        ("http://[::ffff:7f00:1]/**", "http://127.1/"),
        ("http://[::1]/**", "http://[0:0::1]/x"),
        ("https://bücher.de/**", "https://xn--bcher-kva.de/x"),
        ("https://xn--bcher-kva.de/**", "https://BÜCHER.de/x"),
        ("https://evil.com./**", "https://evil.com/x"),
        ("https://*.evil.com/**", "https://a.b.evil.com./x"),
        ("https://evil.com:443/**", "https://evil.com/x"),
        ("https://evil.com:8443/**", "https://evil.com:08443/x"),
        ("*://evil.com:443/**", "evil.com/x"),
        ("https://evil.com/admin/**", "https://evil.com/admin"),
        ("https://evil.com/admin/**", "https://evil.com/x/../ADMIN/y"),
        ("https://evil.com/admin/**", "https://evil.com//admin/%2e/y"),
        ("https://evil.com/admin/**", "https://evil.com/admin;v=1/y"),
        ("https://evil.com/a", "https://evil.com/a?x#y"),
        ("https://evil.com/a?x=*", "https://evil.com/a?X=1"),
        ("https://evil.com?x=*", "https://evil.com/?x=1"),
        ("https://evil.com/a#b", "https://evil.com/a#B"),
        ("https://root:*@evil.com/**", "https://ROOT:x@evil.com/a"),
        ("https://**/**", "https://[::1]/x"),
        ("github://repo/**", "GITHUB://Repo/x"),
        ("note:///a", "note:///a"),
        ("**https://evil**", "see https://evil.com"),
    ],
)
def test_what_might_be_inside_satisfies_a_deny(pattern, text):
    assert possible(pattern, text)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("https://evil.com/**", "http://evil.com/x"),
        ("https://evil.com/**", "https://good.com/evil.com/x"),
        ("https://evil.com/**", "https://notevil.com/x"),
        ("https://evil.com/**", "https://evil.com.good/x"),
        ("https://evil.com/**", "evil"),
        ("https://evil.com/**", "bob@evil.com"),
        ("https://evil.com/**", "a word"),
        ("https://evil.com:8443/**", "https://evil.com/x"),
        ("note://h:1/x", "note://h/x"),
        ("https://root@evil.com/**", "https://evil.com/x"),
        ("https://root@evil.com/**", "https://guest@evil.com/x"),
        ("https://evil.com/a", "https://evil.com/b"),
        ("https://evil.com/a?x=*", "https://evil.com/a"),
        ("https://evil.com/a?x=*", "https://evil.com/a?y=1"),
        ("https://evil.com/a#b", "https://evil.com/a"),
        ("*://**/**", "hello"),
        ("*://**/**", "some.file"),
        ("*://*/**", "src/some.file:12"),
    ],
)
def test_what_nobody_reads_inside_satisfies_no_deny(pattern, text):
    assert not possible(pattern, text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("https://x", True), ("*://x", True), ("git+ssh://x", True), ("a b://x", False), ("://x", False), ("x:y", False)],
)
def test_a_pattern_with_a_scheme_is_recognised(text, expected):
    assert is_url_pattern(text) is expected


PARTS = st.text("ae.:/?#@\\%[]; 0é-", max_size=14)


@given(PARTS, PARTS)
def test_no_text_breaks_a_pattern_and_what_is_certain_is_also_possible(pattern, text):
    compiled = Pattern("http*://" + pattern + "*")
    for value in (text, "http://" + text):
        reader = Reader(world())
        assert reader.possible(compiled, value) or not reader.certain(compiled, value)


@given(PARTS)
def test_the_host_of_a_certain_url_is_the_one_that_the_standard_library_finds(text):
    from urllib.parse import urlsplit

    found = plain_url("https://" + text)
    if found is not None:
        assert urlsplit("https://" + text).hostname == found.host.strip("[]")
        assert found.host in [url.host for url in loose_urls("https://" + text)]


@given(st.text("ab.-", min_size=1, max_size=8), PARTS)
def test_an_allow_on_a_domain_never_lets_another_host_in(name, rest):
    from urllib.parse import urlsplit

    text = f"https://{rest}.example.com/{name}"
    if UrlPattern("https://*.example.com/**").certain(text):
        assert urlsplit(text).hostname.endswith(".example.com")


def test_a_text_full_of_signs_is_read_in_bounded_time():
    for text in ("https://" + "@" * 100_000, "https://" + "," * 100_000, "https://" + "/" * 100_000, "1." * 50_000):
        assert len(loose_urls(text)) < 200
