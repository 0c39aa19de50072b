import json
import select
import tomllib

import pytest

from mcpgov.configs.files import store
from mcpgov.configs.locations import Home
from mcpgov.daemon.watching import offload
from mcpgov.daemon.watching.config_worker import ConfigWorker
from mcpgov.daemon.watching.project_servers import ON_REQUEST
from mcpgov.places import Places


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    places = Places(tmp_path / "root")
    places.launcher.parent.mkdir(parents=True)
    places.launcher.touch()
    return ConfigWorker(places)


def test_before_the_settings_are_known_there_is_nothing_to_do(place):
    assert place.sources() == []


def test_the_settings_say_which_files_there_are(place, tmp_path):
    extra = str(tmp_path / "home" / "more" / "mcp.json")
    place.take({"clients": ["cursor", "unknown"], "configs": [extra], "project_files": False})
    assert [str(source.file) for source in place.sources()] == [str(tmp_path / "home/.cursor/mcp.json"), extra]
    place.take({"clients": "odd", "configs": None})
    assert place.sources() == []


def test_a_file_is_wrapped_by_the_worker_in_force(place, tmp_path):
    file = tmp_path / "home" / ".cursor" / "mcp.json"
    file.parent.mkdir(parents=True)
    file.write_text('{"mcpServers": {"a": {"command": "x", "args": ["y"]}}}')
    place.take({"clients": ["cursor"]})
    (source,) = place.sources()
    found = place.sync(source, frozenset())
    assert (found.result, [entry.result for entry in found.entries]) == ("changed", ["wrapped"])
    assert json.loads(file.read_text())["mcpServers"]["a"]["command"] == str(tmp_path / "root/bin/mcpgov-proxy")


def test_the_same_is_done_in_a_child(place, tmp_path):
    file = tmp_path / "home" / ".codex" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text('[mcp_servers.a]\ncommand = "x"\n')
    place.take({"clients": ["codex"]})
    child = place.begin(place.sources()[-1], frozenset())
    while select.select([child], [], [], 30)[0] and not child.ready():
        pass
    found = child.result()
    child.close()
    assert (found.result, [(state.name, state.argv) for state in found.states]) == ("changed", [("a", ("x",))])
    assert tomllib.loads(file.read_text())["mcp_servers"]["a"]["command"] == str(tmp_path / "root/bin/mcpgov-proxy")


def in_project(tmp_path, **projects):
    """A project's file with a server in it, and Claude Code's own file that knows the project."""
    project = tmp_path / "home" / "p"
    project.mkdir(parents=True)
    (project / ".mcp.json").write_text('{"mcpServers": {"x": {"command": "y"}}}')
    text = json.dumps({"projects": {str(project): {"mcpServers": {}}}, **projects})
    (tmp_path / "home" / ".claude.json").write_text(text)


def told(found):
    return [(state.name, state.state, state.reason) for result in found for state in result.states]


def test_servers_in_projects_files_are_told_once_a_pass_has_read_which_projects_there_are(place, tmp_path):
    in_project(tmp_path)
    assert place.aside() == []
    place.take({"clients": ["claude-code"]})
    assert place.aside() == []
    place.sync(place.sources()[0], frozenset())
    assert told(place.aside()) == [("x", "native", ON_REQUEST)]
    place.take({"clients": ["claude-code"], "project_files": True})
    assert place.aside() == []


def test_the_projects_of_a_large_file_are_told_by_the_child_that_worked_on_it(place, tmp_path):
    in_project(tmp_path, history="x" * (offload.LARGE + 1))
    place.take({"clients": ["claude-code"]})
    (source,) = place.sources()
    assert offload.is_heavy(source)
    child = place.begin(source, frozenset())
    while select.select([child], [], [], 30)[0] and not child.ready():
        pass
    child.result()
    child.close()
    assert told(place.aside()) == [("x", "native", ON_REQUEST)]


def test_where_another_mcpgov_is_at_work_the_file_is_busy_and_nobody_waits(place, tmp_path):
    file = tmp_path / "home" / ".cursor" / "mcp.json"
    file.parent.mkdir(parents=True)
    file.write_text('{"mcpServers": {"a": {"command": "x"}}}')
    place.take({"clients": ["cursor"]})
    with store.lock(tmp_path / "root" / "state"):
        found = place.sync(place.sources()[0], frozenset())
    assert (found.result, "at work on this" in found.reason) == ("busy", True)


def test_without_a_launcher_it_is_asked_for_and_nothing_is_wrapped(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    asked = []
    place = ConfigWorker(Places(tmp_path / "root"), lambda: asked.append("launcher"))
    text = '{"mcpServers": {"a": {"command": "x"}}}'
    file = tmp_path / "home" / ".cursor" / "mcp.json"
    file.parent.mkdir(parents=True)
    file.write_text(text)
    place.take({"clients": ["cursor"]})
    (source,) = place.sources()
    child = place.begin(source, frozenset())
    while select.select([child], [], [], 30)[0] and not child.ready():
        pass
    there = child.result()
    child.close()
    for found in (place.sync(source, frozenset()), there):
        assert (found.result, found.reason) == ("busy", "the launcher is missing")
        assert [(state.name, state.state) for state in found.states] == [("a", "native")]
    assert (asked, file.read_text()) == (["launcher"] * 2, text)


def test_what_the_settings_exclude_reaches_the_worker_and_the_child(place, tmp_path):
    place.take({"clients": ["codex"], "exclude": ["a", "codex:b", 1]})
    source, *_ = [source for source in place.sources() if source.user_level]
    words = offload.build_args(source, frozenset(), place._worker.home.exclude)
    said = next(word for word in words if word.startswith("--leave=")).partition("=")[2]
    home = Home(tmp_path / "home", tmp_path / "state", tmp_path / "launcher")
    worker, meant, leave = offload.parse_args(home, source.file, "codex", said)
    assert (worker.home.exclude, meant, leave) == (("a", "codex:b"), source, frozenset())


def test_servers_of_a_heavy_file_outside_the_settings_are_told_by_a_child(place, tmp_path):
    file = tmp_path / "home" / ".codex" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text('[mcp_servers.a]\ncommand = "x"\n')
    place.take({"clients": ["cursor"]})
    until(place._child_reads)
    (found,) = told(place.aside())
    assert found[:2] == ("a", "native")
    assert found[2].startswith("its app is not in `clients` of settings.toml; `mcpgov wrap --client codex a` wraps it")
    place.take({"clients": ["codex"]})
    assert place.aside() == []
    place.close()


def until(looks):
    """Its children have spoken."""
    while running := [child for _, child in looks._running.values()]:
        assert select.select(running, [], [], 30)[0]
        looks.collect()
