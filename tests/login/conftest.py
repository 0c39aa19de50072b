"""No test here comes near the real keyring, home or network."""

import keyring
import pytest
from keyring.backends.fail import Keyring as NoKeyring

from tests.helpers.file_keyring import FileKeyring


@pytest.fixture(autouse=True)
def no_keyring(monkeypatch, tmp_path):
    """As on a machine without one."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    before = keyring.core._keyring_backend
    keyring.set_keyring(NoKeyring())
    yield
    keyring.core._keyring_backend = before


@pytest.fixture
def ring(tmp_path):
    """A keyring that works."""
    made = FileKeyring(tmp_path / "ring.json")
    keyring.set_keyring(made)
    return made
