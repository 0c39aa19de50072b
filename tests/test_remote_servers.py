"""Remote servers on disk: ids, wrapped URLs, the port, probes."""

import os
import stat

import pytest

from mcpgov import remote_servers as remote
from mcpgov.errors import McpgovError
from mcpgov.remote_servers import ProbeResult, RemoteServer


def server(ident="", **fields):
    known = {"name": "gh", "client": "claude-code", "project": "", "url": "https://api.example.com/mcp/x?key=s3cret"}
    return RemoteServer(ident or remote.new_id(), **{**known, **fields})


def test_a_server_that_was_kept_is_read_back_whole(tmp_path):
    one = server(transport="sse", login="ours", file="/f", place=("mcpServers", "gh"), literal='"https:\\/\\/a/"')
    two = server(name="other")
    for each in (one, two):
        remote.keep_server(tmp_path / "servers", each)
    assert remote.load_servers(tmp_path / "servers") == {one.id: one, two.id: two}


def test_its_file_and_directory_are_for_the_user_alone(tmp_path):
    one = server()
    remote.keep_server(tmp_path / "servers", one)
    modes = [stat.S_IMODE(os.stat(path).st_mode) for path in (tmp_path / "servers", *(tmp_path / "servers").iterdir())]
    assert modes == [0o700, 0o600]


def test_a_forgotten_server_is_gone_and_forgetting_twice_is_no_error(tmp_path):
    one = server()
    remote.keep_server(tmp_path, one)
    remote.forget_server(tmp_path, one.id)
    remote.forget_server(tmp_path, one.id)
    assert remote.load_servers(tmp_path) == {}


def test_a_server_that_cannot_be_forgotten_is_an_error(tmp_path):
    (tmp_path / f"{'a' * 43}.json").mkdir()
    with pytest.raises(McpgovError):
        remote.forget_server(tmp_path, "a" * 43)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", '{"id": 1}', '{"id": "%s", "name": 1, "client": "", "project": "", "url": "u"}', "[" * 10_000,
     '{"id": "b", "name": "", "client": "", "project": "", "url": "u"}', '{"id": "%s", "more": 1}'],
)  # fmt: skip
def test_a_damaged_file_is_passed_over(tmp_path, text):
    good = server()
    remote.keep_server(tmp_path, good)
    (tmp_path / f"{'a' * 43}.json").write_text(text.replace("%s", "a" * 43))
    (tmp_path / "short.json").write_text("{}")
    assert remote.load_servers(tmp_path) == {good.id: good}


def test_without_a_directory_there_are_no_servers(tmp_path):
    assert remote.load_servers(tmp_path / "none") == {}


def test_ids_are_long_and_never_the_same():
    ids = {remote.new_id() for _ in range(100)}
    assert len(ids) == 100
    assert all(remote.ID.fullmatch(ident) for ident in ids)


def test_the_wrapped_url_keeps_the_path_and_not_the_query():
    one = server("i" * 43)
    assert remote.wrapped_url(4711, one) == f"http://127.0.0.1:4711/{'i' * 43}/mcp/x"
    assert remote.wrapped_url(1, one._replace(url="https://a.example")) == f"http://127.0.0.1:1/{'i' * 43}"


def test_the_id_is_found_in_a_url_of_ours_at_any_port_and_in_no_other():
    ident = "i" * 43
    assert remote.id_in(f"http://127.0.0.1:1/{ident}/mcp") == ident
    assert remote.id_in(f"http://127.0.0.1:2/{ident}") == ident
    others = (f"https://127.0.0.1:1/{ident}", f"http://localhost:1/{ident}", "http://127.0.0.1:1/mcp", "http://[::", "")
    assert [remote.id_in(url) for url in others] == [""] * 5


def test_only_the_whole_id_finds_its_server():
    one, two = server(), server()
    servers = {one.id: one, two.id: two}
    assert remote.with_id(servers, two.id) == two
    assert remote.with_id(servers, two.id[:-1]) is None
    assert remote.with_id(servers, "\udcff") is None


def test_the_port_is_kept_and_nonsense_counts_as_none(tmp_path):
    path = tmp_path / "remote" / "port.json"
    assert remote.load_port(path) == 0
    remote.keep_port(path, 28123)
    assert remote.load_port(path) == 28123
    for text in ('{"port": true}', '{"port": 70000}', "null"):
        path.write_text(text)
        assert remote.load_port(path) == 0


def test_a_probe_is_kept_by_a_name_that_gives_the_url_away_to_nobody(tmp_path):
    url, result = "https://u:p@example.com/?key=s3cret", ProbeResult(remote.OAUTH, 12.5, "401")
    assert remote.load_probe(tmp_path, url) is None
    remote.keep_probe(tmp_path, url, result)
    assert remote.load_probe(tmp_path, url) == result
    assert remote.load_probe(tmp_path, url + "x") is None
    assert all(b"s3cret" not in path.read_bytes() and "s3cret" not in path.name for path in tmp_path.iterdir())


@pytest.mark.parametrize("text", ['{"found": "yes", "at": 1}', '{"found": "open", "at": "1"}', '{"found": "open"}'])
def test_a_damaged_probe_counts_as_none(tmp_path, text):
    (tmp_path / f"{remote.url_digest('u')}.json").write_text(text)
    assert remote.load_probe(tmp_path, "u") is None
