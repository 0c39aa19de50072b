"""What the scripts do around the real work: with stand-ins for pip, pytest and the registries."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", "utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A checkout whose venv is there already, as far as the scripts can tell."""
    place = tmp_path.resolve() / "checkout"
    (place / "scripts").mkdir(parents=True)
    for name in ("test", "install", "demo", "lib.sh"):
        shutil.copy(ROOT / "scripts" / name, place / "scripts" / name)
    shutil.copy(ROOT / "pyproject.toml", place)
    with open(place / "pyproject.toml", "rb") as file:
        stamp = subprocess.run(["cksum"], stdin=file, capture_output=True, text=True, check=True).stdout
    (place / ".venv" / "bin").mkdir(parents=True)
    (place / ".venv" / ".stamp").write_text(stamp.strip(), "utf-8")
    program(place / "scripts" / "realparts", "echo realparts")
    return place


@pytest.mark.parametrize(("tests", "purity", "status"), [(0, 0, 0), (1, 0, 1), (0, 1, 1), (2, 1, 2)])
def test_the_purity_result_is_printed_whatever_the_tests_said_and_both_count(copy, tests, purity, status):
    program(copy / ".venv" / "bin" / "pytest", f"echo tests; exit {tests}")
    program(copy / ".venv" / "bin" / "python", f"echo purity; exit {purity}")
    done = subprocess.run([copy / "scripts" / "test"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (status, "realparts\ntests\npurity\n")
