import json

import pytest

from mcpgov import remote_servers
from mcpgov.errors import McpgovError, UsageError
from mcpgov.front.context import Context
from mcpgov.front.login.remote_entries import RemoteEntry, find, own_source, remote_entries
from mcpgov.login import markers
from mcpgov.login.markers import LoginMarker
from mcpgov.remote_servers import RemoteServer, url_digest, wrapped_url

URL = "https://mcp.example/mcp?key=1"


@pytest.fixture
def context(root):
    return Context(str(root))


def cursor(home, servers):
    path = home / ".cursor" / "mcp.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"mcpServers": servers}))
    return str(path)


def gemini(home, servers):
    path = home / ".gemini" / "settings.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"mcpServers": servers}))
    return str(path)


def test_every_spelling_of_a_url_is_found_in_every_client(context, home):
    one = cursor(home, {"a": {"url": URL}, "local": {"command": "x"}, "odd": 3})
    two = gemini(home, {"b": {"httpUrl": "http://b/mcp"}})
    toml = home / ".codex" / "config.toml"
    toml.parent.mkdir()
    toml.write_text('[mcp_servers.c]\nurl = "https://c/mcp"\n')
    assert sorted(remote_entries(context)) == [
        RemoteEntry("a", "cursor", one, URL),
        RemoteEntry("b", "gemini", two, "http://b/mcp"),
        RemoteEntry("c", "codex", str(toml), "https://c/mcp"),
    ]
    assert [entry.name for entry in remote_entries(context, "gemini")] == ["b"]


def test_a_wrapped_entry_stands_for_its_servers_own_url(context, home, root):
    server = RemoteServer(remote_servers.new_id(), "a", "cursor", "", URL, file="x")
    remote_servers.keep_server(context.places.remote_servers, server)
    file = cursor(home, {"a": {"url": wrapped_url(20001, server)}, "other": {"url": "http://127.0.0.1:9/" + "x" * 43}})
    assert remote_entries(context) == [RemoteEntry("a", "cursor", file, URL, True)]
    assert find(context, "a").url == URL


def test_an_entry_that_was_lost_from_its_file_is_still_known(context, home):
    server = RemoteServer(remote_servers.new_id(), "a", "cursor", "", URL, file="/f")
    remote_servers.keep_server(context.places.remote_servers, server)
    assert find(context, "a").entries == (RemoteEntry("a", "cursor", "/f", URL, True),)


def test_one_url_in_several_clients_is_one_login(context, home):
    one, two = cursor(home, {"a": {"url": URL}}), gemini(home, {"other": {"url": URL}})
    target = find(context, "a", "cursor")
    assert (target.name, target.url) == ("a", URL)
    assert {entry.file for entry in target.entries} == {one, two}
    assert find(context, URL)[:2] == ("a", URL)


def test_a_name_that_stands_for_several_urls_is_refused(context, home):
    cursor(home, {"a": {"url": URL}})
    gemini(home, {"a": {"url": "https://other/mcp"}})
    with pytest.raises(McpgovError) as caught:
        find(context, "a")
    assert (str(caught.value), caught.value.hint) == (
        "`a` stands for 2 different URLs (cursor, gemini)", "mcpgov login --client cursor a"
    )  # fmt: skip
    assert find(context, "a", "gemini").url == "https://other/mcp"


def test_a_name_that_nobody_has_is_told_with_the_nearest(context, home):
    cursor(home, {"linear": {"url": URL}})
    with pytest.raises(McpgovError) as caught:
        find(context, "liner")
    assert (str(caught.value), caught.value.hint) == (
        "no client has a server `liner` with a URL", "did you mean `linear`?"
    )  # fmt: skip


def test_a_login_whose_entry_is_gone_is_found_by_its_name(context):
    marker = LoginMarker(URL, "gone", "", (), "c", "file", 1.0)
    markers.keep_marker(context.places.remote_tokens, url_digest(URL), marker)
    assert find(context, "gone") == ("gone", URL, ())
    assert find(context, URL).name == "gone"


@pytest.mark.parametrize("url", ["ws://x/mcp", "https://", "http://[::1", "https://${HOST}/mcp", "ftp://x"])
def test_a_url_that_cannot_be_signed_in_to_is_refused(context, home, url):
    cursor(home, {"a": {"url": url}})
    with pytest.raises(UsageError):
        find(context, "a")


def test_a_file_that_cannot_be_read_hides_no_other(context, home):
    cursor(home, {"a": {"url": URL}})
    path = home / ".gemini" / "settings.json"
    path.parent.mkdir()
    path.write_text("{")
    (entry,) = remote_entries(context)
    assert own_source(context.worker(), entry).client.name == "cursor"
