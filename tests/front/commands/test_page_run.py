"""`mcpgov page run` becomes the process that serves the local page."""

import json
import subprocess

from mcpgov.places import Places
from tests.front.conftest import command


def test_it_serves_until_its_input_ends(tmp_path):
    done = subprocess.run(
        command(tmp_path, "page", "run"), input="", capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    kept = json.loads(Places(tmp_path).page_sessions.read_text())
    assert (kept["port"] > 0, len(kept["base"]), kept["sessions"]) == (True, 16, {})
