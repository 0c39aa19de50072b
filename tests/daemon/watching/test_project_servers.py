import json
import os
from dataclasses import replace

import pytest

from mcpgov.configs.clients import BY_NAME
from mcpgov.configs.config_pass import FileResult, Worker
from mcpgov.configs.locations import ConfigSource, Home, others
from mcpgov.daemon.watching.project_servers import ON_REQUEST, ProjectServers, UnmanagedApps, project_directories
from mcpgov.reason_codes import EXCLUDED, WRAP_OFFERED


class Counting(Worker):
    """Says which files were read."""

    def look(self, source: ConfigSource) -> FileResult:
        self.read = [*getattr(self, "read", []), source.file.name]
        return super().look(source)


@pytest.fixture
def worker(tmp_path):
    home = tmp_path.resolve() / "home"
    home.mkdir()
    return Counting(Home(home, home / "state", home / "launcher", ("claude-code", "cursor"), environ={}))


def put(directory, name, servers):
    path = directory / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(servers if isinstance(servers, str) else json.dumps({"mcpServers": servers}))
    return path


def told(found):
    return [(state.name, state.state, state.reason) for result in found for state in result.states]


def test_a_server_in_a_projects_file_is_native_with_what_would_govern_it(worker, tmp_path):
    launcher = str(worker.home.launcher)
    words = ["--server", "mine", "--client", "claude-code", "--project", str(tmp_path / "p"), "--", "x"]
    servers = {"x": {"command": "y"}, "odd": {"command": 7}, "mine": {"command": launcher, "args": words}}
    put(tmp_path / "p", ".mcp.json", servers)
    found = ProjectServers().look(worker, [str(tmp_path / "p"), f"{tmp_path}/p/", str(tmp_path / "gone"), "relative"])
    (x, odd, mine) = told(found)
    assert (x, mine) == (("x", "native", ON_REQUEST), ("mine", "governed", ""))
    assert odd[:2] == ("odd", "native")
    assert odd[2].startswith("in a project's file; ")


def test_a_file_that_cannot_be_read_or_holds_no_server_is_nobodys_trouble(worker, tmp_path):
    put(tmp_path / "p", ".mcp.json", "{")
    put(tmp_path / "p", ".cursor/mcp.json", {})
    assert ProjectServers().look(worker, [str(tmp_path / "p")]) == []


def test_a_file_is_read_again_only_where_it_has_changed(worker, tmp_path):
    file = put(tmp_path / "p", ".mcp.json", {"a": {"command": "x"}})
    projects = ProjectServers()
    first = projects.look(worker, [str(tmp_path / "p")])
    assert (projects.look(worker, [str(tmp_path / "p")]), worker.read) == (first, [".mcp.json"])
    os.replace(put(tmp_path / "p", "new", {"b": {"command": "x"}}), file)
    assert told(projects.look(worker, [str(tmp_path / "p")])) == [("b", "native", ON_REQUEST)]
    file.unlink()
    assert projects.look(worker, [str(tmp_path / "p")]) == []


def test_what_is_governed_anyway_and_what_is_not_for_this_process_is_left_out(worker):
    home = worker.home.home
    put(home, ".cursor/mcp.json", {"user": {"command": "x"}})
    put(home, ".mcp.json", {"a": {"command": "x"}})
    assert told(ProjectServers().look(worker, [str(home)])) == [("a", "native", ON_REQUEST)]
    assert ProjectServers(lambda source: source.client == BY_NAME["claude-code"]).look(worker, [str(home)]) == []


def test_a_result_names_the_projects_and_one_that_read_nothing_names_none():
    places = (("mcpServers",), ("projects", "/p", "mcpServers"), ("projects", "/q", "mcpServers"))
    assert project_directories(FileResult("claude-code", "/f", "unchanged", containers=places)) == ["/p", "/q"]
    assert project_directories(FileResult("claude-code", "/f", "busy")) == []


def test_servers_of_apps_outside_the_settings_are_unprotected_with_what_to_type_and_wrapped_ones_stay_governed(worker):
    home = worker.home.home
    args = ["--server", "b", "--client", "factory", "--", "x"]
    put(home, ".factory/mcp.json", {"a": {"command": "x"}, "b": {"command": str(worker.home.launcher), "args": args}})
    put(home, ".lmstudio/mcp.json", {"web": {"url": "u"}, "odd": {"command": 1}})
    put(home, ".junie/mcp/mcp.json", {})
    (home / ".config/goose").mkdir(parents=True)
    (home / ".config/goose/config.yaml").write_text("extensions:\n  dev:\n    type: builtin\n")
    outside = UnmanagedApps()
    found = {state.name: (state.state, state.reason) for result in outside.look(worker) for state in result.states}
    assert found["a"] == (
        "native",
        "its app is not in `clients` of settings.toml; `mcpgov wrap --client factory a` wraps it, "
        '"factory" in `clients` keeps it so',
    )
    assert found["b"] == ("governed", "")
    assert (
        found["web"][1]
        == "its app is not in `clients` of settings.toml; its URL is no plain http or https one: not governed"
    )
    assert found["odd"] == ("native", "its app is not in `clients` of settings.toml; its command is not a text")
    assert found["dev"][0] == "native"
    assert "this format is not supported: YAML" in found["dev"][1]
    read = len(worker.read)
    assert len(outside.look(worker)) == 3
    assert len(worker.read) == read, "a file is read again only where it has changed"
    assert UnmanagedApps(lambda source: True).look(worker) == []


def test_what_somebody_else_knows_of_a_file_that_is_not_read_here_is_told_the_same_way(worker):
    put(worker.home.home, ".factory/mcp.json", {"a": {"command": "x"}})
    read = UnmanagedApps().look(worker)
    (source,) = [source for source in others(worker.home) if source.client.name == "factory"]
    assert UnmanagedApps(lambda source: True, lambda source: worker.look(source)).look(worker) == read
    assert (
        UnmanagedApps(lambda source: True, lambda source: FileResult("factory", str(source.file), "x")).look(worker)
        == []
    )
    assert [result.file for result in read] == [str(source.file)]


def test_a_server_that_is_excluded_is_that_in_whatever_app(worker):
    put(worker.home.home, ".factory/mcp.json", {"a": {"command": "x"}, "b": {"command": "x"}})
    excluding = Worker(replace(worker.home, exclude=("factory:a",)))
    (found,) = UnmanagedApps().look(excluding)
    assert [state.reason_code for state in found.states] == [EXCLUDED, WRAP_OFFERED]
