"""The real clients, each in a scratch home: never a login, never a model, nothing of the tester's environment."""

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.real.harness import TOOLS, need, node

MODULES = TOOLS / "node-clients" / "node_modules"
SYSTEM = "darwin" if sys.platform == "darwin" else "linux"
CHIP = "arm64" if platform.machine() in ("arm64", "aarch64") else "x64"
TIMEOUT = 120


def program(name: str) -> list[str]:
    """How a client is started; the native binaries directly, because no install script was run."""
    if name == "claude":
        return [need(MODULES / "@anthropic-ai" / f"claude-code-{SYSTEM}-{CHIP}" / "claude")]
    if name == "opencode":
        return [need(MODULES / f"opencode-{SYSTEM}-{CHIP}" / "bin" / "opencode")]
    found = shutil.which("node")
    if found is None:
        pytest.skip("REAL PART MISSING: there is no `node` on the PATH")
    script = {"gemini": "@google/gemini-cli/bundle/gemini.js", "codex": "@openai/codex/bin/codex.js"}[name]
    return [found, need(MODULES / script)]


class Scratch:
    """A home of its own with a working directory, our own installation in it, and the clients."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.work = home / "work"
        self.data = home / "data"
        for path in (self.work, self.data):
            path.mkdir(parents=True)
        (self.data / "hello.txt").write_text("hello")

    def env(self) -> dict[str, str]:
        return {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "GEMINI_CLI_NO_RELAUNCH": "true",
        }

    def run(self, *words: str, cwd: Path | None = None, check: bool = True) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            words,
            env=self.env(),
            cwd=cwd or self.work,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
        )
        assert not check or done.returncode == 0, (words, done.stdout, done.stderr)
        return done

    def client(self, name: str, *words: str, cwd: Path | None = None) -> str:
        done = self.run(*program(name), *words, cwd=cwd)
        return done.stdout + done.stderr

    def mcpgov(self, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        return self.run(sys.executable, "-I", "-m", "mcpgov", *words, check=check)

    def policy(self, text: str = 'default = "allow"\n') -> None:
        path = self.home / ".config" / "mcpgov" / "policy.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o600)

    def filesystem(self) -> list[str]:
        return node("filesystem", str(self.data))

    @property
    def launcher(self) -> str:
        return str(self.home / ".local/share/mcpgov/bin/mcpgov-proxy")
