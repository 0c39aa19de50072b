"""A command line with a home of its own: no test here sees the real one."""

import fcntl
import io
import json
import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mcpgov.front.main import main
from tests.helpers.asking_daemon import AskingDaemon

TIMEOUT = 30


@dataclass(frozen=True)
class Done:
    status: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.out)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home; nothing of the tester's environment reaches the settings or the colours."""
    for name in list(os.environ):
        if name.startswith(("XDG_", "MCPGOV_")) or name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TTY_COMPATIBLE"):
            monkeypatch.delenv(name)
    place = tmp_path / "home"
    place.mkdir()
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.setenv("TERM", "xterm-256color")
    return place


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = tmp_path / "root"
    (place / "config").mkdir(parents=True)
    return place


@pytest.fixture
def policy(root: Path) -> Callable[[str], Path]:
    """Writes the policy in use."""

    def write(text: str) -> Path:
        path = root / "config" / "policy.toml"
        path.write_text(text, "utf-8")
        path.chmod(0o600)
        return path

    return write


@pytest.fixture
def run(root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Done]:
    """`mcpgov --root ROOT …` in this process."""

    def call(*words: object, stdin: bytes = b"") -> Done:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        status = main(["--root", str(root), *map(str, words)])
        return Done(status, *capsys.readouterr())

    return call


@pytest.fixture
def child(root: Path) -> Callable[..., Done]:
    """`mcpgov --root ROOT …` as the installed script, in a process of its own."""

    def call(*words: object) -> Done:
        done = subprocess.run(command(root, *words), capture_output=True, text=True, timeout=TIMEOUT, check=False)
        return Done(done.returncode, done.stdout, done.stderr)

    return call


def command(root: Path, *words: object) -> list[str]:
    return [str(Path(sys.executable).with_name("mcpgov")), "--root", str(root), *map(str, words)]


@pytest.fixture
def terminal(root: Path) -> Callable[..., Done]:
    """The same on a terminal of its own, `width` columns wide; out, err and what was typed come together."""

    def call(*words: object, width: int = 80, typed: bytes = b"") -> Done:
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
        with subprocess.Popen(command(root, *words), stdin=theirs, stdout=theirs, stderr=theirs) as process:
            os.close(theirs)
            os.write(ours, typed)
            text = _drain(ours)
            status = process.wait(TIMEOUT)
        os.close(ours)
        return Done(status, text.replace("\r\n", "\n"), "")

    return call


def _drain(fd: int) -> str:
    out = b""
    while True:
        try:
            piece = os.read(fd, 65536)
        except OSError:  # Linux says EIO where others say end of file
            break
        if not piece:
            break
        out += piece
    return out.decode()


@pytest.fixture
def asking(root: Path) -> Iterator[AskingDaemon]:
    """A daemon with questions, set by the test."""
    with AskingDaemon(root).running() as made:
        yield made
