import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from mcpgov.configs.client_limits import ClientLimits
from mcpgov.configs.client_lists import SwitchedOff, limits_of, overlaid, switched_off
from mcpgov.configs.clients import BY_NAME
from mcpgov.configs.locations import source_of
from tests.helpers.homes import linux_home, write

CODE = BY_NAME["claude-code"]


@pytest.fixture
def home(tmp_path):
    return linux_home(tmp_path)


def denied(*commands):
    return {"deniedMcpServers": [{"serverCommand": list(command)} for command in commands]}


def limits(home, client, here=""):
    return limits_of(home, client)(here)


def test_deny_and_allow_lists_come_from_the_user_and_the_administrator(home, tmp_path):
    assert limits(home, CODE) == ClientLimits()
    managed = write(
        Path(f"{home.above}/etc/claude-code/managed-settings.json"),
        '\ufeff{"deniedMcpServers": [{"serverCommand": ["npx", "bad"]}]} // by us',
    )
    bad = (("npx", "bad"), str(managed))
    assert limits(home, CODE) == ClientLimits((bad,))
    user = write(home.home / ".claude/settings.json", {"allowedMcpServers": [{"serverCommand": ["npx", "good"]}]})
    assert limits(home, CODE) == ClientLimits((bad,), (("npx", "good"),), source=str(user))
    user.unlink()
    own = write(tmp_path / "moved/settings.json", denied(["x"]))
    moved = replace(home, environ={"CLAUDE_CONFIG_DIR": str(tmp_path / "moved")})
    assert limits(moved, CODE).denied == (bad, (("x",), str(own)))


def test_a_projects_lists_hold_for_its_own_servers_and_for_none_of_the_users(home):
    one, two = home.home / "one", home.home / "two"
    shared = write(one / ".claude/settings.json", denied(["a"]))
    local = write(one / ".claude/settings.local.json", denied(["b"]))
    other = write(two / ".claude/settings.local.json", denied(["c"]))
    a, b, c = ((("a",), str(shared)), (("b",), str(local)), (("c",), str(other)))
    assert limits(home, CODE, str(one)).denied == (a, b)
    assert limits(home, CODE, str(two)).denied == (c,)
    for here in ("", "relative", "/nowhere"):
        assert limits(home, CODE, here) == ClientLimits()
    assert limits(home, BY_NAME["cursor"], str(one)) == ClientLimits()


@pytest.mark.parametrize("odd", ["{", "directory", "pipe"])
def test_a_projects_settings_that_cannot_be_read_are_told_apart_from_the_users(home, odd):
    path = home.home / "one/.claude/settings.json"
    path.parent.mkdir(parents=True)
    if odd == "directory":
        path.mkdir()
    elif odd == "pipe":
        os.mkfifo(path)
    else:
        path.write_text(odd)
    found = limits(home, CODE, str(home.home / "one"))
    assert (found.unread, found.unread_project.startswith(f"`{path}`: ")) == ("", True)
    assert limits(home, CODE) == ClientLimits()


def test_a_home_that_is_a_project_has_the_users_lists(home):
    user = write(home.home / ".claude/settings.json", denied(["a"]))
    assert set(limits(home, CODE, str(home.home)).denied) == {(("a",), str(user))}


def test_vscode_may_limit_its_servers_and_other_clients_have_no_lists(home):
    path = write(home.home / ".config/Code/User/settings.json", {"chat.mcp.access": "registry"})
    assert limits(home, BY_NAME["vscode"]) == ClientLimits(access="registry", source=str(path))
    assert limits(home, BY_NAME["cursor"]) == ClientLimits()
    mac = replace(home, system="darwin")
    path = write(home.home / "Library/Application Support/Code/User/settings.json", {"chat.mcp.access": "none"})
    assert limits(mac, BY_NAME["vscode"]) == ClientLimits(access="none", source=str(path))
    managed = f"{home.above}/Library/Application Support/ClaudeCode/managed-settings.json"
    write(Path(managed), denied(["x"]))
    assert limits(mac, CODE).denied == ((("x",), managed),)


@pytest.mark.parametrize("text", ["", " \n", "{", '{"deniedMcpServers": [', "\udcff"])
def test_settings_that_are_half_written_are_not_settings_without_lists(home, text):
    path = home.home / ".claude/settings.json"
    path.parent.mkdir()
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert limits(home, CODE).unread.startswith(f"`{path}`: ")
    assert limits(home, CODE).denied == ()


def test_an_empty_file_that_nobody_writes_any_more_has_no_lists(home):
    path = write(home.home / ".claude/settings.json", "\n")
    os.utime(path, (time.time() - 60,) * 2)
    assert limits(home, CODE) == ClientLimits()
    os.utime(write(path, "{"), (time.time() - 60,) * 2)
    assert limits(home, CODE).unread


def test_settings_that_are_no_plain_file_are_told_and_not_waited_for(home):
    path = home.home / ".claude/settings.json"
    path.parent.mkdir()
    os.mkfifo(path)
    assert limits(home, CODE).unread == f"`{path}`: `{path}` is a pipe, not a file"
    path.unlink()
    path.symlink_to("nowhere")
    assert limits(home, CODE) == ClientLimits()
    path.unlink()
    path.symlink_to("settings.json")
    assert limits(home, CODE).unread.startswith(f"`{path}`: ")


def test_names_that_a_client_has_switched_off_are_known(home):
    gemini = source_of(home, home.home / ".gemini/settings.json")
    assert switched_off(home, gemini) == SwitchedOff()
    write(gemini.file, '{"mcp": {"excluded": ["a", 1]}, /* c */}')
    assert switched_off(home, gemini) == SwitchedOff(frozenset(["a"]))
    write(home.home / ".copilot/settings.json", {"disabledMcpServers": ["b"]})
    assert "b" in switched_off(home, source_of(home, home.home / ".copilot/mcp-config.json"))
    write(home.home / ".copilot/settings.json", "{")
    assert "b" not in switched_off(home, source_of(home, home.home / ".copilot/mcp-config.json"))
    assert switched_off(home, source_of(home, home.home / ".cursor/mcp.json")) == SwitchedOff()


def test_where_a_client_starts_only_some_the_others_are_off(home):
    gemini = source_of(home, home.home / ".gemini/settings.json")
    write(gemini.file, {"mcp": {"allowed": ["a", "b"], "excluded": ["b"]}})
    found = switched_off(home, gemini)
    assert [name in found for name in ("a", "b", "c")] == [False, True, True]
    project = source_of(home, write(home.home / "p/.gemini/settings.json", {"mcp": {"excluded": ["a"]}}))
    assert "a" in switched_off(home, project)


def test_servers_of_a_projects_own_file_can_be_off_in_four_places(home):
    project = home.home / "p"
    source = source_of(home, write(project / ".mcp.json", {}))
    assert switched_off(home, source) == SwitchedOff()
    write(home.home / ".claude/settings.json", {"disabledMcpjsonServers": ["a"]})
    write(project / ".claude/settings.json", {"disabledMcpjsonServers": ["b"]})
    write(project / ".claude/settings.local.json", {"disabledMcpjsonServers": ["c", 1]})
    write(home.home / ".claude.json", {"projects": {str(project): {"disabledMcpjsonServers": ["d"]}, "/q": {}}})
    assert switched_off(home, source) == SwitchedOff(frozenset("abcd"))
    assert switched_off(home, source_of(home, home.home / ".claude.json")) == SwitchedOff(), "of no other file"
    write(home.home / ".claude.json", "{")
    assert switched_off(home, source) == SwitchedOff(frozenset("abc"))


BASE = '[mcp_servers.x]\ncommand = "npx"\nargs = ["a"]\n'


@pytest.mark.parametrize(
    ("layer", "over"),
    [
        ('args = ["b"]', True),
        ('command = "uvx"', True),
        ("enabled = false", False),
        ("tool_timeout_sec = 3", False),
        ('command = "y"\nargs = []', False),
    ],
)
@pytest.mark.parametrize("place", [".codex/work.config.toml", "p/.codex/config.toml"])
def test_a_part_of_an_entry_in_a_layer_over_it_is_known_by_its_file(home, place, layer, over):
    trust = f'[projects."{home.home}/p"]\ntrust_level = "trusted"\n'
    base = source_of(home, write(home.home / ".codex/config.toml", BASE + trust))
    file = write(home.home / place, f"[mcp_servers.x]\n{layer}\n")
    why = overlaid(home, base)("x")
    assert why == (f"`{file}` lays a part of it over this entry, which would not fit a wrapped one" if over else "")
    assert overlaid(home, base)("y") == ""
    assert overlaid(home, source_of(home, file))("x") == "", "nothing lies over a layer"
    write(home.home / ".codex/config.toml", BASE)
    assert bool(overlaid(home, base)("x")) is (over and place.startswith(".codex")), "a project that is not trusted"
    write(file, "[")
    assert overlaid(home, base)("x") == ""


def test_clients_without_layers_have_nothing_over_their_entries(home):
    assert overlaid(home, source_of(home, write(home.home / ".cursor/mcp.json", {})))("x") == ""
