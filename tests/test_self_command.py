import json
import os
import subprocess
import sys
from pathlib import Path

from mcpgov import __version__, self_command
from mcpgov.front.install.libraries import import_paths


def run(words, **environ):
    done = subprocess.run(words, capture_output=True, text=True, check=True, env={**os.environ, **environ})
    return done.stdout


def test_a_child_is_the_same_mcpgov_with_the_same_root():
    words = self_command.child_command(Path("/a root"), "status")
    assert words[-3:] == ["--root", "/a root", "status"]
    assert run([*self_command.child_command(None), "--version"]) == f"mcpgov {__version__}\n"


def test_a_command_that_lasts_takes_no_settings_from_the_environment(tmp_path):
    words = self_command.lasting_command(sys.executable, import_paths(), tmp_path, "settings", "show", "--json")
    assert json.loads(run(words, MCPGOV_COLOR="nonsense"))["ok"] is True


def test_code_for_one_verb_sees_only_the_environment_it_was_given(tmp_path):
    code = self_command.verb_code({"HOME": str(tmp_path)}, import_paths(), tmp_path / "it's", "settings", "show")
    found = run([*self_command.isolated(sys.executable, code), "--json"], MCPGOV_COLOR="nonsense")
    assert str(tmp_path / "it's") in found


def test_a_child_does_not_get_the_settings_of_whoever_started_us(monkeypatch):
    monkeypatch.setenv("MCPGOV_POLICY", "/other")
    monkeypatch.setenv("MCPGOV_ROOT", "/other")
    monkeypatch.setenv("OTHER", "kept")
    found = self_command.child_environment()
    assert ([name for name in found if name.startswith("MCPGOV_")], found["OTHER"]) == ([], "kept")
