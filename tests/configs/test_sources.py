import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from mcpgov.configs import store
from mcpgov.configs.clients import BY_NAME, OTHER, OTHER_TOML
from mcpgov.configs.limits import Limits
from mcpgov.configs.sources import (
    Home,
    Source,
    decoded,
    files_in,
    limits_of,
    project_files,
    projects,
    source_of,
    sources,
    switched_off,
)
from mcpgov.configs.text import Broken


@pytest.fixture
def home(tmp_path):
    place = tmp_path.resolve() / "home"
    place.mkdir()
    above = str(tmp_path.resolve() / "machine")
    return Home(place, place / "state", place / "launcher", system="linux", environ={}, above=above)


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
    return path


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
    assert source_of(moved, Path("/moved/config.toml")) == Source(
        BY_NAME["codex"], Path("/moved/config.toml"), user_level=True
    )


def test_a_managed_file_is_told_where_there_is_one(home):
    path = write(Path(f"{home.above}/etc/claude-code/managed-mcp.json"), {"mcpServers": {}})
    assert sources(home)[-1] == Source(BY_NAME["claude-code"], path, managed=True)
    assert sources(replace(home, clients=("cursor",)))[-1].managed is False


def test_a_file_by_hand_is_known_by_its_place_its_name_or_the_client_given(home):
    base = home.home
    assert source_of(home, base / ".cursor/mcp.json") == Source(
        BY_NAME["cursor"], base / ".cursor/mcp.json", user_level=True
    )
    assert source_of(home, Path("/p/.cursor/mcp.json")) == Source(BY_NAME["cursor"], Path("/p/.cursor/mcp.json"), "/p")
    assert source_of(home, Path("/p/.mcp.json")) == Source(BY_NAME["claude-code"], Path("/p/.mcp.json"), "/p")
    assert source_of(home, Path("/x/y.json")) == Source(OTHER, Path("/x/y.json"))
    assert source_of(home, Path("/x/y.toml"), "other") == Source(OTHER_TOML, Path("/x/y.toml"))
    assert source_of(home, Path("/x/y.conf"), "codex") == Source(BY_NAME["codex"], Path("/x/y.conf"))


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
    assert found[home.home / ".cursor/mcp.json"] == Source(
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


def test_deny_and_allow_lists_come_from_the_user_and_the_administrator(home, tmp_path):
    row = BY_NAME["claude-code"]
    assert limits_of(home, row) == Limits()
    managed = write(
        Path(f"{home.above}/etc/claude-code/managed-settings.json"),
        '\ufeff{"deniedMcpServers": [{"serverCommand": ["npx", "bad"]}]} // by us',
    )
    assert limits_of(home, row) == Limits((("npx", "bad"),), source=str(managed))
    user = write(home.home / ".claude/settings.json", {"allowedMcpServers": [{"serverCommand": ["npx", "good"]}]})
    assert limits_of(home, row) == Limits((("npx", "bad"),), (("npx", "good"),), source=str(user))
    user.unlink()
    write(tmp_path / "moved/settings.json", {"deniedMcpServers": [{"serverCommand": ["x"]}]})
    moved = replace(home, environ={"CLAUDE_CONFIG_DIR": str(tmp_path / "moved")})
    assert limits_of(moved, row).denied == (("npx", "bad"), ("x",))


def test_vscode_may_limit_its_servers_and_other_clients_have_no_lists(home):
    path = write(home.home / ".config/Code/User/settings.json", {"chat.mcp.access": "registry"})
    assert limits_of(home, BY_NAME["vscode"]) == Limits(access="registry", source=str(path))
    assert limits_of(home, BY_NAME["cursor"]) == Limits()
    mac = replace(home, system="darwin")
    path = write(home.home / "Library/Application Support/Code/User/settings.json", {"chat.mcp.access": "none"})
    assert limits_of(mac, BY_NAME["vscode"]) == Limits(access="none", source=str(path))
    write(
        Path(f"{home.above}/Library/Application Support/ClaudeCode/managed-settings.json"),
        {"deniedMcpServers": [{"serverCommand": ["x"]}]},
    )
    assert limits_of(mac, BY_NAME["claude-code"]).denied == (("x",),)


def test_settings_that_are_no_plain_file_say_nothing_and_are_not_waited_for(home):
    path = home.home / ".claude/settings.json"
    path.parent.mkdir()
    os.mkfifo(path)
    assert limits_of(home, BY_NAME["claude-code"]) == Limits()


def test_names_that_a_client_has_switched_off_are_known(home):
    gemini = source_of(home, home.home / ".gemini/settings.json")
    assert list(switched_off(home, gemini)) == []
    write(gemini.file, '{"mcp": {"excluded": ["a", 1]}, /* c */}')
    assert list(switched_off(home, gemini)) == ["a"]
    write(home.home / ".copilot/settings.json", {"disabledMcpServers": ["b"]})
    assert list(switched_off(home, source_of(home, home.home / ".copilot/mcp-config.json"))) == ["b"]
    assert list(switched_off(home, source_of(home, home.home / ".cursor/mcp.json"))) == []


def test_a_text_that_is_not_utf8_is_broken(home):
    path = home.home / "x"
    path.write_bytes(b"ab\xff")
    with pytest.raises(Broken, match="not UTF-8 text at byte 2"):
        decoded(store.look(path, home.home))


def test_the_environment_of_the_process_counts_where_none_is_given(home):
    assert replace(home, environ=None).variables is os.environ
