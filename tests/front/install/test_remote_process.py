"""The command line of the process that serves remote servers."""

import subprocess

from mcpgov.front.install.remote_process import remote_command, remote_home
from mcpgov.places import Places
from mcpgov.settings import Settings


def test_it_knows_where_remote_servers_are(tmp_path):
    found = remote_home(Places(tmp_path), Settings())
    assert found["remote_port"] == str(tmp_path / "state" / "remote" / "port.json")
    assert found["login"].split("\0")[-2:] == ["login", "token"]
    assert found["journal"] == str(tmp_path / "state" / "journal")


def test_neither_environment_nor_directory_puts_a_module_in_front(tmp_path):
    (tmp_path / "aiohttp.py").write_text("raise SystemExit(99)")
    command = remote_command(Places(tmp_path), Settings(), "nothing")
    done = subprocess.run(command, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)}, capture_output=True, check=False)
    assert done.returncode == 64
