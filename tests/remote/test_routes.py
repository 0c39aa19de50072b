"""Paths of ours and the URLs they stand for."""

from mcpgov.remote.routes import OneRoute, ServerRoutes
from mcpgov.remote_servers import RemoteServer, forget_server, keep_server, new_id


def server(url, name="s"):
    return RemoteServer(new_id(), name, "c", "", url)


def test_a_directory_is_read_again_when_it_changes(tmp_path):
    routes = ServerRoutes(tmp_path / "servers")
    one = server("https://h.example/mcp?k=1")
    assert routes.find(f"/{one.id}/mcp") is None
    keep_server(tmp_path / "servers", one)
    found = routes.find(f"/{one.id}/mcp?x=2")
    assert (found.server, found.url, found.entry) == (one, "https://h.example/mcp?k=1&x=2", True)
    assert routes.servers() is routes.servers()
    other = routes.find(f"/{one.id}/messages?id=1")
    assert (other.url, other.entry) == ("https://h.example/messages?id=1", False)
    forget_server(tmp_path / "servers", one.id)
    assert routes.find(f"/{one.id}/mcp") is None
    assert routes.find("nothing") is None


def test_an_entry_without_a_path(tmp_path):
    one = server("https://h.example")
    keep_server(tmp_path, one)
    routes = ServerRoutes(tmp_path)
    for target in (f"/{one.id}", f"/{one.id}/"):
        assert (routes.find(target).url, routes.find(target).entry) == ("https://h.example/", True)


def test_a_legacy_endpoint_is_below_the_secret(tmp_path):
    one = server("https://h.example/sse")
    assert ServerRoutes(tmp_path).endpoint(one, "/m?s=1") == (f"/{one.id}/m?s=1", "https://h.example/m?s=1")
    assert ServerRoutes(tmp_path).endpoint(one, "https://evil.example/") == ("", "")


def test_one_server_by_hand_is_at_mcp():
    one = server("https://h.example/api/v1?k=1")
    routes = OneRoute(one)
    assert routes.servers() == {one.id: one}
    assert (routes.find("/mcp?a=1").url, routes.find("/mcp").entry) == ("https://h.example/api/v1?k=1&a=1", True)
    assert routes.find("/mcp/x").url == "https://h.example/api/v1/x?k=1"
    assert (routes.find("/messages?s=1").url, routes.find("/messages").entry) == (
        "https://h.example/messages?s=1",
        False,
    )
    assert routes.find("/../x") is None
    assert routes.find("x") is None
    assert routes.endpoint(one, "/messages?s=1") == ("/messages?s=1", "https://h.example/messages?s=1")
