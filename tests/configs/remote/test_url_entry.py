import pytest

from mcpgov.configs.remote.url_entry import read_url, transport_of, why_native, why_unreadable

ID = "A" * 43


@pytest.mark.parametrize(
    ("value", "client", "transport"),
    [
        ({"type": "http", "url": "u"}, "x", "http"),
        ({"type": "streamable-http", "url": "u"}, "x", "http"),
        ({"type": "streamableHttp", "url": "u"}, "x", "http"),
        ({"type": "remote", "url": "u"}, "x", "http"),
        ({"type": "sse", "url": "u"}, "x", "sse"),
        ({"type": ["odd"], "url": "u"}, "x", "http"),
        ({"uri": "u"}, "x", "http"),
        ({"baseUrl": "u"}, "x", "http"),
        ({"url": "u"}, "gemini", "sse"),
        ({"httpUrl": "u"}, "gemini", "http"),
        ({"url": 3}, "x", ""),
        ({"command": "c"}, "x", ""),
        ({"command": "c", "url": "u", "type": "stdio"}, "x", ""),
        ({"command": "c", "url": "u"}, "x", "http"),
    ],
)
def test_the_transport_of_an_entry(value, client, transport):
    assert transport_of(client, False, value) == transport
    if "command" in value:
        assert transport_of(client, True, value) == ""


@pytest.mark.parametrize(
    ("more", "credential", "authorization", "oauth"),
    [
        ({}, False, False, False),
        ({"headers": {"Authorization": "Bearer x"}}, True, True, False),
        ({"headers": {"X-Api-Key": "x", "Accept": "y"}}, True, False, False),
        ({"headers": {"Authorization": ""}}, False, False, False),
        ({"headers": {"User-Agent": "x"}}, False, False, False),
        ({"headers": "odd"}, False, False, False),
        ({"requestInit": {"headers": {"Cookie": "x"}}}, True, False, False),
        ({"requestInit": []}, False, False, False),
        ({"http_headers": {"X-Token": "x"}}, True, False, False),
        ({"bearer_token_env_var": "TOKEN"}, True, True, False),
        ({"headersHelper": "/bin/x"}, True, False, False),
        ({"oauth": {"clientId": "c"}}, False, False, True),
        ({"oauth": {}}, False, False, True),
        ({"auth": {"CLIENT_ID": "c"}}, False, False, True),
        ({"oauth": False}, False, False, False),
        ({"oauth": {"enabled": False}}, False, False, False),
    ],
)
def test_how_the_app_signs_in(more, credential, authorization, oauth):
    found = read_url({"url": "https://x", **more})
    assert (found.credential, found.authorization, found.oauth) == (credential, authorization, oauth)


def test_the_id_of_ours_in_a_url():
    assert read_url({"serverUrl": f"http://127.0.0.1:2000/{ID}/mcp"}).ident == ID
    assert read_url({"url": "http://127.0.0.1:2000/mcp"}).ident == ""
    assert read_url({"type": "http"}) is None


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("https://x.example/mcp?a=b%20c", ""),
        ("HTTP://localhost:3000", ""),
        (f"http://127.0.0.1:2000/{ID}/mcp", ""),
        ("wss://x/mcp", "remote-websocket"),
        ("https://${HOST}/mcp", "remote-variable"),
        ("https://x/$TOKEN/mcp", "remote-variable"),
        ("https://x/{env:TOKEN}", "remote-variable"),
        ("unix:///run/x", "remote-not-http"),
        ("https://x/<your key>", "remote-not-http"),
        ("https:///mcp", "remote-not-http"),
        ("https://x:99999/", "remote-not-http"),
        ("https://x:0/", "remote-not-http"),
        ("mcp.example.com", "remote-not-http"),
        ("https://x/\n", "remote-not-http"),
        ("https://[x", "remote-not-http"),
    ],
)
def test_which_urls_can_be_governed(url, code):
    value = {"url": url}
    assert why_native(value, read_url(value)).code == code


def test_an_entry_with_two_urls_a_websocket_by_type_or_none_is_told():
    both = {"url": "https://a", "httpUrl": "https://b"}
    assert why_native(both, read_url(both)).code == "remote-several-urls"
    socket = {"type": "ws", "url": "https://a"}
    assert why_native(socket, read_url(socket)).code == "remote-websocket"
    assert why_unreadable({"type": "http"}) == "its type is a remote one, and it names no URL"
    assert (why_unreadable({"url": ""}), why_unreadable({"url": "https://x"})) == ("its URL is empty", "")
