import os
import pwd

import pytest

from mcpgov import machine


def test_a_link_is_read_and_anything_else_is_no_link(tmp_path):
    (tmp_path / "link").symlink_to("target")
    (tmp_path / "file").write_text("")
    found = [machine.readlink(str(tmp_path / name)) for name in ("link", "file", "none")]
    assert found == ["target", None, ""]
    assert machine.readlink("nul\0byte") is None


def test_the_home_is_the_variable_else_the_accounts(monkeypatch):
    account = pwd.getpwuid(os.getuid()).pw_dir
    monkeypatch.setenv("HOME", "/somewhere")
    assert machine.home() == "/somewhere"
    monkeypatch.setenv("HOME", "")
    assert machine.home() == account
    monkeypatch.delenv("HOME")
    assert machine.home() == account


def test_another_users_home_is_known_or_not():
    me = pwd.getpwuid(os.getuid())
    assert machine.home_of(me.pw_name) == me.pw_dir
    assert machine.home_of("no-such-user-here") is None
    assert machine.home_of("nul\0byte") is None


def test_the_world_is_this_process_or_the_directory_given(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    world = machine.world()
    assert (world.cwd, world.home) == (os.getcwd(), str(tmp_path))
    assert machine.world("/srv").cwd == "/srv"


def test_a_working_directory_that_is_gone_is_empty(monkeypatch, tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    try:
        os.getcwd()
    except OSError:
        assert machine.world().cwd == ""
    else:  # pragma: no cover - a system that remembers
        pytest.skip("this system knows the directory still")
