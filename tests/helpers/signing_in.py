"""`mcpgov login` as a child process: a home of its own, a browser that is a script, and never the real keyring."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.helpers import file_keyring, oauth_server

TIMEOUT = 60
BROWSER = f"{sys.executable} {Path(oauth_server.__file__).resolve()} %s"


@dataclass(frozen=True)
class LoginHome:
    """`ring`: where the keyring's passwords are; None on a machine without one."""

    home: Path
    root: Path
    ring: Path | None = None

    @property
    def env(self) -> dict[str, str]:
        env = {"HOME": str(self.home), "PATH": os.environ["PATH"], "BROWSER": BROWSER}
        return env if self.ring else {**env, "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring"}

    def argv(self, *words: object) -> list[str]:
        return [str(Path(sys.executable).with_name("mcpgov")), "--root", str(self.root), *map(str, words)]

    def start(self, *words: object) -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        return subprocess.Popen(self.argv(*words), env=self.env, stdin=pipe, stdout=pipe, stderr=pipe, text=True)

    def run(self, *words: object, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.argv(*words), env={**self.env, **env}, capture_output=True, text=True, timeout=TIMEOUT, check=False
        )


def login_home(home: Path, root: Path, *, with_keyring: bool) -> LoginHome:
    return LoginHome(home, root, file_keyring.choose(home) if with_keyring else None)
