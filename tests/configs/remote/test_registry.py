import os
from dataclasses import replace

from mcpgov.configs.files import store
from mcpgov.configs.remote.registry import RemoteRegistry, may_be_committed, same_file
from mcpgov.places import Places
from mcpgov.remote_servers import OPEN, ProbeResult, RemoteServer, keep_port, keep_probe, load_servers, new_id

URL = "https://x.example/mcp"


def server(place=("mcpServers", "s"), file="/f"):
    return RemoteServer(new_id(), "s", "cursor", "", URL, file=file, place=place, literal=f'"{URL}"')


def test_it_reads_what_the_listener_the_probes_and_the_logins_have_written(tmp_path):
    places = Places(tmp_path)
    registry = RemoteRegistry(places.state)
    assert (registry.servers, registry.probes, registry.port, registry.tokens) == (
        places.remote_servers, places.remote_probes, places.remote_port, places.remote_tokens,
    )  # fmt: skip
    nothing = registry.known()
    assert (nothing.port, nothing.probe(URL), nothing.signed_in(URL), nothing.server("x")) == (0, None, False, None)
    keep_port(places.remote_port, 20000)
    keep_probe(places.remote_probes, URL, ProbeResult(OPEN, 1.0))
    kept = server()
    registry.keep([kept])
    places.remote_tokens.mkdir(parents=True)
    (places.remote_tokens / f"{os.path.basename(next(places.remote_probes.iterdir()))}").touch()
    known = registry.known(passthrough=True)
    assert (known.port, known.probe(URL).found, known.signed_in(URL), known.passthrough) == (20000, OPEN, True, True)
    assert known.server(kept.id) == known.wrapped_before("/f", kept.place, URL) == kept
    assert known.wrapped_before("/g", kept.place, URL) is None
    registry.forget([kept.id])
    assert load_servers(places.remote_servers) == {}


def test_an_id_is_the_same_for_an_entry_during_a_pass_and_new_for_the_next(tmp_path):
    known = RemoteRegistry(tmp_path).known()
    assert known.new_id(("a",), URL) == known.new_id(("a",), URL)
    others = known.new_id(("b",), URL), RemoteRegistry(tmp_path).known().new_id(("a",), URL)
    assert len({known.new_id(("a",), URL), *others}) == 3


def test_a_file_with_an_id_is_for_its_owner_alone_and_gets_its_mode_back(tmp_path):
    registry, file = RemoteRegistry(tmp_path / "state"), tmp_path / "config"
    file.write_text("{}")
    file.chmod(0o644)
    seen = store.look(file, tmp_path)
    assert registry.new_mode(seen, False) is None
    assert registry.new_mode(seen, True) == 0o600
    tight = replace(seen, mode=0o600)
    assert registry.new_mode(tight, True) is None
    assert registry.new_mode(tight, False) == 0o644
    assert registry.new_mode(replace(seen, mode=0o640), False) is None, "a person has changed it"
    registry.forget_mode(tight)
    registry.forget_mode(tight)
    assert registry.new_mode(tight, False) is None
    assert registry.new_mode(store.look(tmp_path / "none", tmp_path), True) is None


def test_which_files_may_be_committed(tmp_path):
    home = tmp_path.resolve()
    file = home / ".cursor" / "mcp.json"
    repository = home / "dotfiles"
    (repository / ".git").mkdir(parents=True)
    file.parent.mkdir()
    file.touch()
    (repository / "mcp.json").touch()
    assert may_be_committed(file, "/p", True)
    assert not may_be_committed(file, "", True)
    assert not may_be_committed(file, "", False)
    assert may_be_committed(repository / "mcp.json", "", False)
    file.unlink()
    file.symlink_to(repository / "mcp.json")
    assert may_be_committed(file, "", True), "a link into a repository"
    assert same_file(str(file), str(repository / "mcp.json"))
    (home / ".git").mkdir()
    (home / "x.json").touch()
    assert not may_be_committed(home / "x.json", "", True)
