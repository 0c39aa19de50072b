"""`mcpgov lender run`: ends with its input, also where nothing is shared."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("settings", ["", 'ledger = "redis://127.0.0.1:1/0"\n'])
def test_it_ends_with_its_input(root, settings):
    (root / "config" / "settings.toml").write_text(settings)
    words = [sys.executable, "-m", "mcpgov", "--root", str(root), "lender", "run"]
    done = subprocess.run(words, input="", capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert ("not reached" in done.stdout) is bool(settings)
    assert not (root / "run" / "lender.sock").exists()
