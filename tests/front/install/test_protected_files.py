"""The protected places: everything that decides what is governed."""

import os
import sys
from pathlib import Path

import pytest

import mcpgov
from mcpgov.core.rules.call import call_of
from mcpgov.front.context import Context
from mcpgov.front.install import protected_files
from mcpgov.places import Places

ALLOW = '[[rule]]\nname = "yes"\naction = "allow"\nmethod = "**"\n'


@pytest.fixture
def decide(root, policy):
    """The rule that decides about a call under a policy that allows everything."""

    def asked(tool="write_file", text=ALLOW, **args):
        policy(text)
        rules = Context(str(root)).rules()
        return rules.decide(call_of("tools/call", {"name": tool, "arguments": args}, "fs")).rule

    return asked


CLIENT_FILES = [
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".copilot/settings.json",
    ".config/environment.d/x.conf",
    ".config/systemd/user.control/mcpgov.service.d/x.conf",
    ".config/systemd/user/mcpgov.service.d/x.conf",
    ".local/bin/mcpgov",
]
USER = "Library/Application Support" if sys.platform == "darwin" else ".config"


@pytest.mark.parametrize("file", [*CLIENT_FILES, f"{USER}/Code/User/settings.json"])
def test_what_decides_what_is_governed_cannot_be_written(decide, home, file):
    assert decide(path=str(home / file)) == "mcpgov:protect"
    assert decide(path=f"~/{file}") == "mcpgov:protect"
    assert decide("read_file", path=str(home / file)) == "yes"


@pytest.mark.parametrize("name", [name.removeprefix("*/") for name in protected_files.project_names()])
def test_a_projects_own_files_cannot_be_written_wherever_the_project_is(decide, name):
    assert decide(path=f"/some/where/{name}", content="x") == "mcpgov:protect"


@pytest.mark.parametrize("name", [".vscode/settings.json", ".claude/commands/x.md", "CLAUDE.md", ".env", "mcp.json"])
def test_a_projects_other_files_are_free(decide, name):
    assert decide(path=f"/some/where/{name}", content="x") == "yes"


def test_nothing_can_be_planted_beside_our_modules(decide):
    libraries = next(path for path in sys.path if path.endswith("site-packages"))
    beside = Path(libraries) / "re2.py"
    assert decide(path=str(beside)) == "mcpgov:protect"
    assert decide(path=str(Path(mcpgov.__file__).parent / "typing.py")) == "mcpgov:protect"


def test_a_virtual_environment_is_protected_whole(tmp_path, monkeypatch):
    libraries = tmp_path / "env/lib/python3.11/site-packages"
    libraries.mkdir(parents=True)
    monkeypatch.setattr(protected_files, "import_paths", lambda: [str(libraries), "/elsewhere"])
    assert str(libraries.resolve()) in protected_files.environment("/home/u")
    (tmp_path / "env/pyvenv.cfg").write_text("")
    found = protected_files.environment("/home/u")
    assert str((tmp_path / "env").resolve()) in found
    assert "/elsewhere" not in found


def test_an_interpreter_in_the_home_is_protected(tmp_path, monkeypatch):
    base = str(tmp_path.resolve() / "python")
    monkeypatch.setattr(sys, "base_prefix", base)
    assert base in protected_files.environment(str(tmp_path))
    assert base not in protected_files.environment("/home/u")


def test_where_claude_codes_file_has_moved_its_settings_have_too():
    found = protected_files.client_settings("/home/u", "linux", ["/other/.claude.json", "/x/mcp.json"])
    assert {"/other/settings.json", "/other/settings.local.json"} <= set(found)


def test_places_of_either_system_are_named(monkeypatch, root):
    assert "/home/u/Library/Application Support/Code/User/settings.json" in protected_files.client_settings(
        "/home/u", "darwin", []
    )
    monkeypatch.setattr(sys, "platform", "darwin")
    assert "/home/u/.launchd.conf" in protected_files.service_places("/home/u", {}, Places(root))


@pytest.mark.parametrize("name", [".bashrc", ".zshenv", ".profile", ".config/fish/conf.d/x.fish", ".bash_profile"])
def test_shell_start_up_files_are_protected_unless_the_policy_says_otherwise(decide, home, name):
    path = str(home / name)
    assert decide(path=path, content="x") == "mcpgov:protect"
    assert decide(path=path, content="x", text="protect_shell = true\n" + ALLOW) == "mcpgov:protect"
    assert decide(path=path, content="x", text="protect_shell = false\n" + ALLOW) == "yes"
    assert decide(path=str(home / ".claude.json"), text="protect_shell = false\n" + ALLOW) == "mcpgov:protect"
    assert decide(path=path, text="protect = false\n" + ALLOW) == "yes"


def test_no_place_is_named_twice(root):
    context = Context(str(root))
    found = context.protected(context.policy_path(None))
    assert len(found) == len(set(found))
    assert all(place.startswith(("/", "*/")) for place in found)
    assert os.fspath(root / "config") in found


@pytest.mark.parametrize("text", [ALLOW, "protect = false\n" + ALLOW])
def test_what_remote_servers_are_reached_with_cannot_even_be_read(decide, root, text):
    places = Places(root)
    for file in (places.remote_port, places.remote_servers / "x.json", places.remote_tokens / "x.json"):
        assert decide("read_file", text, path=str(file)) == "mcpgov:protect"
        assert decide("write_file", text, path=str(file), content="x") == "mcpgov:protect"
    assert decide("read_file", text, path=str(places.journal / "x.jsonl")) == "yes"
