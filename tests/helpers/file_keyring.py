"""A keyring for tests, chosen by the child's own configuration: passwords in a JSON file beside that."""

import json
import os
from pathlib import Path

from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError

FILE = "test-keyring.json"


class FileKeyring(KeyringBackend):
    priority = 9  # type: ignore[assignment]

    def __init__(self, path: Path | None = None) -> None:
        super().__init__()
        self.path = path or Path(os.environ["HOME"]) / FILE

    def _all(self) -> dict[str, str]:
        return json.loads(self.path.read_text()) if self.path.exists() else {}

    def _write(self, value: dict[str, str]) -> None:
        beside = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        beside.write_text(json.dumps(value))
        beside.replace(self.path)

    def get_password(self, service: str, username: str) -> str | None:
        return self._all().get(f"{service} {username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        self._write({**self._all(), f"{service} {username}": password})

    def delete_password(self, service: str, username: str) -> None:
        held = self._all()
        if held.pop(f"{service} {username}", None) is None:
            raise PasswordDeleteError
        self._write(held)


def choose(home: Path) -> Path:
    """Make it the keyring of every process with this home; returns where its passwords are."""
    config = home / ".config" / "python_keyring"
    config.mkdir(parents=True, exist_ok=True)
    here = Path(__file__).parent
    (config / "keyringrc.cfg").write_text(f"[backend]\ndefault-keyring=file_keyring.FileKeyring\nkeyring-path={here}\n")
    return home / FILE
