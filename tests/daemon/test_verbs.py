import json
import subprocess
from pathlib import Path

import pytest

from mcpgov import __version__
from mcpgov.daemon import verbs


def test_a_child_is_the_same_mcpgov_with_the_same_root():
    words = verbs.command(Path("/a root"))
    assert words[-2:] == ["--root", "/a root"]
    done = subprocess.run([*verbs.command(None), "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"mcpgov {__version__}\n"


def test_a_child_does_not_get_the_settings_of_whoever_started_us(monkeypatch):
    monkeypatch.setenv("MCPGOV_POLICY", "/other")
    monkeypatch.setenv("MCPGOV_ROOT", "/other")
    monkeypatch.setenv("OTHER", "kept")
    found = verbs.environment()
    assert ([name for name in found if name.startswith("MCPGOV_")], found["OTHER"]) == ([], "kept")


@pytest.mark.parametrize("told", [{"ok": True, "x": 1}, {"ok": False, "error": {"message": "no"}}])
def test_what_a_verb_tells_is_taken_as_it_is(told):
    assert verbs.told(json.dumps(told).encode(), 3) == told


@pytest.mark.parametrize("out", [b"", b"nonsense", b"[1]", b"{}", b'{"ok": false}', b"[" * 100_000, b"\xff"])
def test_a_verb_that_says_nothing_of_use_has_failed(out):
    found = verbs.told(out, -9)
    assert found == {"ok": False, "error": {"message": "it ended with status -9"}}
    assert verbs.error_in(found) == "it ended with status -9"


def test_without_an_error_all_is_well():
    assert verbs.error_in({"ok": True}) == ""
