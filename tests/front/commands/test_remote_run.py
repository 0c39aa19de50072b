"""`mcpgov remote run` becomes the process that serves remote servers."""

import subprocess
import sys
from pathlib import Path

from mcpgov.places import Places
from mcpgov.remote_servers import load_port


def test_it_serves_until_its_input_ends(tmp_path):
    command = [str(Path(sys.executable).with_name("mcpgov")), "--root", str(tmp_path), "remote", "run"]
    done = subprocess.run(command, input="", capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert load_port(Places(tmp_path).remote_port) > 0
