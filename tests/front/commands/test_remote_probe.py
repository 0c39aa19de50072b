"""`mcpgov remote probe` says what it found as JSON."""

import json
import subprocess
import sys
from pathlib import Path


def test_nobody_there_is_told(tmp_path):
    command = [str(Path(sys.executable).with_name("mcpgov")), "--root", str(tmp_path), "remote", "probe"]
    done = subprocess.run([*command, "http://127.0.0.1:9/mcp"], capture_output=True, text=True, timeout=60, check=False)
    found = json.loads(done.stdout)
    assert (done.returncode, found["found"]) == (0, "unreached")
