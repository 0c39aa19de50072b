import os
import subprocess
import sys
from pathlib import Path

import pytest

import mcpgov
from mcpgov.errors import McpgovError
from mcpgov.front.install import launcher
from mcpgov.front.install.libraries import import_paths
from mcpgov.places import Places
from mcpgov.settings import Settings


@pytest.fixture
def places(root):
    return Places(root)


def run(path, *words, **more):
    return subprocess.run([str(path), *words], capture_output=True, text=True, timeout=30, check=False, **more)


def test_the_launcher_is_written_once_and_starts_the_proxy(places):
    assert launcher.write_launcher(places, Settings())
    assert not launcher.write_launcher(places, Settings())
    assert places.launcher.stat().st_mode & 0o777 == 0o755
    done = run(places.launcher)
    assert (done.returncode, done.stdout) == (64, "")
    assert "usage: mcpgov-proxy" in done.stderr


def test_an_older_launcher_is_replaced_as_a_whole(places):
    places.launcher.parent.mkdir(parents=True)
    places.launcher.write_text("old")
    old = places.launcher.with_name("hot-0.0.1-cpython-311-0123456789ab.bin")
    old.write_bytes(b"")
    assert launcher.write_launcher(places, Settings())
    assert [path.name for path in places.launcher.parent.iterdir()] == [places.launcher.name]


def test_a_link_in_its_place_is_replaced_and_not_followed(places, tmp_path):
    target = tmp_path / "target"
    target.write_text("untouched")
    places.launcher.parent.mkdir(parents=True)
    places.launcher.symlink_to(target)
    assert launcher.write_launcher(places, Settings())
    assert (target.read_text(), places.launcher.is_symlink()) == ("untouched", False)


def test_a_place_that_cannot_be_written_is_told(places):
    places.launcher.parent.parent.mkdir(exist_ok=True)
    places.launcher.parent.write_text("a file")
    with pytest.raises(McpgovError, match="cannot write"):
        launcher.write_launcher(places, Settings())


def test_the_kernel_starts_the_real_interpreter_without_a_shell(places):
    first = launcher.launcher_text(places, Settings()).splitlines()[0]
    assert first == f"#!{os.path.realpath(sys.executable)} -IS"


@pytest.mark.parametrize("where", ["a place with spaces", "long" * 40, "ü"])
def test_an_interpreter_that_the_kernel_cannot_be_told_is_started_by_a_shell(places, monkeypatch, tmp_path, where):
    python = tmp_path / where / "python"
    python.parent.mkdir()
    python.symlink_to(os.path.realpath(sys.executable))
    monkeypatch.setattr(launcher, "interpreter", lambda: str(python))
    launcher.write_launcher(places, Settings())
    assert places.launcher.read_text().startswith("#!/bin/sh\n")
    assert run(places.launcher).returncode == 64
    python.unlink()
    done = run(places.launcher)
    assert (done.returncode, done.stdout) == (127, "")
    assert done.stderr == f"{launcher.GONE}\n{launcher.WHAT_TO_DO}\n"


def test_a_package_that_is_gone_is_told_with_what_to_do(places, monkeypatch):
    text = launcher.launcher_text(places, Settings())
    package = str(Path(mcpgov.__file__).resolve().parent)
    places.launcher.parent.mkdir(parents=True)
    places.launcher.write_text(text.replace(package, "/nowhere/mcpgov"))
    places.launcher.chmod(0o755)
    done = run(places.launcher, "--server", "s", "--", "true")
    assert (done.returncode, done.stdout) == (127, "")
    assert done.stderr == f"{launcher.GONE}\n{launcher.WHAT_TO_DO}\n"


def test_paths_with_quotes_and_odd_letters_are_carried_whole(tmp_path):
    places = Places(tmp_path / 'it\'s "a" $root\\ü')
    launcher.write_launcher(places, Settings())
    assert run(places.launcher).returncode == 64


def test_nothing_of_the_environment_is_kept_but_the_home_and_the_places(places, monkeypatch):
    monkeypatch.setenv("MCPGOV_POLICY", "/nowhere")
    monkeypatch.setenv("SECRET_TOKEN", "abc")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/kept")
    text = launcher.launcher_text(places, Settings())
    assert "SECRET_TOKEN" not in text
    assert "MCPGOV_POLICY" not in text
    assert "'XDG_CONFIG_HOME': '/kept'" in text


def test_a_package_that_may_change_has_no_bundle(places, monkeypatch, tmp_path):
    monkeypatch.setattr(mcpgov, "__file__", str(tmp_path / "elsewhere" / "mcpgov" / "__init__.py"))
    assert launcher.bundle_path(places) is None


def test_the_daemon_writes_the_same_launcher_as_a_terminal(places):
    """Under `-S`, as the login service runs, with another environment."""
    launcher.write_launcher(places, Settings())
    before = places.launcher.read_bytes()
    code = f"import sys; sys.path[:0] = {import_paths()!r}; from mcpgov.front.main import entry; entry()"
    words = [launcher.interpreter(), "-I", "-S", "-c", code, "--root", str(places.root), "launcher"]
    env = {"HOME": os.environ["HOME"], "PATH": "/other/bin", "LANG": "de_DE.UTF-8", "XDG_SESSION_ID": "1"}
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=True)
    assert "is up to date" in done.stdout
    assert places.launcher.read_bytes() == before
