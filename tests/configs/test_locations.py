import os
from dataclasses import replace
from pathlib import Path

import pytest

from mcpgov.configs.clients import BY_NAME, OTHER, OTHER_TOML
from mcpgov.configs.files import store
from mcpgov.configs.locations import (
    ConfigSource,
    decoded,
    files_in,
    listed_files,
    others,
    project_files,
    projects,
    source_of,
    sources,
    user_files,
)
from mcpgov.configs.text.splice import InvalidText
from tests.helpers.homes import linux_home, write


@pytest.fixture
def home(tmp_path):
    return linux_home(tmp_path)


def files(found):
    return [(source.client.name, str(source.file)) for source in found]


def test_the_enabled_clients_files_are_in_question_whether_they_exist_or_not(home):
    base = home.home
    assert files(sources(home)) == [
        ("claude-desktop", f"{base}/.config/Claude/claude_desktop_config.json"),
        ("claude-code", f"{base}/.claude.json"),
        ("cursor", f"{base}/.cursor/mcp.json"),
    ]
    assert {source.user_level for source in sources(home)} == {True}


def test_a_variable_moves_a_file_and_the_usual_place_is_still_looked_at(home):
    moved = replace(home, clients=("codex",), environ={"CODEX_HOME": "/moved"})
    assert files(sources(moved)) == [("codex", "/moved/config.toml"), ("codex", f"{home.home}/.codex/config.toml")]
    assert source_of(moved, Path("/moved/config.toml")) == ConfigSource(
        BY_NAME["codex"], Path("/moved/config.toml"), user_level=True
    )


def test_a_managed_file_is_told_where_there_is_one(home):
    path = write(Path(f"{home.above}/etc/claude-code/managed-mcp.json"), {"mcpServers": {}})
    assert sources(home)[-1] == ConfigSource(BY_NAME["claude-code"], path, managed=True)
    assert sources(replace(home, clients=("cursor",)))[-1].managed is False


def test_a_file_by_hand_is_known_by_its_place_its_name_or_the_client_given(home):
    base = home.home
    assert source_of(home, base / ".cursor/mcp.json") == ConfigSource(
        BY_NAME["cursor"], base / ".cursor/mcp.json", user_level=True
    )
    assert source_of(home, Path("/p/.cursor/mcp.json")) == ConfigSource(
        BY_NAME["cursor"], Path("/p/.cursor/mcp.json"), "/p"
    )
    assert source_of(home, Path("/p/.mcp.json")) == ConfigSource(BY_NAME["claude-code"], Path("/p/.mcp.json"), "/p")
    assert source_of(home, Path("/x/y.json")) == ConfigSource(OTHER, Path("/x/y.json"))
    assert source_of(home, Path("/x/y.toml"), "other") == ConfigSource(OTHER_TOML, Path("/x/y.toml"))
    assert source_of(home, Path("/x/y.conf"), "codex") == ConfigSource(BY_NAME["codex"], Path("/x/y.conf"))


def test_project_files_are_looked_at_on_request_alone(home):
    write(home.home / ".claude.json", {"projects": {"/p": {}, "relative": {}}})
    known = [("claude-code", "/p/.mcp.json"), ("cursor", "/p/.cursor/mcp.json")]
    assert files(sources(home))[3:] == []
    assert files(sources(replace(home, project_files=True)))[3:] == known
    assert {source.project for source in project_files(home)} == {"/p"}
    assert projects(home) == ["/p", "relative"]
    assert files(files_in(home, ["/q", "odd"])) == [("claude-code", "/q/.mcp.json"), ("cursor", "/q/.cursor/mcp.json")]


def test_a_home_that_is_a_project_keeps_its_user_level_files(home):
    write(home.home / ".claude.json", {"projects": {str(home.home): {}}})
    found = {source.file: source for source in sources(replace(home, project_files=True))}
    assert found[home.home / ".cursor/mcp.json"] == ConfigSource(
        BY_NAME["cursor"], home.home / ".cursor/mcp.json", user_level=True
    )
    assert found[home.home / ".mcp.json"].project == str(home.home)


def test_projects_are_also_known_where_a_variable_has_moved_claude_code(home, tmp_path):
    write(tmp_path / "moved" / ".claude.json", {"projects": {"/q": {}}})
    moved = replace(home, environ={"CLAUDE_CONFIG_DIR": str(tmp_path.resolve() / "moved")})
    assert {source.project for source in project_files(moved)} == {"/q"}


@pytest.mark.parametrize("text", ["", "{", '{"projects": []}', "\udcff", '{"projects": {}, "projects": {}}'])
def test_a_config_that_cannot_be_read_names_no_projects(home, text):
    (home.home / ".claude.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    assert project_files(home) == []


def test_files_of_the_settings_are_further_ones_and_none_counts_twice(home):
    more = replace(home, configs=(Path("/x/mcp.json"), home.home / ".cursor/mcp.json"))
    assert files(sources(more))[3:] == [("other", "/x/mcp.json")]


def test_two_clients_names_of_one_file_are_one_source_and_its_own_name_counts(home):
    cursor = write(home.home / ".cursor/mcp.json", {})
    desktop = home.home / ".config/Claude/claude_desktop_config.json"
    desktop.parent.mkdir(parents=True)
    desktop.symlink_to("../../.cursor/mcp.json")
    assert files(sources(home)) == [("cursor", str(cursor)), ("claude-code", f"{home.home}/.claude.json")]
    assert files(sources(replace(home, clients=("claude-desktop",)))) == [("claude-desktop", str(desktop))]
    cursor.rename(home.home / "shared.json")
    cursor.symlink_to("../shared.json")
    assert files(sources(home))[0] == ("claude-desktop", str(desktop))


def test_a_text_that_is_not_utf8_is_broken(home):
    path = home.home / "x"
    path.write_bytes(b"ab\xff")
    with pytest.raises(InvalidText, match="not UTF-8 text at byte 2"):
        decoded(store.look(path, home.home))


def test_the_environment_of_the_process_counts_where_none_is_given(home):
    assert replace(home, environ=None).variables is os.environ


def test_profiles_agents_and_listed_files_are_found_where_they_are(home):
    codex, amazon = BY_NAME["codex"], BY_NAME["amazonq"]
    for name in ("config.toml", "work.config.toml", ".config.toml", "other.toml"):
        write(home.home / ".codex" / name, "")
    assert [source.file.name for source in user_files(home, codex)] == ["config.toml", "work.config.toml"]
    write(home.home / ".aws/amazonq/cli-agents/a.json", {})
    assert [source.file.name for source in user_files(home, amazon)] == ["mcp.json", "default.json", "a.json"]
    for name in ("x", "y"):
        write(home.home / f".gemini/extensions/{name}/gemini-extension.json", {})
    write(home.home / ".gemini/extensions/z/other.json", {})
    found = listed_files(home, BY_NAME["gemini"])
    assert [(source.file.parent.name, bool(source.listed)) for source in found] == [("x", True), ("y", True)]
    assert listed_files(home, BY_NAME["goose"]) == []
    write(home.home / ".config/goose/config.yaml", "extensions: {}")
    assert [source.file.name for source in listed_files(home, BY_NAME["goose"])] == ["config.yaml"]
    (goose,) = [source_of(home, home.home / ".config/goose/config.yaml")]
    assert goose.listed.startswith("this format is not supported")


def test_the_files_of_clients_that_are_not_enabled_are_known_as_far_as_they_are_there(home):
    assert others(home) == []
    write(home.home / ".codex/config.toml", "")
    write(home.home / ".cursor/mcp.json", {})
    write(home.home / ".config/goose/config.yaml", "")
    write(home.home / ".lmstudio/mcp.json", {})
    (home.home / ".factory").mkdir()
    (home.home / ".factory/mcp.json").symlink_to(home.home / ".cursor/mcp.json")
    assert [source.client.name for source in others(home)] == ["codex", "lmstudio", "goose"]
